"""What a person can do with an issue case in its current state, and what is refused there, for every surface.

Checked before a command is sent. The flow checks that it fits again when it reads the message."""

from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import MICROS, no_amount
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, noun
from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.command_facts import fact_of
from caseworker.core.issue.delivered import goal_of
from caseworker.core.issue.facts import Agreed
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import milestone_reached
from caseworker.core.issue.states import PARKED, WAITING, IssueState
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
from caseworker.core.people.messages import NO_MESSAGE, Claimed, Standing
from caseworker.core.people.phrasing import Page, Phrasing, begin

K = MessageKind
S = IssueState


class Option(BaseModel):
    """Something a person can do. `kind` is null for what is done elsewhere, such as a merge."""

    model_config = ConfigDict(frozen=True)
    case: CaseId
    kind: MessageKind | None
    does: str
    """What it does: the end of a sentence that begins with the command. Without a kind: the whole sentence."""
    given: str = ""
    """What follows the command."""
    to_plan: str = ""
    """What an approval up to the plan does. Empty: it can't be limited to the plan."""

    def words(self, phrasing: Phrasing) -> str:
        if self.kind is None:
            return f"{self.does}."
        until = phrasing.until(Milestone.PLAN) if self.to_plan else ""
        limited = f"; with {until}, {self.to_plan}" if until else ""
        return f"{begin(phrasing.command(self.case, self.kind, self.given))} {self.does}{limited}."


def awaits_agreement(case: IssueCase) -> bool:
    return misfit_of(case, Agreed(by="")) is None


def options(case: IssueCase) -> list[Option]:
    """What a person can do now, the most likely first."""
    if case.is_over:
        return _end_options(case)
    aside = [_option(case, K.TAKEOVER, "stops the agents: you go on")] if not case.people.taken_by else []
    end = _option(case, K.CLOSE, "ends it; the work so far stays where it is")
    if at_work(case):
        heard = _option(case, K.WORDS, "is read by the one at work, or by the next")
        again = [_option(case, K.RETRY, "tries again at once")] if case.stalled is not None else []
        return [*again, heard, *aside, end]
    if case.people.taken_by:
        back = _option(case, K.HAND_BACK, "lets the agents go on, with all that was said meanwhile")
        return [back, _option(case, K.WORDS, "is kept for them until then"), end]
    asked = _wait_options(case, case.waiting.wait) if case.waiting.wait is not None else []
    return _without_duplicates([*asked, *_parked_options(case), *aside, end])


def _without_duplicates(several: list[Option]) -> list[Option]:
    first = {option.kind or option.does: option for option in reversed(several)}
    return [option for option in several if first[option.kind or option.does] is option]


def _parked_options(case: IssueCase) -> list[Option]:
    if case.state not in PARKED:
        return []
    more = _option(case, K.WORDS, "tells the pm how to go on")
    again = _option(case, K.RETRY, _again(case))
    answers = case.waiting.wait is not None and case.waiting.wait.reason is WaitingFor.ANSWER
    return [again] if answers else [more, again]


def _again(case: IssueCase) -> str:
    if case.waiting.resume is S.INVESTIGATING:
        return "goes on with the investigation; its iterations are not counted anew"
    return "goes on where it was left, with fresh attempts"


def _wait_options(case: IssueCase, wait: Wait) -> list[Option]:
    match wait.reason:
        case WaitingFor.ANSWER:
            return [_option(case, K.ANSWER, "answers; a part of it is welcome, too")]
        case WaitingFor.APPROVAL:
            row = SUBJECTS[wait.subject] if wait.subject is not None else SubjectRow(agreed="goes on")
            answer = _option(case, K.ANSWER, "decides it in your own words; the pm makes sense of them")
            said = answer if wait.subject is Subject.ESCALATION else _ask(case)
            to_plan = "as far as the plan" if wait.subject is Subject.SENSITIVE else ""
            return [_option(case, K.APPROVE, row.agreed, to_plan=to_plan), _option(case, K.REJECT, row.declined), said]
        case WaitingFor.BUDGET:
            return [_option(case, K.BUDGET, "goes on with 5 dollars more", given="+5")]
        case WaitingFor.MILESTONE:
            to_plan = "" if case.requirements.planned else "to the plan"
            return [
                _option(case, K.APPROVE, f"goes on, all the way to {goal_of(case.id)}", to_plan=to_plan),
                _ask(case),
            ]
        case WaitingFor.MERGE:
            changes = _option(case, K.REJECT, f"has it changed, in the same {noun(case.id)}")
            return [_merge(case), changes, _remark(case)]
        case WaitingFor.CURE:
            return _cure_options(case, wait)
        case _:
            assert_never(wait.reason)


def _cure_options(case: IssueCase, wait: Wait) -> list[Option]:
    again = "builds again, once it is put right" if wait.subject is Subject.NOT_RUN else "goes on where it was left"
    waived = [_option(case, K.APPROVE, SUBJECTS[wait.subject].agreed)] if wait.subject is not None else []
    said = _option(case, K.WORDS, "does so as well, and is read by whoever works next")
    return [_option(case, K.RETRY, again), said, *waived]


