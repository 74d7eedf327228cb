"""Pushes a case's branch. People push to it as well: our work is merged with theirs and never overwrites it."""

from dataclasses import dataclass

from caseworker.contract.wire import PushRequest
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import BranchMoved
from caseworker.core.record.entries import BranchPushed, Noted
from caseworker.core.telling.commit_messages import merge_message, taken_in
from caseworker.ports import BranchIsTheirs, Forge, Store, StoredCase, Workspace, Workspaces

_MOST_CONFLICTS = 100
"""At most so many conflicting files are named, because the names travel through the workflow's history."""


@dataclass(frozen=True, kw_only=True)
class _BranchState:
    """The branch as it is now, and as we last knew it."""

    repository: RepositoryRef
    workspace: Workspace
    head: Sha | None
    known: frozenset[Sha]
    """Commits where we left the branch or last took in people's work. Empty: we never pushed it."""
    since: Sha | None
    """The newest of these: the common start of our work and of what a person has pushed since."""

    @property
    def is_theirs(self) -> bool:
        return self.head is not None and bool(self.known) and self.head not in self.known


class Branches:
    def __init__(self, *, store: Store, workspaces: Workspaces, forge: Forge) -> None:
        self._store = store
        self._workspaces = workspaces
        self._forge = forge

    async def adopt(self, request: PushRequest, stored: StoredCase) -> BranchMoved | None:
        """Merge what people have pushed. None: nobody has pushed since, or the branch is gone."""
        look = await self._look(request, stored)
        if look.head == request.commit or not (look.is_theirs or await self._is_from_takeover(request, look)):
            return None
        return await self._join(request, stored, look)

    async def _is_from_takeover(self, request: PushRequest, look: _BranchState) -> bool:
        """Whether we never pushed, and the person who had taken the case over began its branch at the case's base."""
        case = request.case
        if (
            not case.people.handed_back
            or case.delivery.base is None
            or look.known
            or look.head in (None, case.delivery.base)
        ):
            return False
        assert look.head is not None
        return await self._workspaces.contains(look.workspace, look.head, case.delivery.base)

    async def push(self, request: PushRequest, stored: StoredCase) -> BranchMoved | None:
        """Push the commit. None: the branch has it, perhaps from an earlier try whose result we did not hear. Otherwise
        somebody has pushed, and the merged commit must be built and tested first."""
        look = await self._look(request, stored)
        if look.head == request.commit:
            return None
        if look.is_theirs or await self._is_on_top_of_ours(request, look):
            return await self._join(request, stored, look)
        try:
            await self._forge.source.push(
                look.repository,
                look.workspace,
                request.commit,
                branch=request.case.branch,
                # A branch that we never pushed belongs to somebody else, whatever it contains: the forge refuses.
                expected=look.head if look.known else None,
            )
        except BranchIsTheirs:
            if not look.known:
                raise
            return await self._join_newer_push(request, stored)
        return None

    async def message_of(self, request: PushRequest, stored: StoredCase) -> str:
        """The message of the commit that is pushed."""
        repository = await self._store.repositories.ref(stored.repository)
        workspace = await self._workspaces.prepare(request.case.id, repository, request.case.delivery.base)
        return await self._workspaces.message(workspace, request.commit)

    async def _join_newer_push(self, request: PushRequest, stored: StoredCase) -> BranchMoved:
        """Merge after a refused push: somebody pushed after our look, or our commit lacks an earlier push of theirs."""
        look = await self._look(request, stored)
        if look.head is None or look.head == request.commit:
            raise Transient(f"{request.case.branch} moved while it was pushed.")
        return await self._join(request, stored, look)

    async def _look(self, request: PushRequest, stored: StoredCase) -> _BranchState:
        case = request.case
        repository = await self._store.repositories.ref(stored.repository)
        workspace = await self._workspaces.prepare(case.id, repository, case.delivery.base)
        head = await self._forge.source.fetch_branch(repository, workspace, branch=case.branch)
        pushed = await self._pushed_by_us(case) or await self._pushed_without_record(case, head)
        known = frozenset({*pushed[-1:], *([case.delivery.pushed] if case.delivery.pushed else [])})
        since = await self._newest_known(workspace, case, pushed)
        return _BranchState(repository=repository, workspace=workspace, head=head, known=known, since=since)

    async def _pushed_by_us(self, case: IssueCase) -> list[Sha]:
        """Oldest first. Read from the record, because the case knows only the pushes that led to a pull request."""
        entries = [recorded.entry for recorded in await self._store.record.whole(case.id, ["branch_pushed"])]
        return [entry.commit for entry in entries if isinstance(entry, BranchPushed) and entry.branch == case.branch]

    async def _pushed_without_record(self, case: IssueCase, head: Sha | None) -> list[Sha]:
        """The head, if it is the work of one of our turns: we pushed it and were stopped before that was recorded."""
        if head is None or head == case.delivery.base:
            return []
        return [head] if any(turn.checkpoint == head for turn in await self._store.turns.finished(case.id)) else []

    async def _newest_known(self, workspace: Workspace, case: IssueCase, pushed: list[Sha]) -> Sha | None:
        if not pushed or case.delivery.pushed is None:
            return pushed[-1] if pushed else case.delivery.pushed
        if case.delivery.pushed in pushed or await self._workspaces.contains(
            workspace, pushed[-1], case.delivery.pushed
        ):
            return pushed[-1]
        return case.delivery.pushed  # a person's commit, merged since

    async def _is_on_top_of_ours(self, request: PushRequest, look: _BranchState) -> bool:
        """Whether we pushed, died before recording it, and a person has continued from there."""
        if look.known or look.head is None:
            return False
        return await self._workspaces.contains(look.workspace, look.head, request.commit)

    async def _join(self, request: PushRequest, stored: StoredCase, look: _BranchState) -> BranchMoved:
        case, theirs = request.case, look.head
        assert theirs is not None
        async with self._workspaces.hold(case.id):
            joined = await self._workspaces.merge(
                look.workspace, request.commit, theirs, since=look.since, message=merge_message(case.branch)
            )
        moved = BranchMoved(theirs=theirs, commit=joined.commit, conflict=joined.conflict[:_MOST_CONFLICTS])
        note = Noted(text=taken_in(case.branch, theirs, moved.conflict))
        key = f"taken in/{theirs}/{request.commit}"
        await self._store.record.append(case.id, [note], trace=stored.trace, key=key)
        return moved
