"""Runs that people asked for on a forge: inserted with the message that starts them, so that none begins twice."""

from sqlalchemy import ColumnElement, Select, insert, select, update

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Defect, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import PullWork, WorkflowName
from caseworker.core.issue.case import IssueCase
from caseworker.core.kinds import KINDS
from caseworker.core.people.messages import Audience, NewMessage
from caseworker.core.pull.case import PullCase
from caseworker.core.runs.run import RunState
from caseworker.ports import Issue, NewPullCase, Thread
from caseworker.ports.deliveries import Dispatch, NewDispatch
from caseworker.store.cases import open_issue_case
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.delivery_tables import dispatches as rows
from caseworker.store.inbox import add_message
from caseworker.store.port import Port
from caseworker.store.pull_cases import begin_session, open_pull_case
from caseworker.store.rows import insert_or_stop, lock_case
from caseworker.store.run_tables import runs
from caseworker.store.tables import cases
from caseworker.store.threads import add_thread


class StoredDispatches(Port):
    async def of(self, key: str) -> Dispatch | None:
        async with self._database.reading() as connection:
            return await _one(connection, key)

    async def open_case(
        self,
        issue: Issue,
        dispatch: NewDispatch,
        first: NewMessage,
        *,
        thread: Thread,
        policy: Policy,
        rehearsal: str | None,
    ) -> bool:
        async with self._database.writing() as connection:
            if not await open_issue_case(
                connection, issue, policy=policy, rehearsal=rehearsal, trace=first.trace, first=first
            ):
                return False
            await add_thread(connection, first.case, Audience.DEVELOPERS, thread)
            await _insert(connection, dispatch, first.case)
        return True

    async def open_pull(self, new: NewPullCase, dispatch: NewDispatch, first: NewMessage, work: PullWork) -> bool:
        async with self._database.writing() as connection:
            if not await open_pull_case(connection, new, work, first):
                return False
            await _insert(connection, dispatch, first.case)
        return True

    async def go_on(self, dispatch: NewDispatch, message: NewMessage, *, thread: Thread, moves: int) -> bool:
        case = message.case
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            if await _one(connection, dispatch.key) is not None:
                return True
            known = await _snapshot(connection, case)
            if known.progress.transitions != moves:
                raise Transient(f"{case} has moved meanwhile: its dispatch is decided again.")
            if not await _begin(connection, known, dispatch.workflow):
                return False
            await add_thread(connection, case, Audience.DEVELOPERS, thread)
            await add_message(connection, message)
            await _insert(connection, dispatch, case)
        return True

    async def untold(self) -> list[Dispatch]:
        ended = _all().where(rows.c.reference != "", rows.c.told.is_(None), runs.c.ended_at.is_not(None))
        async with self._database.reading() as connection:
            return await _read(connection, ended.order_by(rows.c.run))

    async def tell(self, key: str, state: RunState) -> None:
        async with self._database.writing() as connection:
            await connection.execute(update(rows).where(rows.c.key == key).values(told=state))


async def _snapshot(connection: Connection, case: CaseId) -> IssueCase | PullCase:
    of_case = select(cases.c.kind, cases.c.snapshot).where(cases.c.id == case)
    kind, snapshot = (await connection.execute(of_case)).one()
    known = KINDS[CaseKind(kind)].snapshot.model_validate(snapshot)
    if not isinstance(known, IssueCase | PullCase):
        raise Defect(f"{case} has no runs: it is a {KINDS[CaseKind(kind)].noun}.")
    return known


async def _begin(connection: Connection, known: IssueCase | PullCase, workflow: WorkflowName) -> bool:
    """False: a run is in flight. An issue case may have runs of several workflows."""
    if isinstance(known, PullCase):
        return await begin_session(connection, known, workflow)
    run = {"case": known.id, "workflow": workflow, "turns_before": known.progress.turns, "began_at": now()}
    added = insert_or_stop(connection, runs).values(run).returning(runs.c.id)
    return await connection.scalar(added) is not None


async def _insert(connection: Connection, dispatch: NewDispatch, case: CaseId) -> None:
    """Needs the run in flight, in the same transaction."""
    in_flight: list[ColumnElement[bool]] = [runs.c.case == case, runs.c.workflow == dispatch.workflow]
    run = await connection.scalar(select(runs.c.id).where(*in_flight, runs.c.ended_at.is_(None)))
    if run is None:
        raise Defect(f"{case} was opened without a run of {dispatch.workflow}.")
    await connection.execute(insert(rows).values(dispatch.model_dump(mode="json") | {"case": case, "run": run}))


def _all() -> Select[*tuple[object, ...]]:
    columns = (rows.c[name] for name in Dispatch.model_fields if name != "state")
    return select(*columns, runs.c.ended_as).join_from(rows, runs, rows.c.run == runs.c.id)


async def _one(connection: Connection, key: str) -> Dispatch | None:
    found = await _read(connection, _all().where(rows.c.key == key))
    return found[0] if found else None


async def _read(connection: Connection, query: Select[*tuple[object, ...]]) -> list[Dispatch]:
    names = [name for name in Dispatch.model_fields if name != "state"]
    return [
        Dispatch.model_validate(dict(zip([*names, "state"], row, strict=True)))
        for row in await connection.execute(query)
    ]
