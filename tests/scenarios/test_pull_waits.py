"""Ship sessions that need no agent: they look, wait for events, and end when only people are left."""

from pathlib import Path

import pytest

from caseworker.app.terminal.look_at_pull import look_at_pull
from caseworker.core.people.commands import Abort, Resume, Stop
from caseworker.core.pull.case import PauseCause, PullState, SessionEnd
from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.repository import PullRequest
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import NO_CHECKS, WITH_BARRIER, asks_for
from tests.world.scripted_ci import ScriptedCi

S = PullState


def _pull(github: GitHubOffice, branch: str = "fix") -> PullRequest:
    github.olga.commits(github.shop, branch, {"greeting.txt": "Hello world\n"}, "Spell the world")
    return github.olga.opens_pull(github.shop, branch, "Spell the world")


def _ci(github: GitHubOffice) -> ScriptedCi:
    return ScriptedCi(github.github.state, github.shop, github.olga.actor)


def _verdicts_shown(github: GitHubOffice) -> list[tuple[str, str | None]]:
    shown = [(suite.head_sha, run) for suite in github.shop.records.suites for run in suite.runs]
    return [(sha, run.conclusion) for sha, run in shown if run.name == "caseworker/ready"]


async def test_a_green_pull_request_is_ready_and_shown_as_a_check_and_a_comment(github: GitHubOffice) -> None:
    pull = _pull(github)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.state is S.ENDED
    body = await github.expect_tracking(pull.issue, "ship", "done")
    assert "Ready: a person can merge it." in body
    await github.expect_said(pull.issue, "A person can merge it.")
    await github.expect(lambda: bool(_verdicts_shown(github)), "a check run", pull.issue)
    assert _verdicts_shown(github) == [(pull.head.sha, "success")]


@pytest.mark.slow
async def test_a_merge_by_a_person_ends_the_session(github: GitHubOffice) -> None:
    pull = _pull(github)
    github.olga.merges(pull)
    session = await asks_for(github, pull)
    await session.expect_end(SessionEnd.MERGED)


@pytest.mark.slow
async def test_it_waits_for_a_required_check_and_is_ready_when_that_is_green(github: GitHubOffice) -> None:
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    session = await asks_for(github, pull)
    await session.expect_waiting_for("pending_checks")
    _ci(github).runs(pull.head.sha, {"unit": "success"})
    await session.expect_end(SessionEnd.READY)


async def test_a_flaky_check_is_started_again_and_not_fixed(github: GitHubOffice) -> None:
    pull, ci = _pull(github), _ci(github)
    ci.runs(pull.head.sha, {"unit": "success"}, event="push")
    ci.runs(pull.head.sha, {"unit": "failure"}, event="push")
    session = await asks_for(github, pull)
    case = await session.expect(lambda case: bool(case.fixes.flakes), "a flake")
    assert (case.state, case.fixes.flakes, case.progress.turns) == (S.WAITING, {"unit": 1}, 0)


async def test_the_push_of_a_person_ends_the_session_and_nothing_is_overwritten(github: GitHubOffice) -> None:
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    session = await asks_for(github, pull)
    await session.expect_waiting_for("pending_checks")
    theirs = github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello, world\n"}, "A comma")
    await session.expect_end(SessionEnd.TAKEN_OVER)
    assert git_store.branches(github.shop.path)["fix"] == theirs


async def test_a_branch_behind_its_base_is_brought_up_to_date_where_a_rule_wants_it(github: GitHubOffice) -> None:
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"], is_strict=True)
    github.olga.commits(github.shop, "main", {"other.txt": "More\n"}, "Go on")
    old = pull.head.sha
    _ci(github).runs(old, {"unit": "success"})  # GitHub says "behind" only if nothing else is in the way
    session = await asks_for(github, pull)
    new = await session.expect_other_head(old)
    assert git_store.is_ancestor(github.shop.path, old, new)
    _ci(github).runs(new, {"unit": "success"})
    await session.expect_end(SessionEnd.READY)


@pytest.mark.slow
async def test_people_have_twenty_minutes_to_look_after_a_push(github: GitHubOffice, tmp_path: Path) -> None:
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"], is_strict=True)
    github.olga.commits(github.shop, "main", {"other.txt": "More\n"}, "Go on")
    old = pull.head.sha
    _ci(github).runs(old, {"unit": "success"})  # GitHub says "behind" only if nothing else is in the way
    session = await asks_for(github, pull, policy=WITH_BARRIER)
    new = await session.expect_other_head(old)
    _ci(github).runs(new, {"unit": "success"})
    await session.expect_waiting_for("review_barrier")
    await github.expect(lambda: (new, "neutral") in _verdicts_shown(github), "a check run", pull.issue)
    elsewhere = github.settings.model_copy(update={"home": tmp_path / "elsewhere"})
    seen = await look_at_pull(elsewhere, f"{github.shop.full_name}#{pull.number}")
    assert seen.verdict.leading == "review_barrier", "who has no record must be told the same"


@pytest.mark.slow
async def test_a_person_stops_it_lets_it_go_on_and_ends_it(github: GitHubOffice) -> None:
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    session = await asks_for(github, pull)
    await session.expect_waiting_for("pending_checks")
    await session.says("stop", Stop())
    paused = await session.expect_state(S.PAUSED)
    assert paused.session.pause is PauseCause.STOPPED
    await session.says("resume", Resume())
    await session.expect_waiting_for("pending_checks")
    await session.says("abort", Abort())
    await session.expect_end(SessionEnd.ABORTED)
    await github.expect_tracking(pull.issue, "ship", "stopped early")
