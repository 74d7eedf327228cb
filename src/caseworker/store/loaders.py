"""Makes the stored case (`StoredCase`, `StoredBug`, `StoredPull`) from a row of the table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import bindparam, select
from sqlalchemy.engine import RowMapping

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, RepositoryId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.model import load_case_file
from caseworker.core.issue.case import IssueCase
from caseworker.core.pull.case import PullCase
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull
from caseworker.store.connection import Connection
from caseworker.store.tables import cases

Columns: TypeAlias = dict[str, Any]
"""Of a row: the database gives them without types, and the models check them."""

# Built once: a case is loaded at every step that it takes.
ALL: Final = select(*cases.c).order_by(cases.c.changed_at.desc(), cases.c.id)
ONE: Final = select(*cases.c).where(cases.c.id == bindparam("case"))


def issue_of(row: RowMapping) -> StoredCase:
    return StoredCase(
        **_shared(row),
        case=IssueCase.model_validate(row[cases.c.snapshot]),
        number=row[cases.c.number],
        file=load_case_file(row[cases.c.file]),
        parent=row[cases.c.parent],
    )


def bug_of(row: RowMapping) -> StoredBug:
    return StoredBug(
        **_shared(row),
        case=BugCase.model_validate(row[cases.c.snapshot]),
        report=row[cases.c.report],
        reporter=row[cases.c.reporter],
        surface=row[cases.c.surface],
    )


def pull_of(row: RowMapping) -> StoredPull:
    return StoredPull(
        **_shared(row),
        case=PullCase.model_validate(row[cases.c.snapshot]),
        number=row[cases.c.number],
        url=row[cases.c.report] or "",
        author=row[cases.c.reporter] or "",
        parent=row[cases.c.parent],
    )


LOADERS: Final[Mapping[CaseKind, Callable[[RowMapping], StoredAny]]] = {
    CaseKind.ISSUE: issue_of,
    CaseKind.BUG: bug_of,
    CaseKind.PULL: pull_of,
}


def stored_of(row: RowMapping) -> StoredAny:
    return LOADERS[CaseKind(row[cases.c.kind])](row)


async def one_row(connection: Connection, case: CaseId, kind: CaseKind | None = None) -> RowMapping | None:
    """Null also for a case of another kind than the one asked for."""
    row = (await connection.execute(ONE, {"case": case})).mappings().one_or_none()
    return None if row is None or (kind is not None and row[cases.c.kind] != kind) else row


async def rows_of(connection: Connection, kind: CaseKind) -> Sequence[RowMapping]:
    return (await connection.execute(ALL.where(cases.c.kind == kind))).mappings().all()


def _shared(row: RowMapping) -> Columns:
    return {
        "title": row[cases.c.title],
        "repository": RepositoryId(row[cases.c.repository]),
        "policy": Policy.model_validate(row[cases.c.policy]),
        "rehearsal": row[cases.c.rehearsal],
        "trace": TraceId(row[cases.c.trace]),
        "opened_at": row[cases.c.opened_at],
        "changed_at": row[cases.c.changed_at],
    }
