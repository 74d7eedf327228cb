"""Sessions on a pull request that people begin and command on GitHub. No timer helps: only events wake them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.repository import PullRequest
from tests.scenarios.conftest import end
from tests.world.github_office import GitHubOffice, open_github_office
from tests.world.github_pulls import PullSession
from tests.world.scripted_ci import ScriptedCi

HOUR = 3_600.0


@pytest.fixture
async def github(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[GitHubOffice]:
    quiet: dict[str, Any] = {"pull_look_seconds": HOUR, "pull_look_most_seconds": HOUR, "review_barrier_seconds": 0}
    async with open_github_office(home, await connect(temporal), **quiet) as office:
        yield office
        await office.serving_stops()
        await end(office.world, request)


def _pull(github: GitHubOffice) -> PullRequest:
    """It waits for the check `unit`."""
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello world\n"}, "Spell the world")
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    return github.olga.opens_pull(github.shop, "fix", "Spell the world")


async def _session(github: GitHubOffice, pull: PullRequest) -> PullSession:
    """The session that was asked for, once it has begun."""
    case = CaseId(f"{github.shop.full_name}!{pull.number}")
    await github.expect_outcome("dispatched")
    github.world.cases.append(case)
    return PullSession(github, pull, case)


async def test_a_label_begins_a_session_and_a_green_check_wakes_it(github: GitHubOffice) -> None:
    pull = _pull(github)
    github.olga.labels(pull.issue, "bot:ship")
    session = await _session(github, pull)
    await session.expect_waiting_for("pending_checks")
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(pull.head.sha, {"unit": "success"})
    await session.expect_end(SessionEnd.READY)
    await github.expect_tracking(pull.issue, "ship", "done")


async def test_people_stop_resume_and_abort_a_session_by_comments(github: GitHubOffice) -> None:
    pull = _pull(github)
    github.olga.comments(pull.issue, "bot:ship --deadline 2h")
    session = await _session(github, pull)
    await session.expect_waiting_for("pending_checks")
    github.sam.comments(pull.issue, "bot:abort")
    github.olga.comments(pull.issue, "@caseworker stop")
    await session.expect_state(PullState.PAUSED)
    resume = github.olga.comments(pull.issue, "bot:resume")
    await session.expect_waiting_for("pending_checks")
    await github.expect(lambda: [one.content for one in resume.reactions] == ["eyes", "+1"], "reactions", pull.issue)
    github.olga.comments(pull.issue, "abort")
    await session.expect_end(SessionEnd.ABORTED)


@pytest.mark.slow
async def test_the_push_and_the_close_of_a_person_wake_a_session(github: GitHubOffice) -> None:
    pull = _pull(github)
    github.olga.labels(pull.issue, "bot:ship")
    session = await _session(github, pull)
    await session.expect_waiting_for("pending_checks")
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello, world\n"}, "A comma")
    await session.expect_end(SessionEnd.TAKEN_OVER)
    github.olga.comments(pull.issue, "bot:ship")
    await session.expect_waiting_for("pending_checks")
    github.olga.closes(pull.issue)
    await session.expect_end(SessionEnd.CLOSED)


@pytest.mark.slow
@pytest.mark.parametrize("words", ["resume", "bot:resume"])
async def test_resume_after_the_push_of_a_person_goes_on_from_the_new_head(github: GitHubOffice, words: str) -> None:
    pull = _pull(github)
    github.olga.labels(pull.issue, "bot:ship")
    session = await _session(github, pull)
    await session.expect_waiting_for("pending_checks")
    new = github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello, world\n"}, "A comma")
    await session.expect_end(SessionEnd.TAKEN_OVER)
    await github.expect_said(pull.issue, "The comment `resume` lets Caseworker go on from the head as it is then.")
    resume = github.olga.comments(pull.issue, words)
    waiting = await session.expect_waiting_for("pending_checks")
    assert (waiting.watch.baseline, waiting.session.workflow, waiting.epoch) == (new, "ship", 2)
    await github.expect_said(pull.issue, "What people have pushed meanwhile is adopted.")
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(new, {"unit": "success"})
    await session.expect_end(SessionEnd.READY)
    await github.expect(lambda: [one.content for one in resume.reactions][-1:] == ["+1"], "reactions", pull.issue)


@pytest.mark.slow
@pytest.mark.parametrize("words", ["rebase", "bot:rebase"])
async def test_a_rebase_that_no_owner_asks_for_is_refused_and_costs_no_turn(github: GitHubOffice, words: str) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    github.olga.labels(pull.issue, "bot:ship")
    session = await _session(github, pull)
    await session.expect_waiting_for("pending_checks")
    asked = rita.comments(pull.issue, words)
    await github.expect_said(pull.issue, "`rebase` is for an owner to ask for")
    await github.expect(lambda: [one.content for one in asked.reactions][-1:] == ["confused"], "reactions", pull.issue)
    waiting = await session.expect_waiting_for("pending_checks")
    assert (waiting.progress.turns, waiting.people.asked_update) == (0, None)


@pytest.mark.slow
async def test_an_owner_asks_for_a_rebase_by_a_comment(github: GitHubOffice) -> None:
    pull = _pull(github)
    old = pull.head.sha
    base = github.olga.commits(github.shop, "main", {"other.txt": "More\n"}, "Go on")
    github.olga.comments(pull.issue, "bot:ship")
    session = await _session(github, pull)
    await session.expect_waiting_for("pending_checks")
    assert pull.head.sha == old
    asked = github.olga.comments(pull.issue, "bot:rebase")
    new = git_store.commit(github.shop.path, await session.expect_other_head(old))
    assert (new.parents, new.author_name, new.message.strip()) == (
        (base,),
        git_store.commit(github.shop.path, old).author_name,
        "Spell the world",
    )
    await github.expect(lambda: [one.content for one in asked.reactions] == ["eyes", "+1"], "reactions", pull.issue)
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(pull.head.sha, {"unit": "success"})
    await session.expect_end(SessionEnd.READY)
