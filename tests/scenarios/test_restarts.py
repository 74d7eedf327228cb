"""Issue cases survive stopped workers, lost answers, lost workspaces and an empty Temporal server."""

import shutil
from pathlib import Path

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.record.entries import Transitioned
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.ports import AgentFailed, PullRequest
from tests.scenarios.test_straight_path import STRAIGHT
from tests.world.agent import analyzed
from tests.world.project import git
from tests.world.world import World, open_world

S = IssueState


async def test_a_turn_whose_worker_stops_is_done_by_the_next_worker(world: World) -> None:
    release = world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    await world.worker_stops()
    release()
    await world.worker_starts()
    await case.expect_pull_request()
    assert await case.states() == STRAIGHT
    developer = [brief for brief in world.agent.briefs if brief.role is Role.DEVELOPER]
    assert [brief.attempt.number for brief in developer] == [1, 2]
    assert developer[0].attempt.session != developer[1].attempt.session


async def test_a_push_is_not_repeated_when_the_answer_is_lost(world: World) -> None:
    case = await world.owner_files_issue()
    pushes: list[Sha] = []
    push = world.parts.forge.source.push

    async def lands_but_fails_once(*arguments: object, **named: object) -> None:
        await push(*arguments, **named)  # type: ignore[arg-type] # whatever the flow passes is passed on
        pushes.append(Sha(git(world.repository, "rev-parse", "agent/issue-1")))
        if len(pushes) == 1:
            raise ConnectionError("the answer got lost")

    world.parts.forge.source.push = lands_but_fails_once  # type: ignore[method-assign] # simulates a crash after the push
    await case.expect_pull_request()
    assert len(set(pushes)) == 1
    assert git(world.repository, "rev-list", "--count", "main..agent/issue-1") == "1"


@pytest.mark.slow
async def test_a_pull_request_is_not_opened_twice_when_the_answer_is_lost(world: World) -> None:
    opened: list[PullRequest] = []
    open_it = world.parts.forge.pulls.open

    async def opens_but_fails_once(pull: PullRequest) -> PullRequest:
        opened.append(await open_it(pull))
        raise ConnectionError("the answer got lost")

    world.parts.forge.pulls.open = opens_but_fails_once  # type: ignore[method-assign] # simulates a crash after the pull request
    case = await world.owner_files_issue()
    pull = await case.expect_pull_request()
    assert [pull.number] == [one.number for one in opened]


@pytest.mark.slow
async def test_each_transition_is_recorded_once_in_order_and_with_a_reason(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    moves = [r.entry for r in await case.record() if isinstance(r.entry, Transitioned)]
    assert [move.number for move in moves] == list(range(1, len(STRAIGHT) + 1))
    assert all(move.reason for move in moves)
    assert [move.from_state for move in moves[1:]] == [move.to_state for move in moves[:-1]]
    sequence = [recorded.sequence for recorded in await case.record()]
    assert sequence == list(range(1, len(sequence) + 1))


@pytest.mark.slow
async def test_a_lost_workspace_costs_one_turn_at_most(world: World) -> None:
    release = world.agent.holds_in(Role.TECH_LEAD)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.TECH_LEAD)
    await world.worker_stops()
    shutil.rmtree(world.home / "workspaces")
    release()
    await world.worker_starts()
    await case.expect_pull_request()
    assert await case.file_on_branch("greeting.txt") == "Hello world"


async def test_a_case_goes_on_from_its_record_when_temporal_starts_empty(
    world: World,
) -> None:
    release = world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    await world.worker_stops()
    await world.client.get_workflow_handle(f"case:{case.id}").terminate("the engine's data is gone")
    release()
    await world.worker_starts()
    await world.reconciler_restarts(case.id)
    await case.expect_pull_request()
    assert await case.states() == STRAIGHT


@pytest.mark.slow
async def test_repeated_worker_stops_use_up_no_retry(world: World) -> None:
    world.policy = world.policy.model_copy(update={"turn_retries": 0})
    case = await world.owner_files_issue()
    for _ in range(2):
        world.agent.holds_in(Role.ANALYST)
        await world.agent.reached(Role.ANALYST)
        await world.worker_stops()
        await world.worker_starts()
    world.agent.holds_in(Role.ANALYST)()
    await case.expect_pull_request()


@pytest.mark.slow
async def test_a_case_waits_until_the_models_api_is_back(world: World) -> None:
    away = AgentFailed(reason="the model's API answered 529", why="model", retry=True)
    tries: list[int] = []

    def comes_back(workspace: Path) -> Outcome | AgentFailed:
        tries.append(1)
        return away if len(tries) < 3 else analyzed(workspace)

    world.policy = world.policy.model_copy(update={"turn_retries": 0})
    world.agent.does(Role.ANALYST, Task.ANALYZE, comes_back)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert len(tries) == 3


@pytest.mark.slow
async def test_a_workspace_that_cannot_be_created_is_reported_and_close_still_works(world: World) -> None:
    (world.home / "mirrors").write_text("somebody put a file here")
    case = await world.owner_files_issue()
    await case.expect_story("After 3 tries to prepare workspace")
    await case.person_closes()
    (world.home / "mirrors").unlink()
    await case.expect_end(S.CLOSED)


@pytest.mark.slow
async def test_a_closed_case_has_no_running_turn(world: World) -> None:
    world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    assert len(await world.store.turns.running()) == 1
    await case.person_closes()
    await case.expect_end(S.CLOSED)
    assert await world.store.turns.running() == []
    assert await world.store.cases.unfinished() == []


@pytest.mark.slow
async def test_a_case_works_with_the_workflow_cache_off(tmp_path: Path, temporal: Address) -> None:
    async with open_world(tmp_path / "home", await connect(temporal), cached=0) as world:
        case = await world.owner_files_issue()
        await case.expect_pull_request()
        assert await case.states() == STRAIGHT
        assert [brief.task for brief in world.agent.briefs][-1] is Task.REVIEW
        await world.end()
