"""The closed union of what can be said to a case: words, commands, and the news that the forge and linked cases bring.

Intake makes a command once, from the person's text or from what the surface knows. It is stored as data with the
message and never parsed again. The text itself is kept on the message: a command only holds what code acts on."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.policy import Milestone


class MessageKind(StrEnum):
    """The name of each command: what queries, bells and the record use."""

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
    FIX_NEWS = "fix_news"
    FIX_MERGED = "fix_merged"
    FIX_ENDED = "fix_ended"


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
        """Whether it asks for work, said to a case that rests or is over. Thanks don't."""
        return False

    @property
    def wants_something(self) -> bool:
        """Whether its words ask for something that somebody has to see to."""
        return False

    def bare(self) -> Self:
        """Without people's own words: those must not enter workflow history."""
        return self


class _Spoken(_Command):
    asks: bool = True
    """More than thanks or a nod. Set by intake, from the text."""

    @property
    def reopens(self) -> bool:
        return self.asks

    @property
    def wants_something(self) -> bool:
        return self.asks


class Say(_Spoken):
    kind: Literal[MessageKind.WORDS] = MessageKind.WORDS


class Answer(_Spoken):
    """Words that their author calls an answer."""

    kind: Literal[MessageKind.ANSWER] = MessageKind.ANSWER


class Edit(_Command):
    """The author changed an earlier message; the text is the new one. It reopens nothing: mostly it corrects a typing
    error, and who wants to be heard writes again."""

    kind: Literal[MessageKind.EDIT] = MessageKind.EDIT


class Delete(_Command):
    """The author took an earlier message back; the text is the old one."""

    kind: Literal[MessageKind.DELETION] = MessageKind.DELETION


class Approve(_Command):
    kind: Literal[MessageKind.APPROVE] = MessageKind.APPROVE
    milestone: Milestone | None = None
    """How far the case may go now. Null: all the way."""
    subject: str | None = None
    """What is agreed to, as the case names it, where the surface knows. Null: what the case waits for."""


class Reject(_Command):
    kind: Literal[MessageKind.REJECT] = MessageKind.REJECT
    reason: str = ""
    """What should be different. Empty: it does not say."""

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
    """It comes with words that ask for something. Set by intake, from the text."""

    @property
    def wants_something(self) -> bool:
        return self.asks


class RaiseBudget(_Command):
    kind: Literal[MessageKind.BUDGET] = MessageKind.BUDGET
    micros: int = Field(default=0, ge=0)
    """How much more may be spent. 0: what was said is no amount."""
    amount: str = ""
    """The amount as it was written."""

    def bare(self) -> Self:
        return self.model_copy(update={"amount": ""})


class Retry(_Command):
    kind: Literal[MessageKind.RETRY] = MessageKind.RETRY

    @property
    def reopens(self) -> bool:
        return True


class Close(_Command):
    kind: Literal[MessageKind.CLOSE] = MessageKind.CLOSE
    resolution: Resolution | None = None
    """Of a bug. Null: its reporter dropped it."""
    reason: str = ""

    def bare(self) -> Self:
        return self.model_copy(update={"reason": ""})


class CloseIncomplete(_Command):
    """A developer's close of a bug without a resolution or without a reason: what is missing is asked for."""

    kind: Literal[MessageKind.CLOSE_INCOMPLETE] = MessageKind.CLOSE_INCOMPLETE
    resolution: Resolution | None = None


class Merged(_Command):
    """A person merged the pull request: an act on the forge that moves the case like a command."""

    kind: Literal[MessageKind.MERGED] = MessageKind.MERGED


class PullClosed(_Command):
    """A person closed the pull request without merging it."""

    kind: Literal[MessageKind.PULL_CLOSED] = MessageKind.PULL_CLOSED


class FixNews(_Command):
    """The issue case that fixes a bug needs a person, or has a pull request."""

    kind: Literal[MessageKind.FIX_NEWS] = MessageKind.FIX_NEWS


class FixMerged(_Command):
    kind: Literal[MessageKind.FIX_MERGED] = MessageKind.FIX_MERGED


class FixEnded(_Command):
    """The issue case that was to fix a bug ended without a merge."""

    kind: Literal[MessageKind.FIX_ENDED] = MessageKind.FIX_ENDED


Command = Annotated[
    Say
    | Answer
    | Edit
    | Delete
    | Approve
    | Reject
    | Takeover
    | HandBack
    | RaiseBudget
    | Retry
    | Close
    | CloseIncomplete
    | Merged
    | PullClosed
    | FixNews
    | FixMerged
    | FixEnded,
    Field(discriminator="kind"),
]
