"""A turn of a bug case: the investigator reads and runs, hears people, and hands in what it found."""

import structlog
from temporalio import activity

from caseworker.activities.bug.brief import BugBriefing
from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.stored import claimed, stored_bug
from caseworker.activities.turn.attempts import SUPERSEDED, Attempts, Try
from caseworker.activities.turn.ear import OF_A_BUG, TurnEar
from caseworker.contract.activities import InvestigationActivities
from caseworker.contract.wire import BugTurnEnded, BugTurnReply, BugTurnRequest, TurnDied
from caseworker.core.base.ids import CaseId
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.decide import verdict_of
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.ports import AgentFinished, FinishedTurn, Store, StoredBug, Workspaces

log = structlog.get_logger()


class Investigating(InvestigationActivities):
    def __init__(self, *, store: Store, workspaces: Workspaces, attempts: Attempts, briefing: BugBriefing) -> None:
        self._store = store
        self._workspaces = workspaces
        self._attempts = attempts
        self._briefing = briefing

    @activity.defn
    async def run_investigation(self, request: BugTurnRequest) -> BugTurnReply:
        case = request.bug.id
        with refusals_told():
            stored = await stored_bug(self._store, case)
            this = await self._attempts.begin(case, request.turn, Role.INVESTIGATOR, Task.BUG, stored.trace)
        if isinstance(this, FinishedTurn):
            return await self._ended(case, this)
        return await self._attempts.told(this, lambda: self._attempt(this, request, stored))

    async def _attempt(self, this: Try, request: BugTurnRequest, stored: StoredBug) -> BugTurnReply:
        repository = await self._store.repositories.ref(stored.repository)
        workspace = await self._workspaces.prepare(this.case, repository, request.bug.progress.base)
        await self._workspaces.reset(workspace, workspace.base, scrub=this.attempt.number > 1)
        brief = await self._briefing.write(request, stored, this.attempt, workspace)
        ear = TurnEar(store=self._store, attempt=this.attempt, standings=OF_A_BUG)
        end = await self._attempts.run(this, brief, ear)
        if not isinstance(end, AgentFinished):
            return end
        finished, entry = await self._attempts.finished(this, end, workspace.base)
        if not await self._store.turns.complete(this.attempt, finished, None, entry):
            return TurnDied(reason=SUPERSEDED, passing=True)
        log.info("turn completed", action=end.outcome.status, cost_micros=finished.cost_micros)
        return await self._ended(this.case, finished)

    async def _ended(self, case: CaseId, finished: FinishedTurn) -> BugTurnEnded:
        assert isinstance(finished.outcome, BugOutcome)
        heard = [m for m in await self._store.inbox.of(case) if m.turn == finished.turn]
        return BugTurnEnded(
            verdict=verdict_of(finished.outcome),
            session=finished.session,
            heard=tuple(claimed(message) for message in heard),
        )
