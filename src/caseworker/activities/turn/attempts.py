"""One attempt at a turn, of whichever kind of case: fenced, heard, told, and nothing of it left when it dies."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import structlog
from temporalio import activity

from caseworker.activities.shared.context import beating, traced
from caseworker.contract.wire import TurnDied
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, MessageId, Sha, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.facts import TurnGaveUp
from caseworker.core.record.entries import AgentEvent, TurnCompleted, TurnFailed, TurnStarted
from caseworker.core.telling.outcomes import outcome_words
from caseworker.ports import (
    AgentFailed,
    AgentFinished,
    AgentRuntime,
    Attempt,
    Brief,
    Ear,
    FinishedTurn,
    Store,
    Workspaces,
)

log = structlog.get_logger()

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Try:
    attempt: Attempt
    role: Role
    task: Task
    trace: TraceId

    @property
    def case(self) -> CaseId:
        return self.attempt.case

    @property
    def turn(self) -> int:
        return self.attempt.turn


def why_stopped() -> str:
    details = activity.cancellation_details()
    if activity.is_worker_shutdown() or (details is not None and details.worker_shutdown):
        return "the worker shut down; the turn is begun again"
    if details is not None and details.cancel_requested:
        return "stopped by a person"
    return "Temporal has given it up; the turn is begun again, or not wanted any more"


class Attempts:
    def __init__(self, *, store: Store, workspaces: Workspaces, runtime: AgentRuntime, worker: str) -> None:
        self._store = store
        self._workspaces = workspaces
        self._runtime = runtime
        self._worker = worker

    async def begin(self, case: CaseId, turn: int, role: Role, task: Task, trace: TraceId) -> Try | FinishedTurn:
        begun = await self._store.turns.begin(
            case,
            turn,
            role=role,
            task=task,
            worker=self._worker,
            activity=activity.info().task_token,
            trace=trace,
        )
        return begun if isinstance(begun, FinishedTurn) else Try(attempt=begun, role=role, task=task, trace=trace)

    async def told(self, this: Try, work: Callable[[], Awaitable[R]]) -> R | TurnDied | TurnGaveUp:
        """Whatever ends the attempt without an outcome is written down; nothing of it stays behind."""
        with traced(this.trace, this.case, turn=this.turn, attempt=this.attempt.number, role=this.role.value):
            async with beating():
                try:
                    async with self._workspaces.hold(this.case):
                        return await work()
                except asyncio.CancelledError:
                    await asyncio.shield(self._give_up(this, why_stopped()))
                    raise
                except (Transient, OSError) as error:
                    await self._give_up(this, str(error))
                    return TurnDied(reason=str(error), passing=True)
                except Refused as error:
                    return await self._gave_up(this, str(error))

    async def run(self, this: Try, brief: Brief, ear: Ear) -> AgentFinished | TurnDied | TurnGaveUp:
        started = TurnStarted(
            turn=this.turn, attempt=this.attempt.number, role=this.role, task=this.task, model=brief.model
        )
        await self._store.record.append(this.case, [started], trace=this.trace)

        async def saw(events: Sequence[AgentEvent]) -> None:
            await self._store.record.append(this.case, list(events), trace=this.trace)

        log.info("turn started", task=this.task.value, model=brief.model)
        end = await self._runtime.run(brief, saw, ear)
        if isinstance(end, AgentFinished):
            return end
        log.warning("turn failed", why=end.why, reason=end.reason, agent_log=end.log[-2_000:])
        return await self._ended_badly(this, end)

    async def _ended_badly(self, this: Try, end: AgentFailed) -> TurnDied | TurnGaveUp:
        if not end.retry:
            gave_up = await self._gave_up(this, end.reason)
            return gave_up.model_copy(update={"limit": _LIMITS.get(end.why), "invalid": end.why == "invalid_outcome"})
        await self._give_up(this, end.reason)
        return TurnDied(reason=end.reason, passing=end.why == "model")

    async def finished(self, this: Try, end: AgentFinished, checkpoint: Sha) -> tuple[FinishedTurn, TurnCompleted]:
        spent = await self._store.ledger.spent(this.case, this.turn)
        finished = FinishedTurn(
            turn=this.turn,
            attempt=this.attempt.number,
            role=this.role,
            task=this.task,
            outcome=end.outcome,
            checkpoint=checkpoint,
            session=this.attempt.session,
            calls=end.calls,
            cost_micros=spent.micros,
        )
        entry = TurnCompleted(
            turn=this.turn,
            attempt=this.attempt.number,
            role=this.role,
            task=this.task,
            status=end.outcome.status,
            summary=outcome_words(end.outcome),
            checkpoint=checkpoint,
            calls=end.calls,
            cost_micros=spent.micros,
        )
        return finished, entry

    async def heard(self, case: CaseId, turn: int) -> tuple[MessageId, ...]:
        """Everything the turn was given, before it began and while it worked, also by an attempt that died."""
        return tuple(message.id for message in await self._store.inbox.of(case) if message.turn == turn)

    async def _gave_up(self, this: Try, reason: str) -> TurnGaveUp:
        await self._give_up(this, reason)
        return TurnGaveUp(role=this.role, reason=reason)

    async def _give_up(self, this: Try, reason: str) -> None:
        entry = TurnFailed(turn=this.turn, attempt=this.attempt.number, role=this.role, task=this.task, reason=reason)
        await self._store.turns.fail(this.attempt, reason, entry)


_LIMITS: Final[dict[str, Literal["budget", "time"]]] = {"budget": "budget", "calls": "time", "seconds": "time"}
SUPERSEDED = "a newer attempt of this turn has taken over"
