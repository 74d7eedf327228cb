"""Issue cases that are reopened or retried: the workspace is created if missing, and pushed commits are included."""

from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.commands import MessageKind
from caseworker.ports import AgentFailed
from tests.world.agent import implemented, once, reads_people, writes_greeting
from tests.world.project import git
from tests.world.world import World

S = IssueState


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [S.CREATING_TESTS, pytest.param(S.REVIEWING_CODE, marks=pytest.mark.slow)])
async def test_a_case_closed_before_it_had_a_workspace_can_be_reopened(world: World, chosen: IssueState) -> None:
    """It is triaged first, wherever the pm wants to go on."""
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "We do it after all.", next=chosen.value))
    await world.worker_stops()
    case = await world.owner_files_issue()
    await case.person_closes()
    await world.worker_starts()
    closed = await case.expect_end(S.CLOSED)
    assert (closed.case.delivery.base, closed.case.progress.turns) == (None, 0)
    await case.person_says("Please do it after all.")
    await case.expect_story("RECEIVED  It goes on with its triage")
    stored = await case.expect_state(S.WAITING_FOR_HUMAN_INPUT)
    assert stored.case.progress.builds > 0
    assert "We do it after all." in await case.told()


@pytest.mark.slow
async def test_a_commit_pushed_to_a_parked_case_is_there_after_a_retry(world: World) -> None:
    notes: list[bool] = []

    def looks(workspace: Path) -> Outcome:
        notes.append((workspace / "notes.txt").exists())
        return implemented(workspace)

    late = AgentFailed(reason="it has worked for 60 minutes", why="seconds")
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, once(late, looks))
    case = await world.owner_files_issue()
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)
    await case.expect_story("pushed agent/issue-1")
    _pushes(world, "notes.txt")
    await case.person_says("", kind=MessageKind.RETRY)
    await case.expect_pull_request()
    assert notes == [True]
    assert await case.file_on_branch("notes.txt") == "mine"


@pytest.mark.slow
async def test_a_commit_pushed_to_a_failed_case_is_there_after_a_retry(world: World) -> None:
    notes: list[bool] = []

    def looks(workspace: Path) -> Outcome:
        notes.append((workspace / "notes.txt").exists())
        return implemented(workspace)

    broken = AgentFailed(reason="the outcome was invalid twice", why="invalid_outcome")
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, once(broken, looks))
    case = await world.owner_files_issue()
    await case.expect_end(S.FAILED)
    _pushes(world, "notes.txt")
    await case.person_says("", kind=MessageKind.RETRY)
    await case.expect_pull_request()
    assert notes == [True]


async def test_a_retry_before_the_case_knows_of_its_merge_is_refused_with_why(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_merges(noticed=False)
    with pytest.raises(Refused, match="if it was merged a moment ago, the case is completed as soon as it is told"):
        await case.person_says("", kind=MessageKind.RETRY)
    await world.reconciler_looks()
    await case.expect_end(S.COMPLETED)
    assert (await case.receipts())[1:] == ["seen: completed the case"]


async def test_a_retry_that_is_read_after_a_merge_opens_a_follow_up_case(world: World) -> None:
    broken = AgentFailed(reason="the outcome was invalid twice", why="invalid_outcome")
    world.agent.does(Role.PM, Task.INTERPRET, lambda _: broken)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_says("Please say goodbye, too.")
    await case.expect_state(S.REQUIRES_HUMAN_INTERVENTION)  # where `retry` is possible
    await world.worker_stops()
    await case.person_merges()
    await case.person_says("", kind=MessageKind.RETRY)
    await world.worker_starts()
    await case.expect_end(S.COMPLETED)
    (follower,) = await world.store.cases.children(case.id)
    world.cases.append(follower.case.id)
    assert (await case.receipts())[-2:] == ["seen: completed the case", f"seen: opened {follower.case.id} for this"]


async def test_a_base_that_moved_during_the_wait_for_a_merge_is_told_with_the_next_update(
    world: World,
) -> None:
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "We will.", next="addressing_feedback"))
    world.agent.does(Role.DEVELOPER, Task.ADDRESS_FEEDBACK, writes_greeting("Hello world\nBye.\n"))
    case = await world.owner_files_issue()
    assert "has moved" not in (await case.expect_pull_request()).body
    world.person_commits("greeting.txt", "Good day\n")
    await world.reconciler_looks()
    await case.person_says("Please say goodbye, too.")
    await case.expect(lambda now: now.case.limits.round == 2 and now.case.waits_for is WaitingFor.MERGE, "an update")
    assert (await case.expect_pull_request()).body.startswith(
        "**The base branch has moved, and this change conflicts with it.**"
    )


def _pushes(world: World, name: str) -> None:
    """Clones the case's branch, commits a file and pushes, as a person would."""
    clone = world.home / "anns"
    git(world.home, "clone", "--quiet", "--branch", "agent/issue-1", str(world.repository), str(clone))
    (clone / name).write_text("mine\n")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "A note of mine")
    git(clone, "push", "--quiet", "origin", "agent/issue-1")
