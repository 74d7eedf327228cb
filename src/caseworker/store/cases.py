"""Cases: the row that a workflow starts from and saves its snapshot to."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, func, or_, select, update

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId, RepositoryId, TraceId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import BugState
from caseworker.core.casefile.model import CaseFile, IssueSection, load_case_file, new_case_file
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import TERMINAL, WORKING
from caseworker.core.people.messages import NewMessage
from caseworker.core.record.entries import CaseOpened, Entry
from caseworker.ports import Issue, StoredCase
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.inbox import add_message
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, insert_or_stop, lock_case, read_ref
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
        case = issue_case(issue.repository, issue.number)
        if first.case != case:
            raise Defect(f"The first message of {case} is addressed to {first.case}.")
        opened = CaseOpened(
            repository=issue.repository, number=issue.number, title=issue.title, rehearsed=rehearsal is not None
        )
        more = {"parent": parent, "rehearsal": rehearsal, "trace": trace}
        async with self._database.writing() as connection:
            branch = (await read_ref(connection, issue.repository)).branch_of(issue.number)
            row = _row(issue, branch, policy, file) | more
            added = insert_or_stop(connection, cases).values(row).returning(cases.c.id)
            if await connection.scalar(added) is None:
                return False
            await append_entries(connection, case, [opened], trace=trace)
            if await add_message(connection, first) is None:
                raise Refused(f"The message {first.external_id} from {first.surface} belongs to another case already.")
        return True

    async def load(self, case: CaseId) -> StoredCase | None:
        async with self._database.reading() as connection:
            found = await _read(connection, only=case)
        return found[0] if found else None

    async def list(self) -> list[StoredCase]:
        async with self._database.reading() as connection:
            return await _read(connection)

    async def children(self, parent: CaseId) -> Sequence[StoredCase]:
        async with self._database.reading() as connection:
            return await _read(connection, of=parent)

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
            await connection.execute(_MOVED if after.state in TERMINAL else _MOVED_ON, moved)
            if tell is not None:
                await add_message(connection, tell)

    async def keep(self, after: IssueCase) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, after.id)
            known = await connection.scalar(select(cases.c.snapshot).where(cases.c.id == after.id))
            newest = IssueCase.model_validate(known).progress
            if (after.progress.transitions, after.progress.turns) >= (newest.transitions, newest.turns):
                await connection.execute(_KEPT, {"case": after.id, "the_snapshot": after.model_dump(mode="json")})

    async def unfinished(self) -> Sequence[CaseId]:
        query = select(cases.c.id).where(cases.c.over.is_(False)).order_by(cases.c.id)
        async with self._database.reading() as connection:
            return [CaseId(case) for case in await connection.scalars(query)]

    async def at_work(self) -> int:
        at_work = or_(
            (cases.c.kind == "issue") & cases.c.state.in_(sorted(WORKING)),
            (cases.c.kind == "bug") & (cases.c.state == BugState.INVESTIGATING),
        )
        query = select(func.count()).where(cases.c.over.is_(False), at_work)
        async with self._database.reading() as connection:
            return int(await connection.scalar(query) or 0)

    async def save_file(self, case: CaseId, file: CaseFile) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await write_file(connection, case, file)


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
"""It may have been over, before it was opened again."""
_KEPT: Final = (
    update(cases)
    .where(cases.c.id == bindparam("case"))
    .values(snapshot=bindparam("the_snapshot", type_=cases.c.snapshot.type))
)
_FILED: Final = (
    update(cases)
    .where(cases.c.id == bindparam("case"))
    .values(file=bindparam("the_file", type_=cases.c.file.type), changed_at=bindparam("at"))
)


async def write_file(connection: Connection, case: CaseId, file: CaseFile) -> None:
    await connection.execute(_FILED, {"case": case, "the_file": dumped(file), "at": now()})


def dumped(file: CaseFile) -> dict[str, object]:
    return file.model_dump(mode="json", by_alias=True)


def _row(issue: Issue, branch: str, policy: Policy, file: CaseFile | None) -> dict[str, object]:
    """With a file that was prepared, the case begins with its analysis done."""
    at = now()
    case = IssueCase(id=issue_case(issue.repository, issue.number)).updated(branch=branch, analysed=file is not None)
    if file is None:
        section = IssueSection(
            number=issue.number, title=issue.title, url=issue.url, original_body=issue.body, labels=issue.labels
        )
        file = new_case_file(section, at, policy.attempts)
    return {
        "id": case.id,
        "kind": "issue",
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


_ALL: Final = select(*cases.c).where(cases.c.kind == "issue").order_by(cases.c.changed_at.desc(), cases.c.id)
_ONE: Final = _ALL.where(cases.c.id == bindparam("case"))
"""Built once: a case is loaded at every step that it takes."""


async def _read(connection: Connection, only: CaseId | None = None, of: CaseId | None = None) -> list[StoredCase]:
    if only is not None:
        found = await connection.execute(_ONE, {"case": only})
    else:
        found = await connection.execute(_ALL if of is None else _ALL.where(cases.c.parent == of))
    return [
        StoredCase(
            case=IssueCase.model_validate(row.snapshot),
            title=row.title,
            repository=RepositoryId(row.repository),
            number=row.number,
            policy=Policy.model_validate(row.policy),
            file=load_case_file(row.file),
            parent=row.parent,
            rehearsal=row.rehearsal,
            trace=TraceId(row.trace),
            opened_at=row.opened_at,
            changed_at=row.changed_at,
        )
        for row in found
    ]
