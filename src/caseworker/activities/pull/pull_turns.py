"""Runs the turns of a pull case: the tech lead reviews the whole change, the developer answers and repairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from temporalio import activity

from caseworker.activities.pull.pull_brief import PullBriefs, PullMaterial, may_write, open_conflict
from caseworker.activities.pull.reproductions import Reproductions
from caseworker.activities.shared.context import attempts_told
from caseworker.activities.shared.load_case import stored_pull
from caseworker.activities.turn.attempts import Try
from caseworker.activities.turn.transaction import Kept, Transaction, TurnOrder
from caseworker.activities.turn.turn_messages import OF_AN_ISSUE
from caseworker.contract.pull_activities import PullTurnActivities
from caseworker.contract.wire import PullTurnReply, PullTurnRequest
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
from caseworker.core.people.messages import Message
from caseworker.core.pull.branch_updates import Conflict, Updated
from caseworker.core.pull.findings import sort_findings
from caseworker.core.pull.pull_events import PullTurnEnded
from caseworker.core.record.pull_entries import TurnGiven
from caseworker.core.telling.commit_messages import pull_commit_message
from caseworker.ports import FinishedTurn, PullBrief, Store, StoredPull, Workspace, Workspaces
from caseworker.ports.pull_branches import PullBranches, PullPlace, PullTree


@dataclass(frozen=True, kw_only=True)
class PullTurnParts:
    """What the hooks of a pull case's turn work with."""

    store: Store
    workspaces: Workspaces
    branches: PullBranches
    briefs: PullBriefs
    reproductions: Reproductions


class PullTurns(PullTurnActivities):
    def __init__(self, *, transaction: Transaction, parts: PullTurnParts) -> None:
        self._transaction = transaction
        self._parts = parts

    @activity.defn
    async def run_pull_turn(self, request: PullTurnRequest) -> PullTurnReply:
        with attempts_told():
            stored = await stored_pull(self._parts.store, request.case.id)
            turn = PullTurn(parts=self._parts, request=request, stored=stored)
            return await self._transaction.run(_order(request, stored), turn)


@dataclass(kw_only=True)
class PullTurn:
    """The hooks of one turn of a pull case."""

    parts: PullTurnParts
    request: PullTurnRequest
    stored: StoredPull
    material: PullMaterial = field(default_factory=PullMaterial)
    """What the brief was made from: known from then on."""

    async def brief(self, this: Try, workspace: Workspace) -> PullBrief:
        brief, self.material = await self.parts.briefs.write(self.request, self.stored, this.attempt, workspace)
        return brief

    async def commit(self, this: Try, outcome: Outcome, workspace: Workspace) -> Kept:
        given = TurnGiven(turn=this.turn, threads=list(self.material.given))
        if isinstance(outcome, PullReviewOutcome):
            return await self._keep_review(outcome, workspace, given)
        assert isinstance(outcome, PullResolveOutcome)  # outcomes are parsed by role and task
        if not may_write(self.request):
            self.parts.workspaces.untouched(workspace)
            return Kept(checkpoint=self._start, entries=[given])
        conflict = open_conflict(self.request.case)
        if conflict is not None:
            return Kept(checkpoint=await self._solve(this, outcome, workspace, conflict), entries=[given])
        parent, message = await self._parent()
        checkpoint = await self.parts.workspaces.commit(
            workspace,
            pull_commit_message(outcome.commit_message or message, self._plain_message),
            parent=parent,
            name=_name(this),
        )
        return Kept(checkpoint=checkpoint, entries=[given.model_copy(update={"parent": parent})])

    async def reply(self, finished: FinishedTurn, heard: Sequence[Message]) -> PullTurnEnded:
        outcome = finished.outcome
        assert isinstance(outcome, PullReviewOutcome | PullResolveOutcome)
        resolved = outcome if isinstance(outcome, PullResolveOutcome) else None
        return PullTurnEnded(
            role=finished.role,
            task=finished.task,
            status=outcome.status,
            checkpoint=finished.checkpoint,
            session=finished.session,
            heard=tuple(message.id for message in heard),
            spent_micros=(await self.parts.store.ledger.spent(self.request.case.id)).micros,
            posts=bool(outcome.findings if isinstance(outcome, PullReviewOutcome) else outcome.threads),
            replies=resolved is not None and bool(resolved.reply.strip()),
        )

    async def _keep_review(self, outcome: PullReviewOutcome, workspace: Workspace, given: TurnGiven) -> Kept:
        """Commands of findings are run here: it takes long, and a repeated step must not get another result."""
        new = sort_findings(outcome.findings, self.material.talk.threads, self.material.rules).new
        found = await self.parts.reproductions.run(workspace, self._start, new)
        if not found:
            self.parts.workspaces.untouched(workspace)
        return Kept(checkpoint=self._start, entries=[given.model_copy(update={"reproductions": found})])

    async def _solve(self, this: Try, outcome: PullResolveOutcome, workspace: Workspace, conflict: Conflict) -> Sha:
        """Commits the solved conflict with both parents. If the turn was blocked, returns the old head."""
        if outcome.status == "BLOCKED":
            return conflict.head
        case = self.request.case
        message = pull_commit_message(
            outcome.commit_message, f"Merge {case.sight.base_branch} into {case.sight.head_branch}"
        )
        solved = await self.parts.workspaces.commit(workspace, message, parent=conflict.prepared, name=_name(this))
        place = PullPlace(
            repository=await self.parts.store.repositories.ref(self.stored.repository),
            number=self.stored.number,
            branch=case.sight.head_branch,
            base_branch=case.sight.base_branch,
            is_fork=case.sight.is_fork,
        )
        pushed = frozenset(case.watch.pushed)
        tree = PullTree(place=place, workspace=workspace, head=conflict.head, base=conflict.base, pushed=pushed)
        finished = await self.parts.branches.finish_conflict(tree, conflict, solved, message=message)
        if not isinstance(finished, Updated):
            raise Refused(f"The conflict is not solved: {finished.kind.replace('_', ' ')}.")
        return finished.commit

    async def _parent(self) -> tuple[Sha, str]:
        """The parent of the turn's commit, and the message of the commit that it replaces.

        An unpushed commit of an earlier turn is replaced, so that a repaired change is one commit.
        """
        before = next(
            (
                one
                for one in await self.parts.store.turns.finished(self.stored.case.id)
                if one.checkpoint == self._start
            ),
            None,
        )
        if before is None or not isinstance(before.outcome, PullResolveOutcome):
            return self._start, ""
        entries = [one.entry for one in await self.parts.store.record.whole(self.stored.case.id, kinds={"turn_given"})]
        given = [one for one in entries if isinstance(one, TurnGiven) and one.turn == before.turn]
        parent = given[-1].parent if given else None
        is_ours = parent is not None and self.request.case.work.checkpoint == self._start
        return (parent, before.outcome.commit_message) if parent is not None and is_ours else (self._start, "")

    @property
    def _start(self) -> Sha:
        assert self.request.case.commit is not None, "a turn follows a look"
        return self.request.case.commit

    @property
    def _plain_message(self) -> str:
        return f"Answer the review of pull request {self.stored.number}"


def _name(this: Try) -> str:
    return f"turn-{this.turn}-{this.attempt.number}"


def _order(request: PullTurnRequest, stored: StoredPull) -> TurnOrder:
    return TurnOrder(
        case=request.case.id,
        turn=request.turn,
        role=request.role,
        task=request.task,
        trace=stored.trace,
        repository=stored.repository,
        base=request.case.work.base,
        checkpoint=request.case.commit,
        hears=OF_AN_ISSUE,
        needs_place=may_write(request),
    )
