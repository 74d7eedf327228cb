"""People, CI and the bot act at random on one pull request. Nothing of a person's is lost, and no "ready" is false."""

import pytest

from tests.world.github_office import GitHubOffice
from tests.world.session_walk import walk

STEPS = 200


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
async def test_people_ci_and_the_bot_act_at_random(github: GitHubOffice, seed: int) -> None:
    walked = await walk(github, seed, STEPS)
    assert (walked.lost, walked.false_ready, walked.twice) == (0, 0, 0), walked
    assert walked.ready  # otherwise it shows nothing
    assert walked.pushes_of_ours
