"""A turn of an issue case is a transaction: it begins from checkpoint, session and messages, and commits all with its
outcome."""

import structlog
from temporalio import activity

from caseworker.activities.issue.brief import Briefing
from caseworker.activities.issue.investigation import Inquiring
from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.stored import stored_case
from caseworker.activities.turn.attempts import SUPERSEDED, Attempts, Try
from caseworker.activities.turn.capacity import Capacity
from caseworker.activities.turn.ear import OF_AN_ISSUE, TurnEar
from caseworker.contract.activities import TurnActivities
from caseworker.contract.wire import TurnDied, TurnReply, TurnRequest
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import MessageId, Sha
from caseworker.core.base.roles import Task
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.issue import words as issue_words
from caseworker.core.issue.case import cap_of
from caseworker.core.issue.facts import Deferred, TurnEnded
from caseworker.core.issue.turns import WRITERS
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.tester import TestsOutcome
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Posted
from caseworker.core.telling.commits import commit_message
from caseworker.ports import AgentFinished, FinishedTurn, Store, StoredCase, Workspace, Workspaces

log = structlog.get_logger()


class Turning(TurnActivities):
    def __init__(
        self,
        *,
        store: Store,
        workspaces: Workspaces,
        attempts: Attempts,
        briefing: Briefing,
        capacity: Capacity,
        inquiring: Inquiring,
    ) -> None:
        self._store = store
        self._workspaces = workspaces
        self._attempts = attempts
        self._briefing = briefing
        self._capacity = capacity
        self._inquiring = inquiring

    @activity.defn
    async def run_turn(self, request: TurnRequest) -> TurnReply:
        if request.task is not Task.DIAGNOSE or await self._is_finished(request):
            return await self._run(request)
        try:
            async with self._capacity.place(request.case.id, request.turn, wait=False) as free:
                return await self._run(request) if free else Deferred(reason=issue_words.deferred(self._capacity.most))
        except Transient as error:
            return TurnDied(reason=str(error), passing=True)

    async def _is_finished(self, request: TurnRequest) -> bool:
        return any(turn.turn == request.turn for turn in await self._store.turns.finished(request.case.id))

    async def _run(self, request: TurnRequest) -> TurnReply:
        with refusals_told():
            stored = await stored_case(self._store, request.case.id)
            this = await self._attempts.begin(request.case.id, request.turn, request.role, request.task, stored.trace)
        if isinstance(this, FinishedTurn):
            return _ended(this, await self._attempts.heard(request.case.id, request.turn))
        return await self._attempts.told(this, lambda: self._in_its_place(this, request, stored))

    async def _in_its_place(self, this: Try, request: TurnRequest, stored: StoredCase) -> TurnReply:
        """Only so many developers work at the same time: the next one waits here, before it touches anything."""
        if request.role not in WRITERS or request.task in (Task.ANSWER, Task.DIAGNOSE):
            return await self._attempt(this, request, stored)
        async with self._capacity.place(this.case, this.turn, wait=True, trace=this.trace):
            return await self._attempt(this, request, stored)

    async def _attempt(self, this: Try, request: TurnRequest, stored: StoredCase) -> TurnReply:
        ours = await self._fresh_workspace(this, request, stored)
        async with self._inquiring.place_to_work(request, ours) as workspace:
            return await self._work(this, request, stored, workspace)

    async def _work(self, this: Try, request: TurnRequest, stored: StoredCase, workspace: Workspace) -> TurnReply:
        brief = await self._briefing.write(request, stored, this.attempt, workspace)
        brief = self._inquiring.equipped(brief, this, request, workspace)
        ear = TurnEar(store=self._store, attempt=this.attempt, standings=OF_AN_ISSUE)
        end = await self._attempts.run(this, brief, ear)
        if not isinstance(end, AgentFinished):
            return end
        checkpoint = request.case.delivery.checkpoint or workspace.base
        if brief.writable:
            checkpoint = await self._workspaces.commit(
                workspace,
                _message(end.outcome, stored.number),
                parent=_parent(request, workspace),
                name=f"turn-{request.turn}-{this.attempt.number}",
            )
        else:
            self._workspaces.untouched(workspace)
        return await self._commit(this, request, end, Sha(checkpoint), workspace)

    async def _fresh_workspace(self, this: Try, request: TurnRequest, stored: StoredCase) -> Workspace:
        case = request.case
        repository = await self._store.repositories.ref(stored.repository)
        workspace = await self._workspaces.prepare(case.id, repository, case.delivery.base)
        # The first attempt follows a step that ended well; any other may find what a dead one left.
        await self._workspaces.reset(
            workspace, case.delivery.checkpoint or workspace.base, scrub=this.attempt.number > 1
        )
        return workspace

    async def _commit(
        self, this: Try, request: TurnRequest, end: AgentFinished, checkpoint: Sha, workspace: Workspace
    ) -> TurnReply:
        finished, entry = await self._attempts.finished(this, end, checkpoint)
        assert not isinstance(end.outcome, BugOutcome)  # it is parsed by role and task, and ours are an issue's
        stored = await stored_case(self._store, this.case)
        file = after_outcome(stored.file, this.role, end.outcome, request.case.limits.attempt)
        more = await self._inquiring.entries(request, workspace, finished)
        if not await self._store.turns.complete(this.attempt, finished, file, entry, *more):
            return TurnDied(reason=SUPERSEDED, passing=True)
        log.info("turn completed", status=end.outcome.status, commit=checkpoint, cost_micros=finished.cost_micros)
        await self._tell_if_money_runs_out(this, request)
        return _ended(finished, await self._attempts.heard(this.case, this.turn))

    async def _tell_if_money_runs_out(self, this: Try, request: TurnRequest) -> None:
        """Once for each budget, when four fifths of it are used."""
        cap = cap_of(request.case, request.policy)
        spent = (await self._store.ledger.spent(this.case)).micros
        if cap and spent >= cap * 4 // 5:
            told = Posted(audience=Audience.DEVELOPERS, about="budget", text=issue_words.budget_near(spent, cap))
            await self._store.record.append(this.case, [told], trace=this.trace, key=f"budget/{cap}")


def _ended(finished: FinishedTurn, heard: tuple[MessageId, ...] = ()) -> TurnEnded:
    assert not isinstance(finished.outcome, BugOutcome)
    return TurnEnded(
        role=finished.role,
        outcome=finished.outcome,
        checkpoint=finished.checkpoint,
        session=finished.session,
        heard=heard,
    )


def _parent(request: TurnRequest, workspace: Workspace) -> Sha:
    """One commit on the base; what was pushed stays, since a person may have built on it. Of a diagnostic only what it
    added itself counts."""
    if request.task is Task.DIAGNOSE:
        return request.case.delivery.checkpoint or workspace.base
    return request.case.delivery.pushed or workspace.base


def _message(outcome: Outcome, number: int) -> str:
    match outcome:
        case ImplementationOutcome():
            return commit_message(outcome.commit_message, number)
        case TestsOutcome():
            return f"Test for issue #{number}: {outcome.summary}"
        case _:
            return f"Checkpoint of issue #{number}"
