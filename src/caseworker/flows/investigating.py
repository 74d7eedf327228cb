"""The investigation: a loop inside the issue's flow, at most five iterations of an investigator, each of which may ask
a developer to measure something. What follows from each is decided in `core/investigation_decisions`; its counter is
in the snapshot, so whoever takes the case up goes on with the next iteration."""

from collections.abc import Awaitable, Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caseworker.core.case import Case
    from caseworker.core.facts import Deferred, Fact, TurnEnded, TurnGaveUp
    from caseworker.core.outcomes import Task
    from caseworker.core.states import Role
    from caseworker.core.turn_taking import turn_of

OneTurn = Callable[[Role, Task], Awaitable[TurnEnded | TurnGaveUp | Deferred]]

INVESTIGATES = "investigations"


async def iteration(case: Case, whole_turn: Callable[[], Awaitable[Fact]], one_turn: OneTurn) -> Fact:
    """One step: what the investigator asked to be measured, or else the next iteration."""
    if case.task is Task.DIAGNOSE:
        return await one_turn(*turn_of(case))
    return await whole_turn()
