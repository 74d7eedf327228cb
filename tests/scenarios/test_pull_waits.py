"""Ship sessions that need no agent: they look, wait for events, and end when only people are left."""

from dataclasses import replace

from caseworker.core.people.commands import Abort, Resume, Stop
from caseworker.core.pull.case import PauseCause, PullState, SessionEnd
from caseworker.github_double.acts import check_acts
from caseworker.github_double.entities.repository import PullRequest
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import asks_for

S = PullState


def _pull(github: GitHubOffice, branch: str = "fix") -> PullRequest:
    github.olga.commits(github.shop, branch, {"greeting.txt": "Hello world\n"}, "Spell the world")
    return github.olga.opens_pull(github.shop, branch, "Spell the world")


async def test_a_green_pull_request_is_ready_and_shown_as_a_check_and_a_comment(github: GitHubOffice) -> None:
    pull = _pull(github)
    session = await asks_for(github, pull)
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.state is S.ENDED
    body = await github.expect_tracking(pull.issue, "ship", "done")
    assert "Ready: a person can merge it." in body
    await github.expect_said(pull.issue, "A person can merge it.")


async def test_a_merge_by_a_person_ends_the_session(github: GitHubOffice) -> None:
    pull = _pull(github)
    github.olga.merges(pull)
    session = await asks_for(github, pull)
    await session.expect_end(SessionEnd.MERGED)
