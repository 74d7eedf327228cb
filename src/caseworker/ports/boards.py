"""Port to the store's queries over many cases: the board, its counts, what has changed, and what it has cost."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.roles import Role
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.ports.stored import StoredAny


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class BoardFilter(_Value):
    """Which cases are asked for. An empty part excludes nothing."""

    states: tuple[tuple[CaseKind, str], ...] | None = None
    """Kinds with their states. Null: all."""
    text: str = ""
    """A part of the title or the id, in any letter case."""
    repository: RepositoryId | None = None
    visible: frozenset[RepositoryId] | None = None
    """The only repositories that may be seen. Null: all."""


class BoardEntry(_Value):
    stored: StoredAny
    sequence: int
    """The number of the newest record entry."""
    spent_micros: int


class BoardEntries(_Value):
    entries: tuple[BoardEntry, ...]
    total: int
    """How many there are on all pages."""


class StateCount(_Value):
    kind: CaseKind
    state: str
    repository: RepositoryId
    cases: int


class Change(_Value):
    case: CaseId
    sequence: int
    changed_at: datetime


class Cost(_Value):
    """What a day's model calls of one kind have cost."""

    day: str
    """In UTC: `2026-11-17`."""
    repository: RepositoryId
    role: Role | None
    """Null: a single question, which no role asks."""
    workflow: WorkflowName | None
    """Null: a bug case, or a question that no case pays for."""
    model: str
    rehearsed: bool
    calls: int
    micros: int


class Lease(_Value):
    """A developer turn that is at work, or waits in line."""

    case: CaseId
    turn: int
    at_work: bool
    renewed_at: datetime


class Boards(Protocol):
    async def page(self, wanted: BoardFilter, *, offset: int, limit: int, oldest_first: bool = False) -> BoardEntries:
        """A page of the board, by the time of the last change."""

    async def newest(self, case: CaseId) -> int:
        """The number of the case's newest record entry. 0: there is no such case."""

    async def counts(self, visible: frozenset[RepositoryId] | None = None) -> Sequence[StateCount]: ...

    async def changed(self, since: datetime) -> Sequence[Change]:
        """Cases that were written to after this moment. Workers' clocks may differ: ask for some seconds more."""

    async def receipts(self, cases: Collection[CaseId]) -> Mapping[CaseId, tuple[int, int, int]]:
        """How many messages each case has, how many were claimed, and how many have an outcome. A receipt changes
        without a record entry."""

    async def costs(self, since: datetime) -> Sequence[Cost]: ...

    async def leases(self) -> Sequence[Lease]:
        """In the order of the line."""
