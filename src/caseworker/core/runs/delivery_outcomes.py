"""The closed union of what came of an event from a forge. Stored with the delivery; the words are made by the view."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from caseworker.core.base.ids import CaseId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.runs.outcome_kinds import OutcomeKind


class IgnoreReason(StrEnum):
    """Why an event needs nothing from us."""

    UNUSED_EVENT = "unused_event"
    UNUSED_ACTION = "unused_action"
    NOBODY_WAITS = "nobody_waits"
    NOT_OUR_LABEL = "not_our_label"
    OURS = "ours"
    BOT = "bot"
    NO_CASE = "no_case"
    CASE_OVER = "case_over"
    UNKNOWN_COMMENT = "unknown_comment"
    NOTHING_NEW = "nothing_new"
    REPOSITORY_NOT_SERVED = "repository_not_served"
    OVERTAKEN = "overtaken"


class RefusalReason(StrEnum):
    """Why a request for a workflow is not carried out."""

    NOT_ALLOWED = "not_allowed"
    UNKNOWN_WORKFLOW = "unknown_workflow"
    TARGET_GONE = "target_gone"
    WRONG_TARGET = "wrong_target"
    TARGET_CLOSED = "target_closed"
    TARGET_LOCKED = "target_locked"
    NEEDS_EARLIER = "needs_earlier"
    ALREADY_DONE = "already_done"
    WORK_IN_FLIGHT = "work_in_flight"
    PULL_OPEN = "pull_open"
    CASE_ENDED = "case_ended"
    CASE_AT_WORK = "case_at_work"
    """The issue case that opened the pull request works on it."""
    FOR_AN_OWNER = "for_an_owner"
    NOTHING_RUNS = "nothing_runs"
    NOTHING_TO_REMEMBER = "nothing_to_remember"
    BAD_OPTION = "bad_option"
    BAD_DEADLINE = "bad_deadline"
    UNCLEAR = "unclear"


class _Outcome(BaseModel):
    model_config = ConfigDict(frozen=True)


class Received(_Outcome):
    """Committed, and not processed yet."""

    kind: Literal[OutcomeKind.RECEIVED] = OutcomeKind.RECEIVED


class Dispatched(_Outcome):
    kind: Literal[OutcomeKind.DISPATCHED] = OutcomeKind.DISPATCHED
    workflow: WorkflowName
    case: CaseId | None = None
    """Null: the workflow has no case (`remember`)."""


class BecameMessage(_Outcome):
    kind: Literal[OutcomeKind.MESSAGE] = OutcomeKind.MESSAGE
    case: CaseId


class Woken(_Outcome):
    """A case that waits for this was woken, and looks itself."""

    kind: Literal[OutcomeKind.WOKEN] = OutcomeKind.WOKEN
    case: CaseId


class Answered(_Outcome):
    """A comment that was answered where it was written, or carried out without a run."""

    kind: Literal[OutcomeKind.ANSWERED] = OutcomeKind.ANSWERED


class Duplicate(_Outcome):
    """It is there already: the same delivery, the same event by another way, or a run in flight."""

    kind: Literal[OutcomeKind.DUPLICATE] = OutcomeKind.DUPLICATE
    of: str = ""
    """The GUID of the delivery that came first. Empty: a run of this workflow is in flight."""
    workflow: WorkflowName | None = None


class Ignored(_Outcome):
    kind: Literal[OutcomeKind.IGNORED] = OutcomeKind.IGNORED
    reason: IgnoreReason
    detail: str = ""


class NotDone(_Outcome):
    """A request that was refused."""

    kind: Literal[OutcomeKind.REFUSED] = OutcomeKind.REFUSED
    reason: RefusalReason
    workflow: WorkflowName | None = None
    detail: str = ""
    """What the reason is about: the workflow that is missing, or the word that was written."""


class Unreadable(_Outcome):
    kind: Literal[OutcomeKind.UNREADABLE] = OutcomeKind.UNREADABLE
    problem: str


class Failed(_Outcome):
    """An error while it was processed. It is tried again, unless it has failed too often."""

    kind: Literal[OutcomeKind.FAILED] = OutcomeKind.FAILED
    error: str
    gave_up: bool = False


Outcome = Annotated[
    Received | Dispatched | BecameMessage | Woken | Answered | Duplicate | Ignored | NotDone | Unreadable | Failed,
    Field(discriminator="kind"),
]
OUTCOME: Final[TypeAdapter[Outcome]] = TypeAdapter(Outcome)
