"""Runs turns of a bug case: the investigator reads files, runs commands, hears people and reports its findings."""

from collections.abc import Sequence
from dataclasses import dataclass

from temporalio import activity

from caseworker.activities.bug.brief import BugBriefs
from caseworker.activities.shared.context import attempts_told
from caseworker.activities.shared.load_case import claimed, stored_bug
from caseworker.activities.turn.attempts import Try
from caseworker.activities.turn.transaction import Kept, Transaction, TurnOrder
from caseworker.activities.turn.turn_messages import OF_A_BUG
from caseworker.contract.activities import InvestigationActivities
from caseworker.contract.wire import BugTurnEnded, BugTurnReply, BugTurnRequest
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.turns import answer_of
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Message
from caseworker.ports import BugBrief, FinishedTurn, Store, StoredBug, Workspace


class BugTurns(InvestigationActivities):
    def __init__(self, *, store: Store, transaction: Transaction, briefs: BugBriefs) -> None:
        self._store = store
        self._transaction = transaction
        self._briefs = briefs

    @activity.defn
    async def run_investigation(self, request: BugTurnRequest) -> BugTurnReply:
        with attempts_told():
            stored = await stored_bug(self._store, request.bug.id)
            turn = BugTurn(briefs=self._briefs, request=request, stored=stored)
            return await self._transaction.run(_order(request, stored), turn)


@dataclass(frozen=True, kw_only=True)
class BugTurn:
    """The hooks of one turn of a bug case."""

    briefs: BugBriefs
    request: BugTurnRequest
    stored: StoredBug

    async def brief(self, this: Try, workspace: Workspace) -> BugBrief:
        return await self.briefs.write(self.request, self.stored, this.attempt, workspace)

    async def commit(self, this: Try, outcome: Outcome, workspace: Workspace) -> Kept:
        """An investigator changes no files: the next turn begins from the base as well."""
        return Kept(checkpoint=workspace.base)

    async def reply(self, finished: FinishedTurn, heard: Sequence[Message]) -> BugTurnEnded:
        assert isinstance(finished.outcome, BugOutcome)  # outcomes are parsed by role and task
        return BugTurnEnded(
            answer=answer_of(finished.outcome),
            session=finished.session,
            heard=tuple(claimed(message) for message in heard),
            spent_micros=await self.briefs.spent(self.request.bug.id),
        )


def _order(request: BugTurnRequest, stored: StoredBug) -> TurnOrder:
    return TurnOrder(
        case=request.bug.id,
        turn=request.turn,
        role=Role.INVESTIGATOR,
        task=Task.BUG,
        trace=stored.trace,
        repository=stored.repository,
        base=request.bug.progress.base,
        checkpoint=None,
        hears=OF_A_BUG,
    )
