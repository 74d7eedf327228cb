"""The verdict at the end of the pull scenarios, held against GitHub's own `gh`: no contradiction."""

from collections.abc import Awaitable, Callable, Sequence

import pytest
from _pytest.mark import ParameterSet

from caseworker.core.pull.case import WORKING, PullCase, SessionEnd
from caseworker.core.pull.next_acts import LEFT_TO_PEOPLE, verdict_shown
from caseworker.core.pull.reasons import ReasonKind as Kind
from tests.scenarios import test_pull_limits as limits
from tests.scenarios import test_pull_people as people
from tests.scenarios import test_pull_waits as waits
from tests.scenarios import test_pull_work as work
from tests.world.gh_agreement import hold_against_gh
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import PullSession

Scenario = Callable[[GitHubOffice], Awaitable[None]]
OURS_ALONE = {Kind.OPEN_THREADS, Kind.FAILING_CHECKS, Kind.PENDING_CHECKS}
"""Reasons for which only Caseworker waits where no rule of the base demands them: then `gh` may merge."""
SHORT = {
    "test_a_thread_that_is_not_valid_is_answered_once_and_stays_open",
    "test_a_branch_behind_its_base_is_brought_up_to_date_where_a_rule_wants_it",
    "test_a_required_review_is_left_to_people_and_named",
}
"""Scenarios that every run of the tests takes: each starts `gh` three times."""


def _scenarios() -> Sequence[ParameterSet]:
    """Every scenario of these modules that needs nothing but a repository on GitHub."""
    found = {
        name: one
        for module in (waits, work, people, limits)
        for name, one in vars(module).items()
        if name.startswith("test_") and set(one.__annotations__) == {"github", "return"}
    }
    return [
        pytest.param(one, id=name, marks=() if name in SHORT else (pytest.mark.slow,)) for name, one in found.items()
    ]


def _rests(case: PullCase) -> bool:
    """It has shown its last verdict as a check run, which `gh` counts, and does nothing more."""
    return case.state not in WORKING and verdict_shown(case) in ("", case.sight.reported)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", _scenarios())
async def test_gh_merges_exactly_what_is_ready(github: GitHubOffice, scenario: Scenario) -> None:
    await scenario(github)
    [pull] = github.pulls()
    case = await PullSession(github, pull, github.world.cases[-1]).expect(_rests, "a rest")
    row = await hold_against_gh(github, pull)
    assert row.shown == row.expected, row
    demanded = set(row.reasons) - (set() if github.shop.records.protections else OURS_ALONE)
    assert row.merged is (row.outcome in ("ready", "not_ready") and not demanded), row
    if case.session.end is SessionEnd.READY:
        assert set(row.reasons) <= LEFT_TO_PEOPLE, row
