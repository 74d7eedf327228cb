"""The snapshot of a bug case, its states and posts, and the status that people are shown. Rules are in `decide`."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from caseworker.core.base.ids import CaseId, MessageId, SessionId, Sha
from caseworker.core.base.policy import Policy, Severity
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
    """The topics of posts. Topic and number make the key that keeps a post from being sent twice."""

    ACKNOWLEDGED = "acknowledged"
    SUMMARY = "summary"
    QUESTION = "question"
    OPEN_QUESTION = "open_question"
    FINDINGS = "findings"
    ESCALATION = "escalation"
    FAILED_TURN = "failed_turn"
    BUDGET_NEAR = "budget_near"
    NO_ANSWER = "no_answer"
    NOTED = "noted"
    KEPT = "kept"
    FOLLOW_UP = "follow_up"
    REMINDER = "reminder"
    TAKEN_OVER = "taken_over"
    HANDED_BACK = "handed_back"
    NOT_TAKEN = "not_taken"
    ASKED_TO_CLOSE = "asked_to_close"
    FIX_OPENED = "fix_opened"
    ANOTHER_FIX = "another_fix"
    FIX_INFORMED = "fix_informed"
    FIX_REFUSED = "fix_refused"
    FIX_NEWS = "fix_news"
    STOP_FIX = "stop_fix"
    FIX_GOES_ON = "fix_goes_on"
    FILE_LOST = "file_lost"
    REPORTER_SAID = "reporter_said"
    RESOLVED = "resolved"
    REOPENED = "reopened"


class BugPost(Post):
    kind: Literal["bug"] = "bug"
    about: About
    resolution: Resolution | None = None
    """With RESOLVED: the resolution at that time. The case may be open again when the post is sent."""
    closed_by_message: bool = False
    """With RESOLVED: a person's message closed the case."""
    since: MessageId = MessageId(0)
    """With REPORTER_SAID: messages after this one are shown, up to the post's number."""

    @property
    def is_told_by_the_record(self) -> bool:
        return self.about is About.REPORTER_SAID


class Progress(Part):
    """Progress of the work. Counters never decrease: effect keys and turn numbers are made from them."""

    turns: int = 0
    transitions: int = 0
    base: Sha | None = None
    """The commit that the investigator reads."""
    session: SessionId | None = None
    """The agent session of the last completed turn."""


class Report(Part):
    """What patterns found in the report itself."""

    severity: Severity | None = None
    """Null: nobody has read the report yet."""
    services: tuple[str, ...] = ()
    vague: bool = False
    """The report has nothing to start from: the first turn asks the reporter, and has no tools."""


class Waiting(Part):
    waited_in: BugState | None = None
    """The waiting state that the next turn continues from."""
    timed_out: bool = False
    """The reporter was asked and did not answer in time."""
    remind_at: datetime | None = None
    until: datetime | None = None
    """When the current wait ends. Null: never."""
    cure: bool = False
    """The last turn failed for a reason outside of the case, which a person has to put right."""


class People(Part):
    """What people said and decided, and what they were told."""

    answered: MessageId = MessageId(0)
    """The newest message that was acknowledged in its thread."""
    relayed: MessageId = MessageId(0)
    """The newest message of the reporter that developers were shown. The report itself is in the summary."""
    told_of_files: MessageId = MessageId(0)
    """The newest message whose lost files people were told of."""
    developer_spoke: bool = False
    findings_posted: bool = False
    answer_posted: bool = False
    """The reporter was told a result, with findings or without."""
    confirmable: bool = False
    """The reporter has spoken since then."""
    escalated: bool = False
    taken_by: str = ""
    asked_to_close: str = ""
    """The person who was asked for a resolution type and a reason."""
    close_reason: MessageId | None = None
    """The message in which that person gave a reason, but no type."""
    extra_micros: int = 0
    """What people added to the policy's budget."""
    warned_of_cap: int = 0
    """The budget, in micro-dollars, that people were last warned about."""
    out_of_money: bool = False
    """The last turn ended because the budget is used up."""


class Repair(Part):
    """The issue case that fixes the bug."""

    fix: CaseId | None = None
    fix_wanted: bool = False
    """A developer asked for it, and it was not opened (or announced) yet."""
    fix_open: bool = False
    """It is being worked on: silence does not resolve the bug case meanwhile."""
    stop_asked: bool = False
    """The report was withdrawn, and developers were asked whether the fix shall stop."""
    stopped_by: MessageId | None = None
    """The message that wants it stopped. Null again once the fix was told."""


class Ending(Part):
    resolution: Resolution | None = None
    closed_by: MessageId | None = None
    """The message that closed the case, if any: its reason is posted."""


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
    """Posts to send, in this order, each once. Saved with the move that caused them, so that no crash loses one."""

    @property
    def is_over(self) -> bool:
        return self.state is BugState.RESOLVED


def cap_of(bug: BugCase, policy: Policy) -> int:
    """What the case may spend, in micro-dollars."""
    return policy.budget_micros + bug.people.extra_micros


def status_of(bug: BugCase) -> BugStatus:
    """The status that people are shown. Computed, never stored."""
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
