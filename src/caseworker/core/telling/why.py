"""Explains why an issue case is in its state: evidence, what it waits for, and what would move it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import CaseId, is_local
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Task
from caseworker.core.evidence.builds import Build
from caseworker.core.evidence.obstacle_words import remedy_words
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.issue.case import IssueCase, cap_of, limit_of
from caseworker.core.issue.check_watch import check_words
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.moves import is_used_up, next_reminder
from caseworker.core.issue.options import options
from caseworker.core.issue.states import PARKED, ROWS, WAITING, IssueState
from caseworker.core.issue.subjects import WAIVERS, Subject, WaitingFor
from caseworker.core.issue.turns import TURN_OF, at_work, turn_of
from caseworker.core.issue.words import of_state
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.record.entries import Recorded
from caseworker.core.telling.evidence_lines import evidence_of
from caseworker.core.telling.fact_sources import Fact
from caseworker.core.telling.workflow_context import WorkflowContext

S = IssueState


class Why(BaseModel):
    model_config = ConfigDict(frozen=True)

    case: CaseId
    state: str
    stands: str
    because: str
    """The reason of the last move."""
    evidence: list[Fact]
    waits_for: str = ""
    asked: str = ""
    """What people were asked, word for word."""
    until: datetime | None = None
    """When the wait ends. Null: never."""
    moves_it: list[str]
    """What a person can do now, and how."""
    next: str
    """What the case does by itself."""
    bound_to: list[Fact] = []
    """Of an issue case: its base, environment, commands, and the settings that count."""
    context: WorkflowContext | None = None
    """Of an issue case, for programs."""


def why(
    case: IssueCase,
    policy: Policy,
    phrasing: Phrasing,
    *,
    spent: int | None = None,
    rehearsed: bool = False,
    asked: str = "",
    head: Build | None = None,
    into: str = "",
    record: Sequence[Recorded] = (),
) -> Why:
    """The explanation. `spent`: micro-dollars so far, if known. `asked`: what people are asked now, word for word.
    `head`: the newest build of the change.
    `into`: the branch that it is to be merged into, if known. `record`: where the sources of its evidence are looked
    up."""
    waits = case.state in WAITING and case.waiting.wait is not None
    return Why(
        case=case.id,
        state=case.state.value,
        stands=f"{_stands(case)}{case.held_up}",
        because=case.reason,
        evidence=evidence_of(case, policy, spent, phrasing, head, rehearsed=rehearsed, record=record),
        waits_for=_waits_for(case, policy, into),
        asked=asked,
        until=case.waiting.wait.until if waits and case.waiting.wait is not None else None,
        moves_it=[option.words(phrasing) for option in options(case)],
        next=_next(case, policy),
    )


def at(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


# --- the status ------------------------------------------------------------------------------------------------------

_SECOND: Final = {
    Task.JUDGE: "The build is red, and the tester says whether the code, the test or chance is to blame.",
    Task.UNBLOCK: "The tech lead looks for a way on.",
    Task.DIAGNOSTIC: (
        "A developer measures what a hypothesis predicts, in a copy of the code that is thrown away after."
    ),
    Task.VALIDATE_ROOT_CAUSE: "The tech lead judges what the investigation has found.",
}
_PM_UNBLOCKS: Final = "The investigation is stuck, and the pm sees to it."
_WAITS: Final = {
    WaitingFor.ANSWER: "People were asked something, and it waits for their answer.",
    WaitingFor.APPROVAL: "It waits for a person to agree before it goes on.",
    WaitingFor.BUDGET: "Its budget does not cover the next model call. The work so far is kept.",
    WaitingFor.MILESTONE: "It has gone as far as it was to go.",
    WaitingFor.MERGE: "The change is ready. Only a person merges it.",
    WaitingFor.CURE: "It waits for a person to put something right outside of it. Nothing is spent meanwhile.",
}


def _stands(case: IssueCase) -> str:
    if case.is_over:
        return {S.COMPLETED: "It is completed.", S.CLOSED: "It is closed."}.get(case.state, "It has failed.")
    if case.awaits_checks:
        return "The pull request is open, and the forge's checks run."
    if case.state in WAITING:
        return _WAITS[case.waiting.wait.reason if case.waiting.wait is not None else WaitingFor.ANSWER]
    if case.people.taken_by and case.state in PARKED:
        return f"{case.people.taken_by} has taken it over. The agents stand back."
    if case.state is S.BLOCKED and not at_work(case):
        return "It is blocked. Nobody works on it until a person moves it."
    if case.state is S.REQUIRES_HUMAN_INTERVENTION:
        return "It does not get any further by itself. Nobody works on it until a person moves it."
    if case.progress.go is not None:
        return f"It passes by here on its way to: {of_state(case.progress.go)}."
    if case.progress.task is not None:
        return _PM_UNBLOCKS if case.state is S.BLOCKED else _SECOND[case.progress.task]
    if case.state not in TURN_OF:
        return ROWS[case.state].does
    role, _ = turn_of(case)
    return f"The {role.words} {ROWS[case.state].does}{_iteration(case)}."


def _iteration(case: IssueCase) -> str:
    if case.state is not S.INVESTIGATING:
        return ""
    return f": iteration {_done(case) + 1} of {MOST_ITERATIONS}"


def _done(case: IssueCase) -> int:
    return case.investigation.iteration if case.investigation is not None else 0


def _waits_for(case: IssueCase, policy: Policy, into: str) -> str:
    wait = case.waiting.wait
    if at_work(case):
        return ""
    if case.state in PARKED and case.people.taken_by:
        return f"For {case.people.taken_by} to hand it back."
    if case.state in PARKED and wait is None:
        return "For a person to say how to go on."
    if case.state not in WAITING | PARKED:
        return ""
    reason = wait.reason if wait is not None else WaitingFor.ANSWER
    match reason:
        case WaitingFor.ANSWER:
            return "For an answer to what was asked."
        case WaitingFor.APPROVAL if wait is not None and wait.subject is not None:
            what = "waiver" if wait.subject in WAIVERS else "approval"
            return f"For a person's {what}: {wait.subject.value}."
        case WaitingFor.APPROVAL:
            return "For a person's approval."
        case WaitingFor.BUDGET:
            return f"For more money than {dollars(cap_of(case, policy))}."
        case WaitingFor.MILESTONE:
            return f"For a person to let it go on: it was to go as far as the {limit_of(case, policy)}."
        case WaitingFor.CURE if wait is not None and wait.subject is Subject.NOT_RUN and case.evidence.obstacle:
            return f"For tests that can be run. {remedy_words(case.evidence.obstacle)}"
        case WaitingFor.CURE:
            return "For what stopped it to be put right."
        case WaitingFor.MERGE if case.awaits_checks and case.delivery.checks is not None:
            return f"Pull request {case.delivery.pull_request} {check_words(case.delivery.checks)}."
        case WaitingFor.MERGE:
            branch = "" if is_local(case.id) else f" (`{case.branch}`)"
            return f"For a person to merge {name_of(case)}{branch}{f' into `{into}`' if into else ''}."
        case _:
            assert_never(reason)


# --- what follows by itself ------------------------------------------------------------------------------------------

_AFTER_SECOND: Final = {
    Task.JUDGE: "A wrong change goes to the developer, a wrong test to the tester; what failed by chance is run again.",
    Task.UNBLOCK: "With guidance there is one more attempt; without, a person is asked.",
    Task.DIAGNOSTIC: "The investigator is told what was seen, and goes on with it; no line of the measurement is kept.",
    Task.VALIDATE_ROOT_CAUSE: (
        "An accepted cause is repaired, with a test first; one that is not is investigated further."
    ),
}
_AFTER_PM_UNBLOCKS: Final = (
    "With something new to go by the investigation goes on; if not, it is planned without a cause, "
    "people are asked, or it stays blocked."
)
_LAST_ITERATION: Final = "It is the last iteration: whatever it finds, the tech lead is next."
_USED_UP: Final = (
    f"All {MOST_ITERATIONS} iterations are used: the best hypothesis is acted on, or it is planned without one, or a "
    "person is asked."
)


def _next(case: IssueCase, policy: Policy) -> str:
    if case.is_over:
        return "Nothing."
    if at_work(case):
        return _follows(case)
    if case.awaits_checks:
        return "Green checks leave it to a person to merge; a failed one goes back to the developer."
    reminder = next_reminder(case, policy)
    if case.state in PARKED:
        return f"Nothing, but a reminder on {at(reminder)}." if reminder is not None else "Nothing."
    if case.waiting.wait is None or case.waiting.wait.until is None:
        return "Nothing: it waits as long as it takes."
    reminded = f"People are reminded once, on {at(reminder)}. " if reminder is not None else ""
    return f"{reminded}After {at(case.waiting.wait.until)} it is blocked; people can still move it then."


def _follows(case: IssueCase) -> str:
    if case.progress.go is not None:
        return f"It goes on to: {of_state(case.progress.go)}."
    if case.progress.task is Task.VALIDATE_ROOT_CAUSE and is_used_up(case):
        return _USED_UP
    if case.progress.task is not None:
        return _AFTER_PM_UNBLOCKS if case.state is S.BLOCKED else _AFTER_SECOND[case.progress.task]
    last = case.state is S.INVESTIGATING and _done(case) + 1 >= MOST_ITERATIONS
    return _LAST_ITERATION if last else ROWS[case.state].then
