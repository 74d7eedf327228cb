"""Cases and their runs, as the store keeps them."""

from collections.abc import Sequence
from typing import Protocol

from caseworker.core.base.ids import CaseId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.model import CaseFile
from caseworker.core.issue.case import IssueCase
from caseworker.core.people.messages import NewMessage
from caseworker.core.record.entries import Entry
from caseworker.core.runs.run import Run
from caseworker.ports.stored import Issue, NewBug, StoredAny, StoredBug, StoredCase


class Cases(Protocol):
    """Issue cases; and what is asked of cases of every kind: `find`, `all`, `unfinished`, `at_work`."""

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
        """Case row, case file, run, first record entry and first message together. False: it was there already. Its
        branch is named here, as its repository's forge names those of issues. `parent`: the bug that it fixes, or the
        case that it follows up on; `file`: one that holds the analysis already."""

    async def find(self, case: CaseId) -> StoredAny | None:
        """Of whichever kind: `kind` says which, as its row does."""

    async def all(self) -> Sequence[StoredAny]:
        """Of every kind, newest change first."""

    async def load(self, case: CaseId) -> StoredCase | None:
        """An issue case. Null also for a case of another kind."""

    async def list(self) -> list[StoredCase]:
        """Newest change first."""

    async def children(self, parent: CaseId) -> Sequence[StoredCase]:
        """Those that fix this bug, or follow up on this case; newest change first."""

    async def move(
        self,
        after: IssueCase,
        entries: Sequence[Entry],
        file: CaseFile,
        *,
        trace: TraceId,
        tell: NewMessage | None = None,
    ) -> None:
        """Save snapshot, case file, record entries and the run that begins or ends with it together; again with the
        same transition number: a no-op. `tell`: put into another case's inbox in the same transaction."""

    async def keep(self, after: IssueCase) -> None:
        """Save the snapshot without a move; one that is older than the stored one is not saved."""

    async def unfinished(self) -> Sequence[CaseId]:
        """Every case that is not over, or whose end still has something to do: each needs a workflow."""

    async def at_work(self) -> int:
        """How many cases are in a working state."""

    async def save_file(self, case: CaseId, file: CaseFile) -> None: ...


class Bugs(Protocol):
    """Bug cases. They lie beside the issue cases: `Cases.unfinished` and `at_work` count both."""

    async def open(self, bug: NewBug, first: NewMessage) -> tuple[CaseId, bool]:
        """Case row, thread, first entry and first message together, under an id that is drawn here: `first.case` is
        not looked at. False: that message opened (or belongs to) the case returned already."""

    async def load(self, case: CaseId) -> StoredBug | None: ...

    async def list(self) -> list[StoredBug]:
        """Newest change first."""

    async def save(
        self, after: BugCase, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None
    ) -> None:
        """The snapshot, and what happened, together. With a key that was used for this case before, the entries are
        there already; a snapshot that is older than the stored one (fewer moves or turns) is not saved."""


class Runs(Protocol):
    """Begun with a case and ended with its moves: `Cases.open` and `Cases.move` write them."""

    async def of(self, case: CaseId) -> list[Run]:
        """The first one first."""
