"""Trouble with our own GitHub in the middle of a run: no access any more, and both kinds of rate limit."""

from datetime import timedelta
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.github_double.acts.account_acts import suspend, unsuspend
from caseworker.github_double.entities.repository import Issue
from tests.world.agent import approved, triaged
from tests.world.github_office import GitHubOffice

S = IssueState
TITLE = "The greeting misspells the world"


async def planned(github: GitHubOffice) -> Issue:
    issue = github.olga.opens_issue(TITLE, "It says wrold.", on=github.shop)
    for label in ("triage", "plan"):
        github.olga.labels(issue, f"bot:{label}")
        await github.expect_tracking(issue, label, "done")
    return issue


def hour_is_used_up(github: GitHubOffice, *, seconds: int) -> None:
    """Nothing is left of the primary limit. The new hour begins so many seconds after the next request, which is
    refused: counted from now, they may be over before anything is asked."""
    double, now = github.github.double, github.github.state.now
    windows = double.limits.windows.items()
    spent = [window for (who, what), window in windows if who.startswith("installation") and what == "core"]
    for window in spent:
        window.used, window.reset = window.limit, now() + timedelta(hours=1)

    def hour_ends_soon() -> None:
        for window in spent:
            window.reset = now() + timedelta(seconds=seconds)

    double.faults.before("^/repos/", hour_ends_soon)


@pytest.mark.slow
async def test_without_access_a_case_waits_and_goes_on_once_it_is_given_back(github: GitHubOffice) -> None:
    issue = await planned(github)
    release = github.world.agent.holds_in(Role.TECH_LEAD)
    github.olga.labels(issue, "bot:implement")
    await github.expect_tracking(issue, "implement", "working")
    await github.world.agent.reached(Role.TECH_LEAD)
    suspend(github.github.state, github.installation)
    release()
    parked = await github.case(issue).expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    assert parked.case.reason.startswith("GitHub does not let Caseworker read olga/shop. Check the App or token")
    assert github.pulls() == []
    unsuspend(github.github.state, github.installation)
    assert "Check the App or token" in await github.expect_tracking(issue, "implement", "waiting")
    github.olga.comments(issue, "retry")
    await github.expect_tracking(issue, "implement", "done")
    assert len(github.pulls()) == 1
    assert len(set(github.said(issue))) == len(github.said(issue))


@pytest.mark.slow
async def test_both_rate_limits_delay_a_run_and_repeat_nothing(github: GitHubOffice) -> None:
    def triages_too_fast(workspace: Path) -> Outcome:
        github.github.double.limits.refuse_next(retry_after=2)
        return triaged(workspace)

    def approves_in_the_last_moment(workspace: Path) -> Outcome:
        hour_is_used_up(github, seconds=3)
        return approved(workspace)

    github.world.agent.does(Role.PM, Task.TRIAGE, triages_too_fast)
    github.world.agent.does(Role.TECH_LEAD, Task.REVIEW, approves_in_the_last_moment)
    issue = await planned(github)
    github.olga.labels(issue, "bot:implement")
    await github.expect_tracking(issue, "implement", "done")
    limited = [entry.status for entry in github.github.double.log.entries if entry.status == 403]
    assert len(limited) >= 2
    assert len(github.pulls()) == 1
    assert set(github.tracking(issue)) == {"triage", "plan", "implement"}
    assert len(set(github.said(issue))) == len(github.said(issue))
    assert "failed" not in await github.outcomes()
