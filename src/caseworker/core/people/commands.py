"""The closed union of commands to a case: plain words, commands of people, and news from the forge and linked cases.

Intake makes a command once, from the person's text or from what the surface knows. It is stored as data with the
message and never parsed again. The text stays on the message: a command only holds what code acts on."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import Sha
from caseworker.core.base.policy import Milestone
from caseworker.core.base.workflow_names import PullWork


class MessageKind(StrEnum):
    """The name of each command, used by queries, bells and the record."""

    WORDS = "words"
    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"
    TAKEOVER = "takeover"
    HAND_BACK = "hand_back"
    BUDGET = "budget"
    RETRY = "retry"
    CLOSE = "close"
    MERGED = "merged"
    PULL_CLOSED = "pull_closed"
    EDIT = "edit"
    DELETION = "deletion"
    CLOSE_INCOMPLETE = "close_incomplete"
    FIX_READY = "fix_ready"
    FIX_WAITING = "fix_waiting"
    FIX_MERGED = "fix_merged"
    FIX_ENDED = "fix_ended"
    RERUN = "rerun"
    START = "start"
    STOP = "stop"
    RESUME = "resume"
    ABORT = "abort"
    REBASE = "rebase"
    STOP_FIX = "stop_fix"


class Resolution(StrEnum):
    """How a bug case was closed."""

    CODE_FIX = "code_fix"
    DATA_FIX = "data_fix"
    CONFIG_FIX = "config_fix"
    NOT_A_BUG = "not_a_bug"
    DUPLICATE = "duplicate"
    NO_RESPONSE = "no_response"


class _Command(BaseModel):
    model_config = ConfigDict(frozen=True)

    @property
    def reopens(self) -> bool:
        """Whether it asks for work from a case that waits or is over. Thanks don't."""
        return False

    @property
    def wants_something(self) -> bool:
        """Whether its text asks for something that has to be handled."""
        return False

    def bare(self) -> Self:
        """A copy without people's own words, which must not enter workflow history."""
        return self


class _Spoken(_Command):
    asks: bool = True
    """It is more than thanks or agreement. Set by intake, from the text."""

    @property
    def reopens(self) -> bool:
        return self.asks

    @property
    def wants_something(self) -> bool:
        return self.asks


class Say(_Spoken):
    kind: Literal[MessageKind.WORDS] = MessageKind.WORDS
    only_opens: bool = False
    """Nobody wrote it: it opens a case, whose issue says it all. Agents are not shown it."""
    by_agent: bool = False
    """An agent of another case wrote it."""


class Answer(_Spoken):
    """Words sent as an answer to what the case asked."""

    kind: Literal[MessageKind.ANSWER] = MessageKind.ANSWER


class Edit(_Command):
    """The author changed an earlier message; the text is the new one. It never reopens a case: most edits correct
    typing errors, and a person who wants more writes again."""

    kind: Literal[MessageKind.EDIT] = MessageKind.EDIT


class Delete(_Command):
    """The author deleted an earlier message; the text is the old one."""

    kind: Literal[MessageKind.DELETION] = MessageKind.DELETION


class Approve(_Command):
    kind: Literal[MessageKind.APPROVE] = MessageKind.APPROVE
    milestone: Milestone | None = None
    """How far the case may go now. Null: all the way."""
    subject: str | None = None
    """What is approved, in the case's terms, if the surface knows. Null: what the case waits for."""


class Reject(_Command):
    kind: Literal[MessageKind.REJECT] = MessageKind.REJECT
    reason: str = ""
    """What should be different. Empty: not given."""

    def bare(self) -> Self:
        return self.model_copy(update={"reason": ""})


class Takeover(_Command):
    kind: Literal[MessageKind.TAKEOVER] = MessageKind.TAKEOVER

    @property
    def reopens(self) -> bool:
        return True


class HandBack(_Command):
    kind: Literal[MessageKind.HAND_BACK] = MessageKind.HAND_BACK
    asks: bool = False
    """Its text also asks for something. Set by intake, from the text."""

    @property
    def wants_something(self) -> bool:
        return self.asks


class RaiseBudget(_Command):
    kind: Literal[MessageKind.BUDGET] = MessageKind.BUDGET
    micros: int = Field(default=0, ge=0)
    """How much more may be spent. 0: the text has no valid amount."""
    amount: str = ""
    """The amount as it was written."""

    def bare(self) -> Self:
        return self.model_copy(update={"amount": ""})


class Retry(_Command):
    kind: Literal[MessageKind.RETRY] = MessageKind.RETRY

    @property
    def reopens(self) -> bool:
        return True


