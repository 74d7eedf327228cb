"""What people can do with a bug case in its current state: read by `why` and by the buttons of its page."""

from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.phrasing import Phrasing, begin

K = MessageKind

KINDS: Final = ", ".join(kind.value for kind in Resolution)


class BugOption(BaseModel):
    """Something a person can do. An answer is meant for the reporter, or for who answers on their behalf."""

    model_config = ConfigDict(frozen=True)
    case: CaseId
    kind: MessageKind
    does: str
    """What it does: the end of a sentence that begins with the command."""
    given: str = ""
    """What follows the command."""

    def words(self, phrasing: Phrasing) -> str:
        match self.kind:
            case K.ANSWER:
                return f"{begin(phrasing.answer_as_reporter(self.case))} {self.does}."
            case K.CLOSE:
                return f"{begin(phrasing.resolve(self.case))} {self.does}. KIND: {KINDS}."
            case _:
                return f"{begin(phrasing.command(self.case, self.kind, self.given))} {self.does}."


def options(bug: BugCase) -> list[BugOption]:
    """The most likely first."""
    speak = _option(bug, K.WORDS, 'is read by the investigator; "please fix it" asks for a fix')
    take = _option(bug, K.TAKEOVER, "stops the agent: you go on")
    close = _option(bug, K.CLOSE, "resolves it, and tells the reporter")
    match bug.state:
        case BugState.RESOLVED:
            return [_option(bug, K.WORDS, "opens it again; mere thanks do not")]
        case BugState.DEV_TAKEOVER:
            return [_option(bug, K.HAND_BACK, "lets the agent go on, with all that was said meanwhile"), close]
        case BugState.AWAITING_REPORTER:
            return [_option(bug, K.ANSWER, "answers"), speak, *_money(bug), take, close]
        case BugState.INVESTIGATING | BugState.AWAITING_DEV:
            stuck = bug.waiting.cure or bug.stalled is not None
            again = [_option(bug, K.RETRY, "tries again at once")] if stuck else []
            if is_out_of_money(bug):
                return [*_money(bug), speak, take, close]
            return [*again, speak, *_money(bug), take, close]
        case _:
            assert_never(bug.state)


def is_out_of_money(bug: BugCase) -> bool:
    """Whether more money lets it go on."""
    return bug.people.out_of_money and bug.state is BugState.AWAITING_DEV


def _money(bug: BugCase) -> list[BugOption]:
    """Once people were told that the budget ends."""
    if is_out_of_money(bug):
        return [_option(bug, K.BUDGET, "goes on with 5 dollars more", given="+5")]
    return [_option(bug, K.BUDGET, "lets it spend more", given="+5")] if bug.people.warned_of_cap else []


def _option(bug: BugCase, kind: MessageKind, does: str, *, given: str = "") -> BugOption:
    return BugOption(case=bug.id, kind=kind, does=does, given=given)
