"""Works on the branch of a pull request: checks it out, brings its base in, pushes. Git does it, no agent."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from temporalio import activity

from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.activities.pull.pull_steps import run_step
from caseworker.activities.shared.missing_parts_note import note_missing_parts
from caseworker.contract.wire import KeepReply, PreparedReply, PublishReply, PullRequestWork, UpdateReply
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.pull.approvals import voided_by_push
from caseworker.core.pull.branch_plan import BranchPlan, branch_facts, plan_branch
from caseworker.core.pull.branch_updates import AlreadyInBase, Conflict, Updated, UpdateResult, UpToDate
from caseworker.core.pull.case import PullCase
from caseworker.core.pull.pull_events import BranchUpdated, HeadMoved, Published, PullPrepared, PushWithheld, WorkKept
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.core.record.pull_entries import PullPublished, UnpushedKept
from caseworker.ports import StoredPull
from caseworker.ports.forges import BranchIsTheirs
from caseworker.ports.pull_branches import PullTree


class WordsSaid(Protocol):
    """What was posted in threads."""

    @property
    def threads(self) -> Sequence[str]: ...
    @property
    def resolved(self) -> int: ...


class PullWords(Protocol):
    async def publish_words(self, stored: StoredPull, case: PullCase, turn: int, commit: Sha | None) -> WordsSaid:
        """Post the findings or replies of a turn, each once. `commit`: what was pushed for them."""


class PullBranchWork:
    def __init__(self, ports: PullPorts, words: PullWords) -> None:
        self._ports = ports
        self._words = words

    @activity.defn
    async def prepare_pull(self, request: PullRequestWork) -> PreparedReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._prepare(request, stored))

    @activity.defn
    async def bring_base_in(self, request: PullRequestWork) -> UpdateReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._update(request, stored))

    @activity.defn
    async def publish(self, request: PullRequestWork) -> PublishReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._publish(request, stored))

    @activity.defn
    async def keep_work(self, request: PullRequestWork) -> KeepReply:
        return await run_step(self._ports.store, request.case.id, lambda stored: self._keep(request, stored))

    async def _prepare(self, request: PullRequestWork, stored: StoredPull) -> PullPrepared | HeadMoved:
        case = request.case
        facts = await self._ports.look(stored)
        if facts.subject.head != case.sight.head:
            return HeadMoved(head=facts.subject.head)
        async with self._ports.workspaces.hold(case.id):
            tree = await self._tree(case, stored)
            return PullPrepared(base=tree.merge_base)

    async def _tree(self, case: PullCase, stored: StoredPull) -> PullTree:
        place = await self._ports.place(stored, case)
        head = case.work.started_from or case.sight.head
        tree = await self._ports.branches.checkout(case.id, place, head=head, pushed=case.watch.pushed)
        await note_missing_parts(self._ports.store, self._ports.workspaces, tree.workspace, stored.trace)
        return tree

    async def _update(self, request: PullRequestWork, stored: StoredPull) -> BranchUpdated | HeadMoved:
        case = request.case
        facts = await self._ports.look(stored)
        if facts.subject.head != case.sight.head:
            return HeadMoved(head=facts.subject.head)
        async with self._ports.workspaces.hold(case.id):
            tree = await self._tree(case, stored)
            return await self._updated(case, facts, tree)

    async def _updated(self, case: PullCase, facts: PullFacts, tree: PullTree) -> BranchUpdated:
        branches = self._ports.branches
        commits = await branches.commits_of(tree)
        plan = plan_branch(branch_facts(facts, commits, owner_asked=case.people.asked_update is not None))
        message = f"Merge {tree.place.base_branch} into {tree.place.branch}"
        match plan:
            case BranchPlan.LEAVE_ALONE:
                return BranchUpdated(how="left_alone", base=tree.merge_base)
            case BranchPlan.ASK_CONTRIBUTOR:
                return BranchUpdated(how="ask_contributor", base=tree.merge_base)
            case BranchPlan.REBASE:
                rebased = await branches.rebase(tree)
                if isinstance(rebased, Conflict):  # one merge shows all conflicts at once
                    return _told(await branches.merge_in(tree, message=message), tree, how="merged")
                return _told(rebased, tree, how="rebased")
            case BranchPlan.MERGE_IN:
                return _told(await branches.merge_in(tree, message=message), tree, how="merged")

    async def _publish(self, request: PullRequestWork, stored: StoredPull) -> Published | HeadMoved | PushWithheld:
        case = request.case
        pushed = await self._push_work(case, stored) if case.is_to_be_pushed else Published(at=datetime.now(UTC))
        if isinstance(pushed, HeadMoved | PushWithheld):
            return pushed
        threads: Sequence[str] = ()
        resolved = 0
        if case.work.answer_turn is not None:
            said = await self._words.publish_words(stored, case, case.work.answer_turn, pushed.commit)
            threads, resolved = said.threads, said.resolved
        entry = PullPublished(
            turn=case.work.answer_turn or 0,
            commit=pushed.commit,
            voided=list(pushed.voided),
            threads=list(threads)[:100],
            resolved=resolved,
        )
        key = f"published/{case.progress.transitions}"
        await self._ports.store.record.append(case.id, [entry], trace=stored.trace, key=key)
        return pushed.model_copy(update={"at": datetime.now(UTC)})

    async def _keep(self, request: PullRequestWork, stored: StoredPull) -> WorkKept:
        case, rest = request.case, request.case.rest
        assert rest.unpushed is not None, "it is to be kept"
        assert rest.unpushed_base is not None, "a turn begins after a checkout"
        facts = await self._ports.look(stored)
        if facts.subject.head == rest.unpushed:  # the session stopped while it was pushed
            return WorkKept(commits=await self._own_commits(case, stored, rest.unpushed))
        place = await self._ports.place(stored, case)
        async with self._ports.workspaces.hold(case.id):
            branch = await self._ports.branches.keep(case.id, place, rest.unpushed, since=rest.unpushed_base)
        entry = UnpushedKept(commit=rest.unpushed, branch=branch)
        key = f"kept/{rest.unpushed}"
        await self._ports.store.record.append(case.id, [entry], trace=stored.trace, key=key)
        return WorkKept(branch=branch)

    async def _own_commits(self, case: PullCase, stored: StoredPull, head: Sha) -> tuple[Sha, ...]:
        """Commits of ours on the branch, which is at `head`."""
        place = await self._ports.place(stored, case)
        async with self._ports.workspaces.hold(case.id):
            tree = await self._ports.branches.checkout(case.id, place, head=head, pushed=case.watch.pushed)
            return tuple(one.sha for one in await self._ports.branches.commits_of(tree) if one.is_ours)

    async def _push_work(self, case: PullCase, stored: StoredPull) -> Published | HeadMoved | PushWithheld:
        """A repeated call finds the commit on the branch."""
        commit = case.work.checkpoint
        assert commit is not None, "it is to be pushed"
        facts = await self._ports.look(stored)
        if facts.subject.head not in (case.work.started_from, commit):
            return HeadMoved(head=facts.subject.head)
        if facts.subject.head != commit and (facts.subject.state != "open" or facts.decided is not None):
            return PushWithheld()
        voided = tuple(one.by for one in voided_by_push(facts, changes_diff=case.changes_diff))
        if facts.subject.head == commit:  # an earlier try, whose answer was lost
            commits, same = await self._own_commits(case, stored, commit), False
        else:
            moved = await self._push(case, stored, commit)
            if isinstance(moved, HeadMoved):
                return moved
            commits, same = moved
        at = datetime.now(UTC)
        commits = tuple(dict.fromkeys((*commits, commit)))  # its tip may be the copy of a person's commit
        return Published(commit=commit, commits=commits, at=at, voided=voided, same_change=same)

    async def _push(self, case: PullCase, stored: StoredPull, commit: Sha) -> tuple[tuple[Sha, ...], bool] | HeadMoved:
        async with self._ports.workspaces.hold(case.id):
            tree = await self._tree(case, stored)
            try:
                ours = await self._ports.branches.push(tree, commit, copies=case.people.asked_update is not None)
            except BranchIsTheirs:
                return HeadMoved(head=(await self._ports.look(stored)).subject.head)
            same = False
            if case.work.answer_turn is None:
                new_base = case.work.base or tree.merge_base
                same = await self._ports.branches.same_change(
                    tree, old_base=tree.merge_base, old_head=tree.head, new_base=new_base, new_head=commit
                )
        return tuple(one.sha for one in ours), same


def _told(result: UpdateResult, tree: PullTree, *, how: str) -> BranchUpdated:
    match result:
        case Updated():
            is_rebase = how == "rebased"
            return BranchUpdated(how="rebased" if is_rebase else "merged", commit=result.commit, base=result.base)
        case Conflict():
            return BranchUpdated(how="conflict", conflict=result, base=result.base)
        case UpToDate():
            return BranchUpdated(how="left_alone", base=tree.merge_base)
        case AlreadyInBase():
            raise Refused("The base has every change of this branch already: nothing would be left to merge.")
