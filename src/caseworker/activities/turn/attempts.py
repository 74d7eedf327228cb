"""One attempt at a turn: begins it in the store, runs the agent, and records how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import structlog
from temporalio import activity

from caseworker.contract.wire import TurnDied
from caseworker.core.base.failed_steps import Outside, TurnGaveUp
from caseworker.core.base.ids import CaseId, Sha, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.record.entries import AgentEvent, TurnCompleted, TurnFailed, TurnStarted
from caseworker.core.telling.outcome_lines import outcome_words
from caseworker.ports import AgentFailed, AgentFinished, AgentRuntime, Attempt, Brief, Ear, FinishedTurn, Store

log = structlog.get_logger()

_LIMITS: Final[dict[str, Literal["budget", "time"]]] = {"budget": "budget", "calls": "time", "seconds": "time"}

_OUTSIDE: Final[dict[str, Outside]] = {"model": "unreachable", "machine": "machine"}


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
    def __init__(self, *, store: Store, runtime: AgentRuntime, worker: str) -> None:
        self._store = store
        self._runtime = runtime
        self._worker = worker

    async def begin(self, case: CaseId, turn: int, role: Role, task: Task, trace: TraceId) -> Try | FinishedTurn:
        """A new attempt, which fences every earlier one; or the result, if the turn was completed before."""
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
        return await self._record_failure(this, end)

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

    async def gave_up(self, this: Try, reason: str, *, invalid: bool = False) -> TurnGaveUp:
        """Record a failure that another attempt would repeat."""
        await self.fail(this, reason, invalid=invalid)
        return TurnGaveUp(role=this.role, reason=reason, invalid=invalid)

    async def fail(self, this: Try, reason: str, *, invalid: bool = False) -> None:
        entry = TurnFailed(
            turn=this.turn,
            attempt=this.attempt.number,
            role=this.role,
            task=this.task,
            reason=reason,
            invalid=invalid,
        )
        await self._store.turns.fail(this.attempt, reason, entry)

    async def _record_failure(self, this: Try, end: AgentFailed) -> TurnDied | TurnGaveUp:
        if end.why == "quota":
            await self.fail(this, end.reason)
            until = datetime.now(UTC) + timedelta(seconds=end.seconds)
            return TurnDied(reason=end.reason, passing=True, until=until)
        if end.why == "key":
            return (await self.gave_up(this, end.reason)).model_copy(update={"outside": "key"})
        if not end.retry:
            gave_up = await self.gave_up(this, end.reason, invalid=end.why == "invalid_outcome")
            return gave_up.model_copy(update={"limit": _LIMITS.get(end.why), "unscripted": end.why == "script"})
        await self.fail(this, end.reason)
        outside = _OUTSIDE.get(end.why)
        return TurnDied(reason=end.reason, passing=outside is not None, outside=outside)
