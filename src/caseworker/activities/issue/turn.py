"""Runs turns of an issue case: a role works in the case's tree, and its files and outcome are saved together."""

from collections.abc import Sequence
from dataclasses import dataclass

from temporalio import activity

from caseworker.activities.issue.brief import IssueBriefs
from caseworker.activities.issue.claims_check import ClaimsCheck
from caseworker.activities.issue.defect_places import without_false_place
from caseworker.activities.issue.developer_changes import developer_changes
from caseworker.activities.issue.investigation import InvestigationTurns
from caseworker.activities.issue.recollection import said_to_writer
from caseworker.activities.shared.context import attempts_told
from caseworker.activities.shared.load_case import stored_case
from caseworker.activities.turn.attempts import Try
from caseworker.activities.turn.transaction import Kept, Transaction, TurnOrder
from caseworker.activities.turn.turn_messages import OF_AN_ISSUE
from caseworker.agents.role_tools import writes
from caseworker.contract.activities import TurnActivities
from caseworker.contract.wire import TurnReply, TurnRequest
from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Task
from caseworker.core.casefile.model import IssueSection
from caseworker.core.casefile.new_attempts import writer_feedback
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.issue.facts import TurnEnded
from caseworker.core.issue.turns import WRITERS
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
from caseworker.core.outcomes.tester import TestsOutcome
from caseworker.core.people.messages import Message
from caseworker.core.telling.commit_messages import commit_message
from caseworker.ports import FinishedTurn, IssueBrief, Store, StoredCase, Workspace, Workspaces


@dataclass(frozen=True, kw_only=True)
class IssueTurnParts:
    """What the hooks of an issue's turn work with."""

    store: Store
    workspaces: Workspaces
    briefs: IssueBriefs
    investigation: InvestigationTurns


class IssueTurns(TurnActivities):
    def __init__(self, *, transaction: Transaction, parts: IssueTurnParts) -> None:
        self._transaction = transaction
        self._parts = parts

    @activity.defn
    async def run_turn(self, request: TurnRequest) -> TurnReply:
        with attempts_told():
            if request.task is not Task.DIAGNOSTIC:
                return await self._run(request)
            return await self._transaction.if_free(request.case.id, request.turn, lambda: self._run(request))

    async def _run(self, request: TurnRequest) -> TurnReply:
        stored = await stored_case(self._parts.store, request.case.id)
        turn = IssueTurn(parts=self._parts, request=request, stored=stored)
        return await self._transaction.run(_order(request, stored), turn)


@dataclass(frozen=True, kw_only=True)
class IssueTurn:
    """The hooks of one turn of an issue case."""

    parts: IssueTurnParts
    request: TurnRequest
    stored: StoredCase

    async def brief(self, this: Try, workspace: Workspace) -> IssueBrief:
        brief = await self.parts.briefs.write(self.request, self.stored, this.attempt, workspace)
        return self.parts.investigation.with_tools(brief, this, self.request, workspace)

    async def commit(self, this: Try, outcome: Outcome, workspace: Workspace) -> Kept:
        outcome, notes = await without_false_place(self.parts.workspaces, workspace, outcome)
        assert not isinstance(outcome, BugOutcome | PullReviewOutcome | PullResolveOutcome)  # parsed by role and task
        checkpoint = await self._checkpoint(this, outcome, workspace)
        stored = await stored_case(self.parts.store, this.case)
        before = self.request.case.delivery.checkpoint or workspace.base
        claims = ClaimsCheck(store=self.parts.store, workspaces=self.parts.workspaces)
        unseen = await claims.entries(this, outcome, workspace, before, checkpoint)
        return Kept(
            checkpoint=checkpoint,
            file=after_outcome(
                stored.file, this.role, outcome, self.request.case.limits.attempt, await self._given(this, outcome)
            ),
            entries=[*notes, *unseen, *await self.parts.investigation.entries(this, self.request, outcome, workspace)],
            outcome=outcome,
        )

    async def _given(self, this: Try, outcome: Outcome) -> str | None:
        """The feedback that a developer's turn was given, also by people while it ran."""
        if not isinstance(outcome, ImplementationOutcome):
            return None
        case = self.request.case
        written = developer_changes(await self.parts.store.turns.finished(case.id))
        since = written[-1].turn if written else this.turn - 1
        messages = await self.parts.store.inbox.of(case.id)
        said = said_to_writer(messages, case.people.remarks, since=since, turn=this.turn)
        return writer_feedback(case.evidence.feedback, said)

    async def reply(self, finished: FinishedTurn, heard: Sequence[Message]) -> TurnEnded:
        assert not isinstance(finished.outcome, BugOutcome | PullReviewOutcome | PullResolveOutcome)
        return TurnEnded(
            role=finished.role,
            outcome=finished.outcome,
            checkpoint=finished.checkpoint,
            session=finished.session,
            heard=tuple(message.id for message in heard),
            spent_micros=(await self.parts.store.ledger.spent(self.request.case.id)).micros,
        )

    async def _checkpoint(self, this: Try, outcome: Outcome, workspace: Workspace) -> Sha:
        if not writes(this.role, this.task):
            self.parts.workspaces.untouched(workspace)
            return self.request.case.delivery.checkpoint or workspace.base
        parent = _commit_parent(self.request, workspace)
        return await self.parts.workspaces.commit(
            workspace,
            await self._commit_message(outcome, workspace, parent),
            parent=parent,
            name=f"turn-{this.turn}-{this.attempt.number}",
        )

    async def _commit_message(self, outcome: Outcome, workspace: Workspace, parent: Sha) -> str:
        """The commit holds all work since its parent: a tester who corrects a test keeps the developer's message."""
        if isinstance(outcome, TestsOutcome):
            written = developer_changes(await self.parts.store.turns.finished(self.request.case.id))
            if written and not await self.parts.workspaces.contains(workspace, parent, written[-1].checkpoint):
                return commit_message(written[-1].outcome.commit_message, self.stored.file.issue)
        return _commit_subject(outcome, self.stored.file.issue)


def _order(request: TurnRequest, stored: StoredCase) -> TurnOrder:
    case, task = request.case, request.task
    return TurnOrder(
        case=case.id,
        turn=request.turn,
        role=request.role,
        task=task,
        trace=stored.trace,
        repository=stored.repository,
        base=case.delivery.base,
        checkpoint=case.delivery.checkpoint,
        hears=OF_AN_ISSUE,
        # A diagnostic has its place already: it runs only if one is free, and doesn't wait.
        needs_place=request.role in WRITERS and task not in (Task.ANSWER, Task.DIAGNOSTIC),
        side_tree=f"diagnostic-{request.turn}" if task is Task.DIAGNOSTIC else "",
    )


def _commit_parent(request: TurnRequest, workspace: Workspace) -> Sha:
    """The parent of the turn's commit: the pushed commit, since a person may have built on it, or the base. A
    diagnostic commits on top of the checkpoint, so that its commit holds only what it added."""
    if request.task is Task.DIAGNOSTIC:
        return request.case.delivery.checkpoint or workspace.base
    return request.case.delivery.pushed or workspace.base


def _commit_subject(outcome: Outcome, issue: IssueSection) -> str:
    match outcome:
        case ImplementationOutcome():
            return commit_message(outcome.commit_message, issue)
        case TestsOutcome():
            return f"Test: {outcome.summary}"
        case _:
            return "Checkpoint"
