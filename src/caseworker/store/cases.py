"""Cases: the row that a workflow starts from and saves its snapshot to."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, func, or_, select, update

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId, TraceId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.casefile.model import CaseFile, IssueSection, load_case_file, new_case_file
from caseworker.core.issue.case import IssueCase
from caseworker.core.kinds import KINDS
from caseworker.core.people.messages import NewMessage
from caseworker.core.record.entries import CaseOpened, Entry
from caseworker.ports import Issue, StoredAny, StoredCase
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.inbox import add_message
from caseworker.store.loaders import ALL, issue_of, one_row, rows_of, stored_of
from caseworker.store.port import Port
from caseworker.store.removal import remove_case
from caseworker.store.rows import append_entries, insert_or_stop, lock_case, read_ref
from caseworker.store.runs import begin_first_run, follow_move
from caseworker.store.stored_snapshots import is_older, read_snapshot
from caseworker.store.tables import cases


class StoredCases(Port):
    async def open(
        self,
        issue: Issue,
        *,
        policy: Policy,
        rehearsal: str | None,
        trace: TraceId,
        first: NewMessage,
        parent: CaseId | None = None,
        file: CaseFile | None = None,
    ) -> bool:
        async with self._database.writing() as connection:
            return await open_issue_case(
                connection,
                issue,
                policy=policy,
                rehearsal=rehearsal,
                trace=trace,
                first=first,
                parent=parent,
                file=file,
            )

    async def find(self, case: CaseId) -> StoredAny | None:
        async with self._database.reading() as connection:
            row = await one_row(connection, case)
        return None if row is None else stored_of(row)

    async def all(self) -> Sequence[StoredAny]:
        async with self._database.reading() as connection:
            return [stored_of(row) for row in (await connection.execute(ALL)).mappings()]

    async def load(self, case: CaseId) -> StoredCase | None:
        async with self._database.reading() as connection:
            row = await one_row(connection, case, CaseKind.ISSUE)
        return None if row is None else issue_of(row)

    async def list(self) -> list[StoredCase]:
        async with self._database.reading() as connection:
            return [issue_of(row) for row in await rows_of(connection, CaseKind.ISSUE)]

    async def children(self, parent: CaseId) -> Sequence[StoredCase]:
        theirs = ALL.where(cases.c.kind == CaseKind.ISSUE, cases.c.parent == parent)
        async with self._database.reading() as connection:
            return [issue_of(row) for row in (await connection.execute(theirs)).mappings()]

    async def move(
        self,
        after: IssueCase,
        entries: Sequence[Entry],
        file: CaseFile,
        *,
        trace: TraceId,
        tell: NewMessage | None = None,
    ) -> None:
        key = f"transition/{after.epoch}/{after.progress.transitions}"
        concerned = {after.id} if tell is None else {after.id, tell.case}
        async with self._database.writing() as connection:
            for case in sorted(concerned):  # always in this order, so that two such moves never wait for each other
                await lock_case(connection, case)
            if not await append_entries(connection, after.id, entries, trace=trace, key=key):
                return
            moved = {
                "case": after.id,
                "the_snapshot": after.model_dump(mode="json"),
                "the_state": after.state,
                "the_file": dumped(file),
            }
            await connection.execute(_MOVED if after.is_over else _MOVED_ON, moved)
            await follow_move(connection, after)
            if tell is not None:
                await add_message(connection, tell)

    async def keep(self, after: IssueCase) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, after.id)
            if not is_older(after, await read_snapshot(connection, IssueCase, after.id)):
                await connection.execute(_KEPT, {"case": after.id, "the_snapshot": after.model_dump(mode="json")})

    async def remove(self, case: CaseId) -> None:
        async with self._database.writing() as connection:
            await remove_case(connection, case)

    async def over_since(self, moment: datetime) -> Sequence[CaseId]:
        query = select(cases.c.id).where(cases.c.over.is_(True), cases.c.changed_at < moment)
        async with self._database.reading() as connection:
            return [CaseId(case) for case in await connection.scalars(query.order_by(cases.c.opened_at.desc()))]

    async def unfinished(self) -> Sequence[CaseId]:
        query = select(cases.c.id).where(cases.c.over.is_(False)).order_by(cases.c.id)
        async with self._database.reading() as connection:
            return [CaseId(case) for case in await connection.scalars(query)]

    async def at_work(self) -> int:
        at_work = or_(
            *((cases.c.kind == kind.name) & cases.c.state.in_(sorted(kind.working)) for kind in KINDS.values())
        )
        query = select(func.count()).where(cases.c.over.is_(False), at_work)
        async with self._database.reading() as connection:
            return int(await connection.scalar(query) or 0)

    async def edit_file(self, case: CaseId, change: Callable[[CaseFile], CaseFile]) -> CaseFile:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            known = await connection.scalar(_FILE, {"case": case})
            assert known is not None, "only an issue case has a case file"
            file = change(load_case_file(known))
            await write_file(connection, case, file)
        return file


async def open_issue_case(
    connection: Connection,
    issue: Issue,
    *,
    policy: Policy,
    rehearsal: str | None,
    trace: TraceId,
    first: NewMessage,
    parent: CaseId | None = None,
    file: CaseFile | None = None,
) -> bool:
    """In the caller's transaction. False: it was there already."""
    case = issue_case(issue.repository, issue.number)
    if first.case != case:
        raise Defect(f"The first message of {case} is addressed to {first.case}.")
    opened = CaseOpened(
        repository=issue.repository, number=issue.number, title=issue.title, rehearsed=rehearsal is not None
    )
    more = {"parent": parent, "rehearsal": rehearsal, "trace": trace}
    branch = (await read_ref(connection, issue.repository)).branch_of(issue.number)
    row = _row(issue, branch, policy, file) | more
    added = insert_or_stop(connection, cases).values(row).returning(cases.c.id)
    if await connection.scalar(added) is None:
        return False
    await begin_first_run(connection, _new(issue, branch, file), policy)
    await append_entries(connection, case, [opened], trace=trace)
    if await add_message(connection, first) is None:
        raise Refused(f"The message {first.external_id} from {first.surface} belongs to another case already.")
    return True


