"""Port to the store's events from forges: what was delivered, what came of it, and the runs that were asked for."""

from collections.abc import Collection, Sequence, Set
from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, RunId
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import PullWork, WorkflowName
from caseworker.core.people.messages import NewMessage
from caseworker.core.runs.delivery_outcomes import Outcome
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.core.runs.run import RunState
from caseworker.ports.stored import Issue, NewPullCase, Thread


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class NewDelivery(_Value):
    guid: str
    source: Literal["webhook", "log", "look"]
    """How it came: sent to us, read from the forge's log of deliveries, or made from a look at what is there."""
    event: str
    action: str = ""
    repository: str = ""
    number: int | None = None
    actor: str = ""
    lane: str
    """Deliveries of one lane are processed one after the other, oldest first."""
    subject: str = ""
    """The same for one event, whichever way it came. Empty: only the GUID names it."""
    happened_at: datetime | None = None
    """If set, two deliveries of a subject are the same event only if these times are close."""
    body: bytes = b""
    outcome: Outcome


class Delivery(_Value):
    """A delivery as it is listed, without its body."""

    id: int
    guid: str
    source: str
    event: str
    action: str
    repository: str
    number: int | None
    actor: str
    received_at: datetime
    settled_at: datetime | None
    tries: int
    outcome: Outcome


class Claim(_Value):
    """A delivery that is ours to process until the lease ends."""

    id: int
    token: str
    guid: str
    event: str
    subject: str
    body: bytes
    tries: int
    """Failed tries so far."""
    intent: str | None


class Deliveries(Protocol):
    async def put(self, delivery: NewDelivery) -> bool:
        """Commit it. False: this GUID was there already, which is recorded as a duplicate."""

    async def claim(self) -> Claim | None:
        """The oldest delivery that is due and first in its lane, leased to the caller."""

    async def renew(self, claim: Claim) -> bool:
        """False: the lease has ended, and another has it."""

    async def settle(self, claim: Claim, outcome: Outcome, *, again_in: float | None = None) -> bool:
        """Write its outcome. `again_in`: it stays open, and is due again after so many seconds. False: another has
        it by now, and nothing was written."""

    async def note_intent(self, claim: Claim, intent: str) -> None: ...

    async def earlier(self, claim: Claim) -> str | None:
        """The GUID of an earlier delivery of the same event."""

    async def outcome_of(self, subject: str) -> Outcome | None:
        """What came of the first delivery with this subject. Null: it was never delivered."""

    async def look_again(self, lane: str, since: datetime) -> int:
        """A case was opened: process again what happened on its thread from then on, and was ignored because there
        was no case yet. Events may come in any order. Returns how many there are."""

    async def known(self, guids: Collection[str]) -> Set[str]: ...

    async def list(self, *, outcome: OutcomeKind | None = None, limit: int = 50) -> Sequence[Delivery]:
        """Newest first."""


class NewDispatch(_Value):
    key: str
    """The subject of the event that asks for it: asking twice with one key is asking once."""
    workflow: WorkflowName
    reference: str = ""
    """The comment that asks for it. Empty: a label."""


class Dispatch(NewDispatch):
    case: CaseId
    run: RunId
    state: RunState | None
    """How the run has ended. Null: it has not."""


class Dispatches(Protocol):
    """Runs that people asked for. The insert is the guard: one run in flight per workflow and case."""

    async def of(self, key: str) -> Dispatch | None: ...

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
        """Open the case with its run, its thread and this dispatch together. False: the case is there already."""

    async def open_pull(self, new: NewPullCase, dispatch: NewDispatch, first: NewMessage, work: PullWork) -> bool:
        """The same for a pull case, which has its thread in `new`."""

    async def go_on(self, dispatch: NewDispatch, message: NewMessage, *, thread: Thread, moves: int) -> bool:
        """Begin a run of a case and put the message that starts it, together. False: a run of this workflow is in
        flight; of a pull case, any run. Raises `Transient` if the case has moved since it had made `moves`
        transitions."""

    async def untold(self) -> Sequence[Dispatch]:
        """Those asked for by a comment, whose run has ended, and whose comment does not show it yet."""

    async def tell(self, key: str, state: RunState) -> None:
        """The comment shows the end of the run."""
