"""Runs one turn as a transaction, for every kind of case.

A turn begins from a checkpoint, a session and claimed messages, and commits files, session and outcome together. An
attempt that dies leaves only the note that it died. What differs between kinds is in three hooks: `brief`, `commit` and
`reply`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeVar

import structlog

from caseworker.activities.shared.attached_files import AttachedFiles, attachment_folder
from caseworker.activities.shared.context import beating, traced
from caseworker.activities.turn.attempts import Attempts, Try, why_stopped
from caseworker.activities.turn.capacity import Capacity
from caseworker.activities.turn.turn_messages import TurnEar
from caseworker.contract.wire import TurnDied
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.failed_steps import Deferred, TurnGaveUp
from caseworker.core.base.ids import CaseId, RepositoryId, Sha, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.model import CaseFile
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.entries import Entry
from caseworker.core.telling.capacity_words import deferred
from caseworker.ports import AgentFinished, Brief, FinishedTurn, Store, Workspace, Workspaces

log = structlog.get_logger()

SUPERSEDED: Final = "a newer attempt of this turn has taken over"

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class TurnOrder:
    """Which turn is to be run, from which commit, and under which rules."""

    case: CaseId
    turn: int
    role: Role
    task: Task
    trace: TraceId
    repository: RepositoryId
    base: Sha | None
    """Where the case's branch begins. None: the worktree's own base."""
    checkpoint: Sha | None
    """The commit of the last completed turn. None: the base."""
    hears: Set[Standing]
    """Standings of people whose messages reach the agent while it works."""
    needs_place: bool = False
    """Whether it waits for one of the places for developers."""
    side_tree: str = ""
    """The name of a tree of its own at the checkpoint, destroyed however the turn ends. Empty: the case's worktree."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is saved together with the outcome."""

    checkpoint: Sha
    file: CaseFile | None = None
    entries: Sequence[Entry] = ()
    outcome: Outcome | None = None
    """The outcome without what does not count. None: all of it counts."""


class TurnHooks(Protocol[R_co]):
    """What one kind of case adds to a turn."""

    async def brief(self, this: Try, workspace: Workspace) -> Brief:
        """What the agent is given."""

    async def commit(self, this: Try, outcome: Outcome, workspace: Workspace) -> Kept:
        """Commit the files, and return what else is to be saved. Nothing counts before the transaction saves it."""

    async def reply(self, finished: FinishedTurn, heard: Sequence[Message]) -> R_co:
        """What the flow is told. Called again for a turn that had completed before."""


class Transaction:
    def __init__(
        self, *, store: Store, workspaces: Workspaces, attempts: Attempts, capacity: Capacity, files: AttachedFiles
    ) -> None:
        self._files = files
        self._store = store
        self._workspaces = workspaces
        self._attempts = attempts
        self._capacity = capacity

    async def run(self, order: TurnOrder, hooks: TurnHooks[R]) -> R | TurnDied | TurnGaveUp:
        this = await self._attempts.begin(order.case, order.turn, order.role, order.task, order.trace)
        if isinstance(this, FinishedTurn):
            return await self._reply(order, hooks, this)
        return await self._record_failures(this, lambda: self._run_in_place(this, order, hooks))

    async def if_free(self, case: CaseId, turn: int, run: Callable[[], Awaitable[R]]) -> R | TurnDied | Deferred:
        """Run a turn only if a place for developers is free now. A completed turn needs none."""
        if any(done.turn == turn for done in await self._store.turns.finished(case)):
            return await run()
        try:
            async with self._capacity.place(case, turn, wait=False) as free:
                return await run() if free else Deferred(reason=deferred(self._capacity.most))
        except Transient as error:
            return TurnDied(reason=str(error), passing=True)

    async def _record_failures(self, this: Try, work: Callable[[], Awaitable[R]]) -> R | TurnDied | TurnGaveUp:
        """Hold the workspace during the work, and record whatever ends the attempt without an outcome."""
        with traced(this.trace, this.case, turn=this.turn, attempt=this.attempt.number, role=this.role.value):
            async with beating():
                try:
                    async with self._workspaces.hold(this.case):
                        return await work()
                except asyncio.CancelledError:
                    await asyncio.shield(self._attempts.fail(this, why_stopped()))
                    raise
                except (Transient, OSError) as error:
                    await self._attempts.fail(this, str(error))
                    return TurnDied(reason=str(error), passing=True)
                except Refused as error:
                    return await self._attempts.gave_up(this, str(error))

    async def _run_in_place(self, this: Try, order: TurnOrder, hooks: TurnHooks[R]) -> R | TurnDied | TurnGaveUp:
        """Wait for a place among the developers before anything is touched."""
        if not order.needs_place:
            return await self._run_in_tree(this, order, hooks)
        async with self._capacity.place(this.case, this.turn, wait=True, trace=this.trace):
            return await self._run_in_tree(this, order, hooks)

    async def _run_in_tree(self, this: Try, order: TurnOrder, hooks: TurnHooks[R]) -> R | TurnDied | TurnGaveUp:
        repository = await self._store.repositories.ref(order.repository)
        ours = await self._workspaces.prepare(order.case, repository, order.base)
        # The first attempt follows a step that ended well; later ones may find files that a dead attempt left.
        await self._workspaces.reset(ours, order.checkpoint or ours.base, scrub=this.attempt.number > 1)
        async with self._tree(order, ours) as workspace:
            return await self._work(this, order, hooks, workspace)

    @asynccontextmanager
    async def _tree(self, order: TurnOrder, ours: Workspace) -> AsyncIterator[Workspace]:
        if not order.side_tree:
            yield ours
            return
        tree = await self._workspaces.branch_off(ours, order.side_tree, order.checkpoint or ours.base)
        try:
            yield tree
        finally:
            await self._workspaces.drop(tree)

    async def _work(
        self, this: Try, order: TurnOrder, hooks: TurnHooks[R], workspace: Workspace
    ) -> R | TurnDied | TurnGaveUp:
        brief = await hooks.brief(this, workspace)
        folder = attachment_folder(workspace)
        ear = TurnEar(
            store=self._store,
            attempt=this.attempt,
            standings=order.hears,
            attached=self._files,
            folder=folder if folder in brief.tree.read_only else None,
        )
        end = await self._attempts.run(this, brief, ear)
        if not isinstance(end, AgentFinished):
            return end
        kept = await hooks.commit(this, end.outcome, workspace)
        end = replace(end, outcome=kept.outcome or end.outcome)
        finished, entry = await self._attempts.finished(this, end, kept.checkpoint)
        if not await self._store.turns.complete(this.attempt, finished, kept.file, entry, *kept.entries):
            return TurnDied(reason=SUPERSEDED, passing=True)
        status, cost = end.outcome.status, finished.cost_micros
        log.info("turn completed", status=status, commit=kept.checkpoint, cost_micros=cost)
        return await self._reply(order, hooks, finished)

    async def _reply(self, order: TurnOrder, hooks: TurnHooks[R], finished: FinishedTurn) -> R:
        """The reply includes all messages the turn was given, before it began and while it worked, also those given to
        an attempt that died."""
        messages = await self._store.inbox.of(order.case)
        return await hooks.reply(finished, [message for message in messages if message.turn == order.turn])
