"""Port to the store's cases and their runs."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from caseworker.core.base.ids import CaseId, RunId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.model import CaseFile
from caseworker.core.issue.case import IssueCase
from caseworker.core.people.digest import Digest, Verbatim
from caseworker.core.people.messages import NewMessage
from caseworker.core.pull.case import PullCase
from caseworker.core.record.entries import Entry
from caseworker.core.runs.run import Run
from caseworker.ports.stored import Issue, NewBug, NewPullCase, StoredAny, StoredBug, StoredCase, StoredPull


class Cases(Protocol):
    """Issue cases, and queries over cases of every kind: `find`, `all`, `unfinished`, `at_work`."""

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
        """Write case row, case file, run, first record entry and first message together. False: it was there already.
        Its branch is named here, as its repository's forge names those of issues. `parent`: the bug that it fixes, or
        the case that it follows up on; `file`: one that holds the analysis already."""

    async def find(self, case: CaseId) -> StoredAny | None:
        """A case of any kind; its `kind` says which."""

    async def all(self) -> Sequence[StoredAny]:
        """Cases of every kind, newest change first."""

    async def load(self, case: CaseId) -> StoredCase | None:
        """An issue case. None also for a case of another kind."""

    async def list(self) -> list[StoredCase]:
        """Newest change first."""

    async def children(self, parent: CaseId) -> Sequence[StoredCase]:
        """Cases that fix this bug, or follow up on this case; newest change first."""

    async def move(
        self,
        after: IssueCase,
        entries: Sequence[Entry],
        file: CaseFile,
        *,
        trace: TraceId,
        tell: NewMessage | None = None,
    ) -> None:
        """Save snapshot, case file, record entries and the run that begins or ends with it together. Repeated with the
        same transition number: a no-op. `tell`: put into another case's inbox in the same transaction."""

    async def keep(self, after: IssueCase) -> None:
        """Save the snapshot without a move; one that is older than the stored one is not saved."""

    async def remove(self, case: CaseId) -> None:
        """Delete a case and all that belongs to it. `Refused` if it is not over, or something still needs it."""

    async def over_since(self, moment: datetime) -> Sequence[CaseId]:
        """Cases that are over and did not change since the moment; the newest first, so children before parents."""

    async def unfinished(self) -> Sequence[CaseId]:
        """Every case that is not over, or whose end still has something to do: each needs a workflow."""

    async def at_work(self) -> int:
        """How many cases are in a working state."""

    async def edit_file(self, case: CaseId, change: Callable[[CaseFile], CaseFile]) -> CaseFile:
        """Change the case file as it is now, in one transaction, and return it."""


class Bugs(Protocol):
    """Bug cases. `Cases.unfinished` and `at_work` count them together with the issue cases."""

    async def open(self, bug: NewBug, first: NewMessage) -> tuple[CaseId, bool]:
        """Write case row, thread, first entry and first message together, under an id that is chosen here: `first.case`
        is ignored. False: that message opened, or belongs to, the returned case already."""

    async def opened_by(self, reporter: str, surface: str, *, seconds: float) -> list[CaseId]:
        """The cases that a person has opened in the last so many seconds, oldest first."""

    async def load(self, case: CaseId) -> StoredBug | None: ...

    async def list(self) -> list[StoredBug]:
        """Newest change first."""

    async def save(
        self, after: BugCase, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None
    ) -> None:
        """Save the snapshot and the entries together. With a key that was used for this case before, the entries are
        there already. A snapshot older than the stored one (fewer moves or turns) is not saved."""


class PullCases(Protocol):
    """Pull cases. Each has one row for its pull request; every session is a run."""

    async def open(self, new: NewPullCase, work: PullWork, first: NewMessage) -> bool:
        """Write case row, thread, run, first entry and first message together. False: it was there already."""

    async def start(self, message: NewMessage, work: PullWork) -> bool:
        """Begin another run of a case and put the message that starts it, together. The run of a paused session ends.
        False: a run is in flight."""

    async def load(self, case: CaseId) -> StoredPull | None: ...

    async def list(self) -> list[StoredPull]:
        """Newest change first."""

    async def in_flight(
        self, surface: str, channel: str, *, commit: str | None = None, branch: str | None = None
    ) -> Sequence[StoredPull]:
        """Those whose session is not over, and whose thread is in this channel: a repository of a forge. With `commit`,
        those that saw it as the head; with `branch`, those that saw it as the branch of the head or of the base."""

    async def save(
        self, after: PullCase, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None
    ) -> None:
        """Save the snapshot, the entries, and the end of the run together. With a key that was used for this case
        before, the entries are there already. A snapshot older than the stored one is not saved."""


class Runs(Protocol):
    """Runs begin with a case and end with its moves: `Cases.open` and `Cases.move` write them."""

    async def of(self, case: CaseId) -> list[Run]:
        """Oldest first."""

    async def discussion(self, run: RunId) -> Digest | Verbatim | None:
        """The discussion on the forge, as the turns of this run are given it. Null: it was not read."""

    async def keep_discussion(self, run: RunId, discussion: Digest | Verbatim) -> Digest | Verbatim:
        """Keep it with the run. The first one counts, and is returned."""
