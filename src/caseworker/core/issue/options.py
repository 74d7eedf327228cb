"""What a person can do with an issue case in the state it is in, and what is refused there: the same rules for every
surface, before anything is sent. The flow asks `fits` again when the message is read."""

from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import micros_of
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.issue.case import IssueCase, Subject, Wait, WaitingFor
from caseworker.core.issue.command_facts import fact_of
from caseworker.core.issue.facts import Agreed
from caseworker.core.issue.moves import reached
from caseworker.core.issue.people import fits
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, IssueState
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import of_state
from caseworker.core.people.grammar import BARE_REJECTION, milestone_in
from caseworker.core.people.messages import Claimed, MessageKind, Standing

K = MessageKind
S = IssueState

COMMAND: Final = {
    K.WORDS: "say",
    K.ANSWER: "answer",
    K.APPROVE: "approve",
    K.REJECT: "reject",
    K.TAKEOVER: "takeover",
    K.HAND_BACK: "handback",
    K.BUDGET: "budget",
    K.RETRY: "retry",
    K.CLOSE: "close",
}
"""How each is typed."""
_GIVEN: Final = {
    K.WORDS: ' "..."',
    K.ANSWER: ' "..."',
    K.REJECT: ' "what should be different"',
    K.BUDGET: " +5",
}


class Option(BaseModel):
    """`kind` is null for what is done elsewhere: a merge."""

    model_config = ConfigDict(frozen=True)
    kind: MessageKind | None
    words: str


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
    by_words = {option.kind or option.words: option for option in reversed(several)}
    return [option for option in several if by_words[option.kind or option.words] is option]


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
            agreed, declined = _AGREED[wait.subject], _DECLINED[wait.subject]
            answer = _do(case, K.ANSWER, "decides it in your own words; the pm makes sense of them")
            said = answer if wait.subject is Subject.ESCALATION else _ask(case)
            return [_do(case, K.APPROVE, agreed), _do(case, K.REJECT, declined), said]
        case WaitingFor.BUDGET:
            return [_do(case, K.BUDGET, "goes on with 5 dollars more")]
        case WaitingFor.MILESTONE:
            nearer = "" if case.requirements.planned else "; with `--until plan`, to the plan"
            return [_do(case, K.APPROVE, f"goes on, all the way to a pull request{nearer}"), _ask(case)]
        case WaitingFor.MERGE:
            changes = _do(case, K.REJECT, "has it changed, in the same pull request")
            return [_merge(case), changes, _remark(case)]
        case _:
            assert_never(wait.reason)


def _merge(case: IssueCase) -> Option:
    return Option(kind=None, words=f"Merging `{case.branch}` completes the case: it sees that by itself.")


def _remark(case: IssueCase) -> Option:
    return _do(case, K.WORDS, "asks or remarks; the pm decides what follows")


_AGREED: Final[dict[Subject | None, str]] = {
    None: "goes on",
    Subject.SENSITIVE: "agrees that it is worked on; with `--until plan`, as far as the plan",
    Subject.PLAN: "goes on with the plan",
    Subject.ARCHITECTURE: "lets the architecture be changed",
    Subject.ESCALATION: "goes on as proposed",
    Subject.NO_RED_TEST: "goes on without; the pull request says so, with your name",
    Subject.NO_COMMAND: "goes on without; the pull request says so, with your name",
    Subject.RED_BASE: "goes on all the same; the pull request says so, with your name",
    Subject.TOUCHES: "lets it become a pull request, which says so, with your name",
    Subject.FORBIDDEN: "lets these paths be changed; the pull request says so, with your name",
}
_DECLINED: Final[dict[Subject | None, str]] = {
    None: "says what to do instead",
    Subject.SENSITIVE: "closes the case",
    Subject.PLAN: "has it planned anew, with your words",
    Subject.ARCHITECTURE: "says what to do instead",
    Subject.ESCALATION: "says what to do instead",
    Subject.NO_RED_TEST: "says what to do instead",
    Subject.NO_COMMAND: "says what to do instead",
    Subject.RED_BASE: "says what to do instead",
    Subject.TOUCHES: "says what to do instead",
    Subject.FORBIDDEN: "has it taken back, with your words",
}


def _after_the_end(case: IssueCase) -> list[Option]:
    if case.state is S.COMPLETED:
        more = _do(case, K.WORDS, "opens a new case that follows up on it, if your words ask for work")
        return [more, _do(case, K.RETRY, "opens a new case for the same issue; this one stays completed")]
    again = _do(case, K.RETRY, _again(case))
    return [again, _do(case, K.WORDS, "opens it again, if your words ask for work")]


def _ask(case: IssueCase) -> Option:
    return _do(case, K.WORDS, "asks or remarks, and decides nothing")


def _do(case: IssueCase, kind: MessageKind, does: str) -> Option:
    return Option(kind=kind, words=f"`{typed(case.id, kind)}` {does}.")


def typed(case: CaseId, kind: MessageKind) -> str:
    """The command as it is typed."""
    return f"caseworker {COMMAND[kind]} {case}{_GIVEN.get(kind, '')}"


# --- what is refused -------------------------------------------------------------------------------------------------


def refuse_misfit(case: IssueCase, kind: MessageKind, text: str) -> None:
    """Raises `Refused` for what can't be done in this state, or says too little to be done; with what could be."""
    reason = _misfit(case, kind, text)
    if reason is None:
        return
    name, state = COMMAND.get(kind, kind.value), of_state(case.state)
    if kind in _WELL_SAID and _misfit(case, kind, _WELL_SAID[kind]) is None:  # only what it says is wrong
        how = next((option.words for option in options(case) if option.kind is kind), "")
        raise Refused(f"`{name}` fits {case.id}, but not like this: {reason}.", todo=how)
    which = "" if reason.startswith(f"it is {state}") else f" ({state})"
    raise Refused(f"`{name}` does not fit {case.id}{which}: {reason}.", todo=_instead(case))


_WELL_SAID: Final = {K.APPROVE: "", K.REJECT: "It should be blue.", K.BUDGET: "+5"}
"""Commands that can be refused for what they say, and how they are not."""


def _misfit(case: IssueCase, kind: MessageKind, text: str) -> str | None:
    micros = micros_of(text) if kind is K.BUDGET else 0
    said = Claimed(id=MessageId(0), kind=kind, author="you", standing=Standing.OWNER, micros=micros)
    fact = fact_of(said)
    misfit = fits(case, fact) if fact is not None else None
    if misfit is not None:
        return misfit
    match kind:
        case K.RETRY if at_work(case):
            return "it is not stuck"
        case K.ANSWER:
            return _unasked(case)
        case K.APPROVE:
            return _no_further(case, milestone_in(text))
        case K.REJECT if not text.strip() or BARE_REJECTION.fullmatch(text.strip()):
            return "it does not say what should be different"
        case K.BUDGET if case.state in TERMINAL:
            return "the case is over"
        case K.BUDGET if not micros:
            return f"`{text.strip()}` is no amount: `+5` or `+2.50` adds so many dollars"
        case _:
            return None


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


def _instead(case: IssueCase) -> str:
    fitting = [f"`{COMMAND[option.kind]}`" for option in options(case) if option.kind is not None]
    return f"What fits: {', '.join(dict.fromkeys(fitting))}. `caseworker why {case.id}` says more."
