"""Issue cases that are opened or tried again: what was missing is made."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from tests.world.agent import reads_people
from tests.world.world import World

S = IssueState


@pytest.mark.parametrize(
    ("chosen", "comes_to"),
    [(S.CREATING_TESTS, S.WAITING_FOR_HUMAN_INPUT), (S.REVIEWING_CODE, S.REQUIRES_HUMAN_INTERVENTION)],
    ids=["goes on to a pull request", "has nothing to review"],
)
async def test_a_case_closed_before_it_had_a_workspace_is_opened_again_and_built(
    world: World, chosen: IssueState, comes_to: IssueState
) -> None:
    world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "We do it after all.", next=chosen.value))
    await world.worker_stops()
    case = await world.owner_files_issue()
    await case.person_closes()
    await world.worker_starts()
    closed = await case.expect_end(S.CLOSED)
    assert (closed.case.delivery.base, closed.case.progress.turns) == (None, 0)
    await case.person_says("Please do it after all.")
    stored = await case.expect_state(comes_to)
    assert stored.case.progress.builds > 0
    assert "We do it after all." in await case.told()
