"""Reads and replaces the snapshot of a case of any kind. A worker that comes late does not replace a newer one."""

from typing import Final, TypeVar

from sqlalchemy import bindparam, select, update

from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import BugCase
from caseworker.core.issue.case import IssueCase
from caseworker.core.pull.case import PullCase
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.tables import cases

S = TypeVar("S", BugCase, IssueCase, PullCase)

_READ: Final = select(cases.c.snapshot).where(cases.c.id == bindparam("case"))
_REPLACED: Final = (
    update(cases)
    .where(cases.c.id == bindparam("case"))
    .values(
        snapshot=bindparam("the_snapshot", type_=cases.c.snapshot.type),
        state=bindparam("the_state"),
        changed_at=bindparam("at"),
    )
)
_REPLACED_OPEN: Final = _REPLACED.values(over=False)


async def read_snapshot(connection: Connection, model: type[S], case: CaseId) -> S:
    """The stored snapshot. Needs the case's lock if something is written because of it."""
    return model.model_validate(await connection.scalar(_READ, {"case": case}))


def is_older(after: S, known: S) -> bool:
    """Whether the stored snapshot has seen more moves, or more turns after the same moves."""
    ours, stored = after.progress, known.progress
    return (ours.transitions, ours.turns) < (stored.transitions, stored.turns)


async def replace_snapshot(connection: Connection, after: BugCase | PullCase) -> None:
    """A case that is not over is marked as needing a workflow; only `Turns.close_up` marks it as needing none."""
    replaced = {
        "case": after.id,
        "the_snapshot": after.model_dump(mode="json"),
        "the_state": after.state,
        "at": now(),
    }
    await connection.execute(_REPLACED if after.is_over else _REPLACED_OPEN, replaced)