_MOVED: Final = (
    update(cases)
    .where(cases.c.id == bindparam("case"))
    .values(
        snapshot=bindparam("the_snapshot", type_=cases.c.snapshot.type),
        state=bindparam("the_state"),
        file=bindparam("the_file", type_=cases.c.file.type),
    )
)
_MOVED_ON: Final = _MOVED.values(over=False)
"""Also clears `over`: the case may have been over before it was opened again."""
_KEPT: Final = (
    update(cases)
    .where(cases.c.id == bindparam("case"))
    .values(snapshot=bindparam("the_snapshot", type_=cases.c.snapshot.type))
)
_FILE: Final = select(cases.c.file).where(cases.c.id == bindparam("case"))
_FILED: Final = (
    update(cases)
    .where(cases.c.id == bindparam("case"))
    .values(file=bindparam("the_file", type_=cases.c.file.type), changed_at=bindparam("at"))
)


async def write_file(connection: Connection, case: CaseId, file: CaseFile) -> None:
    await connection.execute(_FILED, {"case": case, "the_file": dumped(file), "at": now()})


def dumped(file: CaseFile) -> dict[str, object]:
    return file.model_dump(mode="json", by_alias=True)


def _new(issue: Issue, branch: str, file: CaseFile | None) -> IssueCase:
    return IssueCase(id=issue_case(issue.repository, issue.number)).updated(branch=branch, analysed=file is not None)


def _row(issue: Issue, branch: str, policy: Policy, file: CaseFile | None) -> dict[str, object]:
    """The row of a new case. `file`: a prepared case file; the case then begins with its analysis done."""
    at = now()
    case = _new(issue, branch, file)
    if file is None:
        section = IssueSection(
            number=issue.number, title=issue.title, url=issue.url, original_body=issue.body, labels=issue.labels
        )
        file = new_case_file(section, at, policy.attempts)
    return {
        "id": case.id,
        "kind": CaseKind.ISSUE,
        "repository": issue.repository,
        "number": issue.number,
        "title": issue.title,
        "state": case.state,
        "over": False,
        "snapshot": case.model_dump(mode="json"),
        "policy": policy.model_dump(mode="json"),
        "file": dumped(file),
        "sequence": 0,
        "opened_at": at,
        "changed_at": at,
    }