class Rerun(_Command):
    """Make the triage or the plan again, with what was said since. Given on a forge, by its label or in a comment."""

    kind: Literal[MessageKind.RERUN] = MessageKind.RERUN
    milestone: Milestone = Milestone.PLAN
    """TRIAGE or PLAN."""


class StartWork(_Command):
    """Begin a workflow on a pull request. Given on a forge, by its label or in a comment, or in the terminal."""

    kind: Literal[MessageKind.START] = MessageKind.START
    workflow: PullWork = "ship"
    deadline_seconds: int | None = Field(default=None, gt=0)
    """How long a `ship` may take. Null: as long as the settings say."""
    resumes: bool = False
    """It takes up a session that ended before its work was done. What people have pushed since is adopted."""

    @property
    def reopens(self) -> bool:
        return True


class Stop(_Command):
    """Pause the work on a pull request."""

    kind: Literal[MessageKind.STOP] = MessageKind.STOP


class Resume(_Command):
    """Go on with work that was paused. The head as it is now is adopted."""

    kind: Literal[MessageKind.RESUME] = MessageKind.RESUME
    in_passing: bool = False
    """Said in words that people also say to each other: `go on`, `continue`."""


class Abort(_Command):
    """End the work on a pull request."""

    kind: Literal[MessageKind.ABORT] = MessageKind.ABORT


class BringUpToDate(_Command):
    """Rebase the branch of a pull request onto its base, though GitHub does not demand it."""

    kind: Literal[MessageKind.REBASE] = MessageKind.REBASE


class Close(_Command):
    kind: Literal[MessageKind.CLOSE] = MessageKind.CLOSE
    resolution: Resolution | None = None
    """For a bug case. Null: its reporter withdrew the report."""
    reason: str = ""

    def bare(self) -> Self:
        return self.model_copy(update={"reason": ""})


class CloseIncomplete(_Command):
    """A developer's close of a bug case without a resolution or a reason: they are asked for what is missing."""

    kind: Literal[MessageKind.CLOSE_INCOMPLETE] = MessageKind.CLOSE_INCOMPLETE
    resolution: Resolution | None = None
    reason: str = ""
    explained: bool = False
    """A reason was given. Set when the reason itself is taken away."""

    def bare(self) -> Self:
        return self.model_copy(update={"reason": "", "explained": self.explained or bool(self.reason)})


class StopFix(_Command):
    """A developer's answer to the question whether the fix of a withdrawn report shall stop."""

    kind: Literal[MessageKind.STOP_FIX] = MessageKind.STOP_FIX
    stop: bool | None = None
    """Null: the answer is not clear, and they are asked again."""


class Merged(_Command):
    """A person merged the pull request on the forge. `commit`: what was merged, if that is not what was delivered."""

    kind: Literal[MessageKind.MERGED] = MessageKind.MERGED
    commit: Sha | None = None


class PullClosed(_Command):
    """A person closed the pull request on the forge without merging it."""

    kind: Literal[MessageKind.PULL_CLOSED] = MessageKind.PULL_CLOSED


class FixReady(_Command):
    """The issue case that fixes a bug has a pull request, which a person is to merge."""

    kind: Literal[MessageKind.FIX_READY] = MessageKind.FIX_READY


class FixWaiting(_Command):
    """The issue case that fixes a bug can't go on without a person."""

    kind: Literal[MessageKind.FIX_WAITING] = MessageKind.FIX_WAITING


class FixMerged(_Command):
    kind: Literal[MessageKind.FIX_MERGED] = MessageKind.FIX_MERGED


class FixEnded(_Command):
    """The issue case that was to fix a bug ended without a merge."""

    kind: Literal[MessageKind.FIX_ENDED] = MessageKind.FIX_ENDED


SpokenCommand = Say | Answer | Edit | Delete
ToAnyCase = Takeover | HandBack | RaiseBudget | Retry | Close
ToIssue = Approve | Reject | Rerun
"""Only for issue cases."""
ToBug = CloseIncomplete | StopFix
"""Only for bug cases."""
ToSession = StartWork | BringUpToDate | Stop | Resume | Abort
"""Only for pull cases."""
PullNews = Merged | PullClosed
"""From the forge, for issue cases."""
FixNews = FixReady | FixWaiting | FixMerged | FixEnded
"""From issue cases, for the bug case that they fix."""
Command = Annotated[
    SpokenCommand | ToAnyCase | ToIssue | ToBug | ToSession | PullNews | FixNews, Field(discriminator="kind")
]
