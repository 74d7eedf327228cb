"""What a person can do with an issue case in the state it is in, and what is refused there: the same rules for every
surface, before anything is sent. The flow asks `fits` again when the message is read."""

from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import MICROS
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.command_facts import fact_of
from caseworker.core.issue.facts import Agreed
from caseworker.core.issue.fits import fits
from caseworker.core.issue.moves import reached
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, IssueState
from caseworker.core.issue.subjects import SUBJECTS, Subject, SubjectRow, WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import of_state
from caseworker.core.people.commands import (
    Answer,
    Approve,
    Close,
    Command,
    MessageKind,
    RaiseBudget,
    Reject,
    Retry,
    Takeover,
)
from caseworker.core.people.messages import NOBODY, Claimed, Standing
from caseworker.core.people.phrasing import Page, Phrasing, begin

K = MessageKind
S = IssueState


class Option(BaseModel):
    """Something a person can do. `kind` is null for what is done elsewhere: a merge."""

    model_config = ConfigDict(frozen=True)
    case: CaseId
    kind: MessageKind | None
    does: str
    """What comes of it, as the end of a sentence that begins with the command; without a kind, all of the sentence."""
    given: str = ""
    """What follows the command."""
    to_plan: str = ""
    """What comes of an approval that goes no further than the plan. Empty: it can't be limited so."""

    def words(self, phrasing: Phrasing) -> str:
        if self.kind is None:
            return f"{self.does}."
        until = phrasing.until(Milestone.PLAN) if self.to_plan else ""
        limited = f"; with {until}, {self.to_plan}" if until else ""
        return f"{begin(phrasing.command(self.case, self.kind, self.given))} {self.does}{limited}."


def awaits_agreement(case: IssueCase) -> bool:
    return fits(case, Agreed(by="")) is None


def options(case: IssueCase) -> list[Option]:
    """The most fitting first."""
    if case.state in TERMINAL:
        return _after_the_end(case)
    aside = [_do(case, K.TAKEOVER, "stops the agents: you go on")] if not case.people.taken_by else []
    end = _do(case, K.CLOSE, "ends it; the work so far stays where it is")
    if at_work(case):
        heard = _do(case, K.WORDS, "is read by the one at work, or by the next")
        return [heard, *aside, end]
    if case.people.taken_by:
        back = _do(case, K.HAND_BACK, "lets the agents go on, with all that was said meanwhile")
        return [back, _do(case, K.WORDS, "is kept for them until then"), end]
    asked = _of_wait(case, case.waiting.wait) if case.waiting.wait is not None else []
    return _each_once([*asked, *_if_parked(case), *aside, end])


def _each_once(several: list[Option]) -> list[Option]:
    first = {option.kind or option.does: option for option in reversed(several)}
    return [option for option in several if first[option.kind or option.does] is option]


def _if_parked(case: IssueCase) -> list[Option]:
    if case.state not in PARKED:
        return []
    more = _do(case, K.WORDS, "tells the pm how to go on")
    again = _do(case, K.RETRY, _again(case))
    answers = case.waiting.wait is not None and case.waiting.wait.reason is WaitingFor.ANSWER
    return [again] if answers else [more, again]


def _again(case: IssueCase) -> str:
    if case.waiting.resume is S.INVESTIGATING:
        return "goes on with the investigation; its iterations are not counted anew"
    return "goes on where it was left, with fresh attempts"


def _of_wait(case: IssueCase, wait: Wait) -> list[Option]:
    match wait.reason:
        case WaitingFor.ANSWER:
            return [_do(case, K.ANSWER, "answers; a part of it is welcome, too")]
        case WaitingFor.APPROVAL:
            row = SUBJECTS[wait.subject] if wait.subject is not None else SubjectRow(agreed="goes on")
            answer = _do(case, K.ANSWER, "decides it in your own words; the pm makes sense of them")
            said = answer if wait.subject is Subject.ESCALATION else _ask(case)
            to_plan = "as far as the plan" if wait.subject is Subject.SENSITIVE else ""
            return [_do(case, K.APPROVE, row.agreed, to_plan=to_plan), _do(case, K.REJECT, row.declined), said]
        case WaitingFor.BUDGET:
            return [_do(case, K.BUDGET, "goes on with 5 dollars more", given="+5")]
        case WaitingFor.MILESTONE:
            to_plan = "" if case.requirements.planned else "to the plan"
            return [_do(case, K.APPROVE, "goes on, all the way to a pull request", to_plan=to_plan), _ask(case)]
        case WaitingFor.MERGE:
            changes = _do(case, K.REJECT, "has it changed, in the same pull request")
            return [_merge(case), changes, _remark(case)]
        case _:
            assert_never(wait.reason)


def _merge(case: IssueCase) -> Option:
    return Option(case=case.id, kind=None, does=f"Merging `{case.branch}` completes the case: it sees that by itself")