def _merge(case: IssueCase) -> Option:
    return Option(case=case.id, kind=None, does=f"Merging `{case.branch}` completes the case: it sees that by itself")


def _remark(case: IssueCase) -> Option:
    return _option(case, K.WORDS, "asks or remarks; the pm decides what follows")


def _end_options(case: IssueCase) -> list[Option]:
    if case.state is S.COMPLETED:
        more = _option(case, K.WORDS, "opens a new case that follows up on it, if your words ask for work")
        return [more, _option(case, K.RETRY, "opens a new case for the same issue; this one stays completed")]
    again = _option(case, K.RETRY, _again(case))
    return [again, _option(case, K.WORDS, "opens it again, if your words ask for work")]


def _ask(case: IssueCase) -> Option:
    return _option(case, K.WORDS, "asks or remarks, and decides nothing")


def _option(case: IssueCase, kind: MessageKind, does: str, *, given: str = "", to_plan: str = "") -> Option:
    return Option(case=case.id, kind=kind, does=does, given=given, to_plan=to_plan)


# --- what is refused -------------------------------------------------------------------------------------------------


def refuse_misfit(case: IssueCase, command: Command, phrasing: Phrasing) -> None:
    """Raises `Refused` for a command that is impossible in this state or incomplete, with what is possible instead, in
    the phrasing of the person's surface."""
    reason = misfit(case, command)
    if reason is None:
        return
    name = begin(phrasing.name(command.kind))
    valid = _VALID_COMMANDS.get(command.kind)
    if valid is not None and misfit(case, valid) is None:  # only its content is wrong
        how = next((option.words(phrasing) for option in options(case) if option.kind is command.kind), "")
        raise Refused(f"{name} fits {case.id}, but not like this: {reason}.", todo=how)
    state = "" if _names_the_state(case, command) else f" ({of_state(case.state)})"
    raise Refused(f"{name} does not fit {case.id}{state}: {reason}.", todo=_alternatives(case, phrasing))


_VALID_COMMANDS: Final[dict[MessageKind, Command]] = {
    K.APPROVE: Approve(),
    K.REJECT: Reject(reason="It should be blue."),
    K.BUDGET: RaiseBudget(micros=5 * MICROS),
}
"""Commands that can be refused for their content, each with valid content."""


def _names_the_state(case: IssueCase, command: Command) -> bool:
    """Whether the reason of a refusal already names the state."""
    if isinstance(command, Close):
        return case.is_over
    return isinstance(command, Takeover) and case.state is S.COMPLETED


def misfit(case: IssueCase, command: Command) -> str | None:
    """Why this command is refused in this state. Null: it is not."""
    fact = fact_of(Claimed(id=NO_MESSAGE, command=command, author="you", standing=Standing.OWNER))
    reason = misfit_of(case, fact) if fact is not None else None
    if reason is not None:
        return reason
    match command:
        case Retry() if at_work(case) and case.stalled is None:
            return "it is not stuck"
        case Answer():
            return _nothing_to_answer(case)
        case Approve():
            return _wrong_subject(case, command.subject) or _milestone_behind(case, command.milestone)
        case Reject(reason=""):
            return "it does not say what should be different"
        case RaiseBudget() if case.is_over:
            return "the case is over"
        case RaiseBudget(micros=0, amount=amount):
            return no_amount(amount)
    return None


def _wrong_subject(case: IssueCase, subject: str | None) -> str | None:
    waits_for = case.waiting.wait.subject if case.waiting.wait is not None else None
    return None if subject is None or subject == waits_for else "it waits for another approval by now"


def _milestone_behind(case: IssueCase, until: Milestone | None) -> str | None:
    if until is None or how_far(until) > how_far(milestone_reached(case)):
        return None
    if milestone_reached(case) is Milestone.PLAN and not case.requirements.planned:
        return f"it is past the {until} already, and goes on to {goal_of(case.id)}"
    return f"it has come as far as the {milestone_reached(case)} already"


def _nothing_to_answer(case: IssueCase) -> str | None:
    """Why there is nothing to answer. Null: there is. Answers may come late, in parts, and from anybody."""
    if case.state in WAITING | PARKED:
        expected = case.waiting.wait is None or case.waiting.wait.reason is WaitingFor.ANSWER
        expected = expected or (case.waiting.wait is not None and case.waiting.wait.subject is Subject.ESCALATION)
        return None if expected else "it waits for something else than an answer"
    asked = case.people.asked > 0 or case.waiting.wait is not None or case.is_over
    return None if asked else "nothing was asked"


def _alternatives(case: IssueCase, phrasing: Phrasing) -> str:
    fitting = [phrasing.name(option.kind) for option in options(case) if option.kind is not None]
    more = begin(phrasing.page(case.id, Page.WHY))
    return f"What fits: {', '.join(dict.fromkeys(fitting))}. {more} says more."


def waits_for_a_person(case: IssueCase) -> bool:
    """Whether a person has to answer, approve, decide or merge."""
    return not at_work(case) and case.state in WAITING | PARKED and not case.awaits_checks
