"""A turn is a transaction: it begins from checkpoint, session and messages, and commits all with its outcome."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from temporalio import activity

from caseworker.activities.briefs import Briefing
from caseworker.activities.records import stored_case
from caseworker.activities.running import beating, refusals_told, traced
from caseworker.contract.activities import TurnActivities
from caseworker.contract.wire import TurnDied, TurnReply, TurnRequest
from caseworker.core import words
from caseworker.core.decisions import TurnEnded, TurnGaveUp
from caseworker.core.errors import Refused, Transient
from caseworker.core.ids import Sha
from caseworker.core.outcomes import ImplementationOutcome, Outcome, TestsOutcome
from caseworker.core.record import AgentEvent, TurnCompleted, TurnFailed, TurnStarted
from caseworker.core.sections import after_outcome
from caseworker.ports import (
    AgentFailed,
    AgentFinished,
    AgentRuntime,
    Attempt,
    FinishedTurn,
    Store,
    StoredCase,
    Workspace,
    Workspaces,
)

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class _Try:
    """One attempt and what it works on."""

    request: TurnRequest
    stored: StoredCase
    attempt: Attempt


class Turning(TurnActivities):
    def __init__(
        self, *, store: Store, workspaces: Workspaces, runtime: AgentRuntime, briefing: Briefing, worker: str
    ) -> None:
        self._store = store
        self._workspaces = workspaces
        self._runtime = runtime
        self._briefing = briefing
        self._worker = worker

    @activity.defn
    async def run_turn(self, request: TurnRequest) -> TurnReply:
        with refusals_told():
            stored = await stored_case(self._store, request.case.id)
            begun = await self._store.turns.begin(
                request.case.id,
                request.turn,
                role=request.role,
                task=request.task,
                worker=self._worker,
                activity=activity.info().task_token,
                trace=stored.trace,
            )
        if isinstance(begun, FinishedTurn):
            return _ended(begun)
        this = _Try(request=request, stored=stored, attempt=begun)
        with traced(stored.trace, request.case.id, turn=request.turn, attempt=begun.number, role=request.role.value):
            async with beating():
                return await self._told(this)

    async def _told(self, this: _Try) -> TurnReply:
        """Whatever ends the attempt without an outcome is written down; nothing of it stays behind."""
        try:
            async with self._workspaces.hold(this.request.case.id):
                return await self._attempt(this)
        except asyncio.CancelledError:
            await asyncio.shield(self._give_up(this, "stopped: a person closed the case or the worker shut down"))
            raise
        except (Transient, OSError) as error:
            await self._give_up(this, str(error))
            return TurnDied(reason=str(error), passing=True)
        except Refused as error:
            await self._give_up(this, str(error))
            return TurnGaveUp(role=this.request.role, reason=str(error))

    async def _attempt(self, this: _Try) -> TurnReply:
        request = this.request
        workspace = await self._fresh_workspace(this)
        brief = await self._briefing.write(request, this.stored, this.attempt, workspace)
        started = TurnStarted(
            turn=request.turn, attempt=this.attempt.number, role=request.role, task=request.task, model=brief.model
        )
        await self._store.record.append(request.case.id, [started], trace=this.stored.trace)

        async def saw(events: Sequence[AgentEvent]) -> None:
            await self._store.record.append(request.case.id, list(events), trace=this.stored.trace)

        log.info("turn started", task=request.task.value, model=brief.model)
        end = await self._runtime.run(brief, saw)
        if isinstance(end, AgentFailed):
            await self._give_up(this, end.reason)
            log.warning("turn failed", why=end.why, reason=end.reason, agent_log=end.log[-2_000:])
            if not end.retry:
                return TurnGaveUp(role=request.role, reason=end.reason)
            return TurnDied(reason=end.reason, passing=end.why == "model")
        return await self._commit(this, workspace, end, writable=brief.writable)

    async def _fresh_workspace(self, this: _Try) -> Workspace:
        case = this.request.case
        repository = await self._store.repositories.path_of(this.stored.repository)
        workspace = await self._workspaces.prepare(case.id, repository, case.base)
        # The first attempt follows a step that ended well; any other may find what a dead one left.
        await self._workspaces.reset(workspace, case.checkpoint or workspace.base, scrub=this.attempt.number > 1)
        return workspace

    async def _commit(self, this: _Try, workspace: Workspace, end: AgentFinished, *, writable: bool) -> TurnReply:
        request = this.request
        checkpoint = request.case.checkpoint or workspace.base
        if writable:
            checkpoint = await self._workspaces.commit(
                workspace,
                _message(end.outcome, this.stored.number),
                parent=workspace.base,
                name=f"turn-{request.turn}-{this.attempt.number}",
            )
        spent = await self._store.ledger.spent(request.case.id, request.turn)
        finished = FinishedTurn(
            turn=request.turn,
            attempt=this.attempt.number,
            role=request.role,
            task=request.task,
            outcome=end.outcome,
            checkpoint=Sha(checkpoint),
            session=this.attempt.session,
            calls=end.calls,
            cost_micros=spent.micros,
        )
        entry = TurnCompleted(
            turn=request.turn,
            attempt=this.attempt.number,
            role=request.role,
            task=request.task,
            status=end.outcome.status,
            summary=words.outcome_words(end.outcome),
            checkpoint=finished.checkpoint,
            calls=end.calls,
            cost_micros=spent.micros,
        )
        file = after_outcome(this.stored.file, request.role, end.outcome, request.case.attempt)
        if not await self._store.turns.complete(this.attempt, finished, file, entry):
            return TurnDied(reason="a newer attempt of this turn has taken over", passing=True)
        log.info("turn completed", status=end.outcome.status, commit=checkpoint, cost_micros=spent.micros)
        return _ended(finished)

    async def _give_up(self, this: _Try, reason: str) -> None:
        entry = TurnFailed(
            turn=this.request.turn,
            attempt=this.attempt.number,
            role=this.request.role,
            task=this.request.task,
            reason=reason,
        )
        await self._store.turns.fail(this.attempt, reason, entry)


def _ended(finished: FinishedTurn) -> TurnEnded:
    return TurnEnded(
        role=finished.role, outcome=finished.outcome, checkpoint=finished.checkpoint, session=finished.session
    )


def _message(outcome: Outcome, number: int) -> str:
    match outcome:
        case ImplementationOutcome():
            return words.commit_message(outcome.commit_message, number)
        case TestsOutcome():
            return f"Test for issue #{number}: {outcome.summary}"
        case _:
            return f"Checkpoint of issue #{number}"
