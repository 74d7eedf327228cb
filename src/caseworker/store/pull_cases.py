"""Pull cases: the rows from which their workflows start, and to which they save their snapshots."""

from collections.abc import Sequence

from sqlalchemy import or_, select, update

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, TraceId, pull_case
from caseworker.core.base.workflow_names import PullWork, WorkflowName
from caseworker.core.people.messages import Audience, NewMessage
from caseworker.core.pull.case import PullCase, PullState, new_pull_case
from caseworker.core.record.entries import CaseOpened, Entry
from caseworker.core.runs.pull_ends import run_end
from caseworker.core.runs.run import RunState
from caseworker.ports import NewPullCase, StoredPull
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.inbox import add_message
from caseworker.store.loaders import ALL, one_row, pull_of, rows_of
from caseworker.store.message_tables import threads
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, insert_or_stop, lock_case
from caseworker.store.run_tables import runs
from caseworker.store.runs import begin_run, end_runs
from caseworker.store.stored_snapshots import is_older, read_snapshot, replace_snapshot
from caseworker.store.tables import cases
from caseworker.store.threads import add_thread


class StoredPullCases(Port):
    async def open(self, new: NewPullCase, work: PullWork, first: NewMessage) -> bool:
        async with self._database.writing() as connection:
            return await open_pull_case(connection, new, work, first)

    async def start(self, message: NewMessage, work: PullWork) -> bool:
        async with self._database.writing() as connection:
            await lock_case(connection, message.case)
            known = await read_snapshot(connection, PullCase, message.case)
            if not await begin_session(connection, known, WorkflowName(work)):
                return False
            await add_message(connection, message)
        return True

    async def load(self, case: CaseId) -> StoredPull | None:
        async with self._database.reading() as connection:
            row = await one_row(connection, case, CaseKind.PULL)
        return None if row is None else pull_of(row)

    async def list(self) -> list[StoredPull]:
        async with self._database.reading() as connection:
            return [pull_of(row) for row in await rows_of(connection, CaseKind.PULL)]

    async def in_flight(
        self, surface: str, channel: str, *, commit: str | None = None, branch: str | None = None
    ) -> Sequence[StoredPull]:
        there = select(threads.c.case).where(threads.c.surface == surface, threads.c.channel == channel)
        open_ones = ALL.where(cases.c.kind == CaseKind.PULL, cases.c.state != PullState.ENDED, cases.c.id.in_(there))
        sight = cases.c.snapshot["sight"]  # asked in the database: each event of CI asks for one of perhaps hundreds
        if commit is not None:
            open_ones = open_ones.where(sight["head"].as_string() == commit)
        if branch is not None:
            named = [sight[name].as_string() == branch for name in ("head_branch", "base_branch")]
            open_ones = open_ones.where(or_(*named))
        async with self._database.reading() as connection:
            return [pull_of(row) for row in (await connection.execute(open_ones)).mappings()]

    async def save(
        self, after: PullCase, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None
    ) -> None:
        """Save the snapshot, unless the stored one is newer, the entries and the end of the run together."""
        async with self._database.writing() as connection:
            await lock_case(connection, after.id)
            await append_entries(connection, after.id, entries, trace=trace, key=key)
            known = await read_snapshot(connection, PullCase, after.id)
            if is_older(after, known):
                return
            await replace_snapshot(connection, after)
            if after.session.end is not None and known.session.end is None:  # saved again, it may have a new run
                await end_runs(connection, after.id, run_end(after.session.end), upto=after.session.first_turn)


async def open_pull_case(connection: Connection, new: NewPullCase, work: PullWork, first: NewMessage) -> bool:
    """In the caller's transaction. False: it was there already."""
    case = pull_case(new.repository, new.number)
    added = insert_or_stop(connection, cases).values(_values(case, new, work)).returning(cases.c.id)
    if await connection.scalar(added) is None:
        return False
    opened = CaseOpened(
        repository=new.repository,
        number=new.number,
        title=new.title,
        rehearsed=new.rehearsal is not None,
        is_pull_request=True,
    )
    await begin_run(connection, case, WorkflowName(work), turns_before=0)
    await append_entries(connection, case, [opened], trace=new.trace)
    if new.thread is not None:
        await add_thread(connection, case, Audience.DEVELOPERS, new.thread)
    await add_message(connection, first)
    return True


async def begin_session(connection: Connection, known: PullCase, workflow: WorkflowName) -> bool:
    """Begin a run, in the caller's transaction and with the case's lock. The run of a paused session ends. False: a run
    is in flight."""
    mine = (runs.c.case == known.id) & runs.c.ended_at.is_(None)
    if await connection.scalar(select(runs.c.id).where(mine)) is not None:
        if known.state is not PullState.PAUSED:
            return False
        await connection.execute(update(runs).where(mine).values(ended_as=RunState.INCOMPLETE, ended_at=now()))
    await begin_run(connection, known.id, workflow, turns_before=known.progress.turns)
    return True


def _values(case: CaseId, new: NewPullCase, work: PullWork) -> dict[str, object]:
    at, snapshot = now(), new_pull_case(case, work)
    return {
        "id": case,
        "kind": CaseKind.PULL,
        "repository": new.repository,
        "number": new.number,
        "title": new.title,
        "report": new.url,
        "reporter": new.author,
        "parent": new.parent,
        "state": snapshot.state,
        "over": False,
        "snapshot": snapshot.model_dump(mode="json"),
        "policy": new.policy.model_dump(mode="json"),
        "rehearsal": new.rehearsal,
        "trace": new.trace,
        "sequence": 0,
        "opened_at": at,
        "changed_at": at,
    }