def _remark(case: IssueCase) -> Option:
    return _do(case, K.WORDS, "asks or remarks; the pm decides what follows")


def _after_the_end(case: IssueCase) -> list[Option]:
    if case.state is S.COMPLETED:
        more = _do(case, K.WORDS, "opens a new case that follows up on it, if your words ask for work")
        return [more, _do(case, K.RETRY, "opens a new case for the same issue; this one stays completed")]
    again = _do(case, K.RETRY, _again(case))
    return [again, _do(case, K.WORDS, "opens it again, if your words ask for work")]


def _ask(case: IssueCase) -> Option:
    return _do(case, K.WORDS, "asks or remarks, and decides nothing")


def _do(case: IssueCase, kind: MessageKind, does: str, *, given: str = "", to_plan: str = "") -> Option:
    return Option(case=case.id, kind=kind, does=does, given=given, to_plan=to_plan)


# --- what is refused -------------------------------------------------------------------------------------------------


def refuse_misfit(case: IssueCase, command: Command, phrasing: Phrasing) -> None:
    """Raises `Refused` for what can't be done in this state, or says too little to be done; with what could be, as it
    is done where the person waits."""
    reason = misfit(case, command)
    if reason is None:
        return
    name = begin(phrasing.name(command.kind))
    well_said = _WELL_SAID.get(command.kind)
    if well_said is not None and misfit(case, well_said) is None:  # only what it says is wrong
        how = next((option.words(phrasing) for option in options(case) if option.kind is command.kind), "")
        raise Refused(f"{name} fits {case.id}, but not like this: {reason}.", todo=how)
    state = "" if _names_the_state(case, command) else f" ({of_state(case.state)})"
    raise Refused(f"{name} does not fit {case.id}{state}: {reason}.", todo=_instead(case, phrasing))


_WELL_SAID: Final[dict[MessageKind, Command]] = {
    K.APPROVE: Approve(),
    K.REJECT: Reject(reason="It should be blue."),
    K.BUDGET: RaiseBudget(micros=5 * MICROS),
}
"""Commands that can be refused for what they say, and how they are not."""


def _names_the_state(case: IssueCase, command: Command) -> bool:
    """Whether the reason of a misfit tells the state the case is in."""
    if isinstance(command, Close):
        return case.state in TERMINAL
    return isinstance(command, Takeover) and case.state is S.COMPLETED


def misfit(case: IssueCase, command: Command) -> str | None:
    """Why this command can't be obeyed in this state. Null: it can."""
    fact = fact_of(Claimed(id=NOBODY, command=command, author="you", standing=Standing.OWNER))
    reason = fits(case, fact) if fact is not None else None
    if reason is not None:
        return reason
    match command:
        case Retry() if at_work(case):
            return "it is not stuck"
        case Answer():
            return _unasked(case)
        case Approve():
            return _of_something_else(case, command.subject) or _no_further(case, command.milestone)
        case Reject(reason=""):
            return "it does not say what should be different"
        case RaiseBudget() if case.state in TERMINAL:
            return "the case is over"
        case RaiseBudget(micros=0, amount=amount):
            return f"`{amount}` is no amount: `+5` or `+2.50` adds so many dollars"
    return None


def _of_something_else(case: IssueCase, subject: str | None) -> str | None:
    waits_for = case.waiting.wait.subject if case.waiting.wait is not None else None
    return None if subject is None or subject == waits_for else "it waits for another approval by now"


def _no_further(case: IssueCase, until: Milestone | None) -> str | None:
    if until is None or how_far(until) > how_far(reached(case)):
        return None
    if reached(case) is Milestone.PLAN and not case.requirements.planned:
        return f"it is past the {until} already, and goes on to a pull request"
    return f"it has come as far as the {reached(case)} already"


def _unasked(case: IssueCase) -> str | None:
    """An answer may come late, in parts, and from anybody; only where nothing was ever asked there is none."""
    if case.state in WAITING | PARKED:
        expected = case.waiting.wait is None or case.waiting.wait.reason is WaitingFor.ANSWER
        expected = expected or (case.waiting.wait is not None and case.waiting.wait.subject is Subject.ESCALATION)
        return None if expected else "it waits for something else than an answer"
    asked = case.people.asked > 0 or case.waiting.wait is not None or case.state in TERMINAL
    return None if asked else "nothing was asked"


def _instead(case: IssueCase, phrasing: Phrasing) -> str:
    fitting = [phrasing.name(option.kind) for option in options(case) if option.kind is not None]
    more = begin(phrasing.page(case.id, Page.WHY))
    return f"What fits: {', '.join(dict.fromkeys(fitting))}. {more} says more."


def waits_for_a_person(case: IssueCase) -> bool:
    """Somebody has to answer, approve, decide or merge; not while a person has taken the case over."""
    return not at_work(case) and case.state in WAITING | PARKED
