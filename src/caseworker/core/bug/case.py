"""The snapshot of a bug case, its states, and the status that people are shown. What follows from what is in
`conversation`."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from caseworker.core.base.ids import CaseId, MessageId, SessionId, Sha
from caseworker.core.base.policy import Severity
from caseworker.core.base.snapshot import Part, Snapshot
from caseworker.core.people.commands import Resolution
from caseworker.core.people.posts import Post


class BugState(StrEnum):
    INVESTIGATING = "investigating"
    AWAITING_REPORTER = "awaiting_reporter"
    AWAITING_DEV = "awaiting_dev"
    DEV_TAKEOVER = "dev_takeover"
    RESOLVED = "resolved"


class BugStatus(StrEnum):
    NEW = "new"
    TRIAGED = "triaged"
    INVESTIGATING = "investigating"
    AWAITING_REPORTER = "awaiting_reporter"
    AWAITING_DEV = "awaiting_dev"
    PENDING_VERIFICATION = "pending_verification"
    ESCALATED = "escalated"
    DEV_TAKEOVER = "dev_takeover"
    RESOLVED = "resolved"


class About(StrEnum):
    """What a post is about: with its number, the key that keeps it from being said twice."""

    ACKNOWLEDGED = "acknowledged"
    SUMMARY = "summary"
    QUESTION = "question"
    FINDINGS = "findings"
    ESCALATION = "escalation"
    FAILED_TURN = "failed_turn"
    NO_ANSWER = "no_answer"
    NOTED = "noted"
    FOLLOW_UP = "follow_up"
    REMINDER = "reminder"
    TAKEN_OVER = "taken_over"
    HANDED_BACK = "handed_back"
    ASKED_TO_CLOSE = "asked_to_close"
    FIX_OPENED = "fix_opened"
    FIX_REFUSED = "fix_refused"
    FIX_NEWS = "fix_news"
    RESOLVED = "resolved"
    REOPENED = "reopened"


class BugPost(Post):
    kind: Literal["bug"] = "bug"
    about: About
    resolution: Resolution | None = None
    """With RESOLVED: as it was then. The case may be open again when this is said."""


class Progress(Part):
    """Counters only ever grow: keys of effects and numbers of turns are made from them."""

    turns: int = 0
    transitions: int = 0
    base: Sha | None = None
    """The commit the investigator reads."""
    session: SessionId | None = None
    """The agent session of the last completed turn."""


class Report(Part):
    """What the report itself says, found by patterns."""

    severity: Severity | None = None
    """Null: nobody has read the report yet."""
    services: tuple[str, ...] = ()
    vague: bool = False
    """The report names nothing to start from: the first turn asks, with no tools in hand."""


class Waiting(Part):
    waited_in: BugState | None = None
    """The state the coming turn continues from."""
    timed_out: bool = False
    """The reporter was asked and did not answer in time."""
    remind_at: datetime | None = None
    until: datetime | None = None
    """When the present wait is over. Null: it has no end."""


class People(Part):
    """What people have said and decided, and what they were told."""

    answered: MessageId = MessageId(0)
    """The newest message that was acknowledged in its thread."""
    developer_spoke: bool = False
    findings_posted: bool = False
    confirmable: bool = False
    """The reporter has spoken since the findings were posted."""
    escalated: bool = False
    taken_by: str = ""
    asked_to_close: str = ""
    """Who was asked for a resolution type and a reason."""


class Repair(Part):
    """The issue case that fixes the bug."""

    fix: CaseId | None = None
    fix_wanted: bool = False
    """A developer asked for it, and it has not been opened (or told) yet."""
    fix_open: bool = False
    """It is under way: silence resolves nothing meanwhile."""


class Ending(Part):
    resolution: Resolution | None = None
    closed_by: MessageId | None = None
    """The message that closed the case, if one did: its reason is told."""


class BugCase(Snapshot):
    state: BugState = BugState.INVESTIGATING
    reason: str = "the report was received"
    progress: Progress = Progress()
    report: Report = Report()
    waiting: Waiting = Waiting()
    people: People = People()
    repair: Repair = Repair()
    ending: Ending = Ending()
    outbox: tuple[BugPost, ...] = ()
    """Said in this order, each once; saved with the move that gave rise to it, so that no crash forgets it."""

    @property
    def is_over(self) -> bool:
        return self.state is BugState.RESOLVED


def status_of(bug: BugCase) -> BugStatus:
    """Computed from facts, never stored."""
    match bug.state:
        case BugState.RESOLVED:
            return BugStatus.RESOLVED
        case BugState.DEV_TAKEOVER:
            return BugStatus.DEV_TAKEOVER
        case BugState.AWAITING_REPORTER:
            return BugStatus.AWAITING_REPORTER
        case BugState.AWAITING_DEV if bug.people.escalated:
            return BugStatus.ESCALATED
        case BugState.AWAITING_DEV:
            return BugStatus.PENDING_VERIFICATION if bug.people.findings_posted else BugStatus.AWAITING_DEV
        case BugState.INVESTIGATING if bug.report.severity is None:
            return BugStatus.NEW
        case BugState.INVESTIGATING:
            return BugStatus.INVESTIGATING if bug.progress.turns or bug.progress.base else BugStatus.TRIAGED
