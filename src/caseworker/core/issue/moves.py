"""A move of an issue case: what it changes, the limits it must keep, and the proof that a pull request needs."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.errors import Defect
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Task
from caseworker.core.investigation.iterations import MOST_ITERATIONS
from caseworker.core.investigation.matrix import begins_new
from caseworker.core.issue.case import InvestigationProgress, IssueCase, Wait
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.facts import Agreed
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.proof import may_be_delivered
from caseworker.core.issue.speech import add_posts
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, WORKING, IssueState, next_states
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.people.phrasing import begin

S = IssueState
_NO_PROGRESS: Final = 3
KEPT_TASKS: Final = frozenset({Task.DIAGNOSTIC, Task.VALIDATE_ROOT_CAUSE, Task.UNBLOCK})
"""Tasks that are resumed after a person stepped in."""
BY_PEOPLE: Final = frozenset({S.HUMAN_INPUT_RECEIVED, S.REQUIREMENTS_CLARIFIED})
"""States entered because a person spoke. No limit applies to them."""
_NEVER_TIMES_OUT: Final = frozenset({WaitingFor.MERGE, WaitingFor.MILESTONE})
_BEFORE_A_PLAN: Final = frozenset(
    {S.ANALYZING_REQUIREMENTS, S.REQUIREMENTS_UNCLEAR, S.REQUIREMENTS_CLARIFIED, S.PLANNING_APPROACH}
)


class Move(BaseModel):
    """The next step of a case. If `to` is its current state, it stays there for the turn that `task` names."""

    model_config = ConfigDict(frozen=True)
    to: IssueState
    reason: str
    waiting_for: WaitingFor | None = None
    subject: Subject | None = None
    then: IssueState | None = None
    """With a wait: where the case continues."""
    then_task: Task | None = None
    """With a wait: the task there."""
    go: IssueState | None = None
    """The state that code enters after `to`, without a turn."""
    task: Task | None = None
    say: Draft | None = None
    """What people are told with the move."""
    attempt: bool = False
    """The move begins another write-build-review attempt."""
    new_round: bool = False
    back: bool = False
    """Return to the wait from before a person spoke."""
    settled: bool = False
    """The wait is over because a person said no."""
    paid: bool = False
    """The budget was raised, or a question is settled: the wait before it (`Wait.before`) counts again."""
    new_problem: bool = False
    """With INVESTIGATING: a different problem than the last investigation's."""


def make_move(case: IssueCase, move: Move, policy: Policy, now: datetime) -> IssueCase:
    """The case after the move. Raises `Defect` for an edge not in the table, or for a pull request without proof."""
    if move.to is case.state and move.go is None and not move.settled:
        attempt = case.limits.attempt + move.attempt
        stays = {
            "task": move.task,
            "go": None,
            "reason": move.reason,
            "transitions": case.progress.transitions + 1,
            "attempt": attempt,
        }
        return add_posts(case, case.updated(**stays), move.say)
    if move.to not in next_states(case.state) | {case.state}:
        raise Defect(f"{case.id}: {case.state} -> {move.to} is not an edge of the table")
    if move.to is S.CREATING_PR and not may_be_delivered(case):
        raise Defect(
            f"{case.id}: a pull request needs a green build and an approved review of {case.delivery.checkpoint}"
        )
    move = _within_limits(case, _within_iterations(case, move), policy)
    if move.to is S.FAILED and case.delivery.pull_request is not None:
        move = _parked_with_pull_request(case, move)
    changes: dict[str, object] = {
        "state": move.to,
        "reason": move.reason,
        "transitions": case.progress.transitions + 1,
        "task": move.task,
        "go": move.go,
        "consulted": 0,
    }
    if move.to not in BY_PEOPLE:
        changes["handed_back"] = False
    if move.attempt:
        changes["attempt"] = case.limits.attempt + 1
    if move.new_round:
        changes |= {"round": case.limits.round + 1, "round_began": case.progress.transitions + 1, "attempt": 1}
        changes |= {"guided": False, "seen": {}, "flaky": 0, "test_tries": 0, "testless": 0, "check_fixes": {}}
    changes |= {"since": now, "reminders": 0}
    changes |= _wait_changes(case, move, policy, now) | _count_place(case, move)
    if move.to is S.INVESTIGATING:
        changes["investigation"] = _investigation_after(case, move)
    after = case.updated(**changes)
    return add_posts(case, after, move.say, subject=move.subject, waits_again=move.back)


def _parked_with_pull_request(case: IssueCase, move: Move) -> Move:
    """Parks the case instead of failing it, so that it sees when its open pull request is merged or closed."""
    ended = move.reason if move.reason.endswith((".", "!", "?")) else f"{move.reason}."
    reason = (
        f"{ended} {begin(name_of(case))} stays as it is: merging or closing it ends the case, "
        "another try or a word on how to go on moves it."
    )
    return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=reason)


def is_used_up(case: IssueCase) -> bool:
    """No iteration is left: the tech lead takes the best hypothesis, plans without one, or asks a person."""
    return case.investigation is not None and case.investigation.iteration >= MOST_ITERATIONS


def _within_iterations(case: IssueCase, move: Move) -> Move:
    if move.to is not S.INVESTIGATING or not is_used_up(case) or _begins_new_investigation(case, move):
        return move
    reason = f"{move.reason} All {MOST_ITERATIONS} iterations of the investigation are used."
    if S.REVIEWING_CODE in next_states(case.state):
        instead = {"to": S.REVIEWING_CODE, "task": Task.VALIDATE_ROOT_CAUSE, "reason": reason}
        return move.model_copy(update=instead)  # keeps `new_round`
    return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=f"{reason} A word on how to go on moves it.")


def _begins_new_investigation(case: IssueCase, move: Move) -> bool:
    began = case.investigation.began if case.investigation is not None else ()
    return begins_new(began, new_problem=move.new_problem)


def _investigation_after(case: IssueCase, move: Move) -> InvestigationProgress:
    """Continues the investigation with its counter, or starts one for a new problem."""
    known = case.investigation
    if known is not None and not _begins_new_investigation(case, move):
        return known.model_copy(update={"stands": "open"})
    return InvestigationProgress(began=(*(known.began if known is not None else ()), case.progress.turns))


def _within_limits(case: IssueCase, move: Move, policy: Policy) -> Move:
    if move.to not in WORKING - BY_PEOPLE or move.new_round:
        return move
    if case.progress.transitions - case.limits.round_began >= policy.transitions:
        return Move(
            to=S.FAILED, reason=f"Stopped after {policy.transitions} transitions in a round without an end in sight."
        )
    if case.state not in BY_PEOPLE and case.limits.seen.get(_place(case, move), 0) + 1 >= _NO_PROGRESS:
        return Move(
            to=S.REQUIRES_HUMAN_INTERVENTION,
            reason=f"No progress: {move.to.value.replace('_', ' ')} came up {_NO_PROGRESS} times with nothing new to "
            "show. A word on how to go on moves it.",
        )
    return move


def _place(case: IssueCase, move: Move) -> str:
    """The entered state with a digest of the evidence: if it repeats, there is no progress."""
    proof = [
        case.delivery.checkpoint,
        case.evidence.green,
        case.evidence.approved,
        case.evidence.built,
        case.evidence.feedback,
    ]
    people = [
        case.people.asked,
        case.people.remarks,
        case.people.grants,
        case.limits.guided,
        case.limits.flaky,
        case.limits.test_tries,
    ]
    people += [case.investigation.iteration, move.task] if case.investigation is not None else []
    digest = hashlib.sha256(repr([proof, people]).encode()).hexdigest()[:12]
    return f"{move.to}/{digest}"


def _wait_changes(case: IssueCase, move: Move, policy: Policy, now: datetime) -> dict[str, object]:
    """Changes of the wait, and of the state to resume."""
    if move.to in WAITING | PARKED | {S.FAILED, S.CLOSED} and case.state in WORKING - BY_PEOPLE:
        task = case.progress.task if case.progress.task in KEPT_TASKS else None
        left: dict[str, object] = {"resume": case.state, "resume_task": task}
    else:
        left = {}
    if move.to in WAITING:
        again = case.waiting.wait.before if case.waiting.wait is not None and move.paid else case.waiting.wait
        if move.back and again is not None and _is_a_wait_of(move.to, again):
            because = f"{again.because} It waits on." if again.because else move.reason
            return left | {"wait": again, "reason": because}
        reason = move.waiting_for or WaitingFor.ANSWER
        patience = None if reason in _NEVER_TIMES_OUT else now + timedelta(seconds=policy.answer_wait_seconds)
        wait = Wait(
            reason=reason,
            subject=move.subject,
            then=move.then,
            task=move.then_task,
            new_problem=move.new_problem,
            before=_wait_before_budget(case, reason) or _wait_for_merge(case, reason),
            until=patience,
            because=move.reason,
        )
        return left | {"wait": wait}
    if move.paid:
        return left | {"wait": case.waiting.wait.before if case.waiting.wait is not None else None}
    if move.settled or move.to in (WORKING - BY_PEOPLE - {S.REQUIREMENTS_UNCLEAR}) | TERMINAL:
        return left | {"wait": None, "taken_by": "", "ended_as": None}
    return left | {"taken_by": ""} if move.to is S.REQUIREMENTS_UNCLEAR else left


def _is_a_wait_of(state: IssueState, wait: Wait) -> bool:
    """An approval that the pm has asked for on the way to the questions is decided when the case returns to them."""
    return state is not S.WAITING_FOR_REQUIREMENTS_CLARIFICATION or wait.reason is WaitingFor.ANSWER


def _wait_before_budget(case: IssueCase, reason: WaitingFor) -> Wait | None:
    """The wait to return to when an interpret turn ran out of money, or could not be made."""
    passing = (WaitingFor.BUDGET, WaitingFor.CURE)
    if reason not in passing or case.state not in BY_PEOPLE or case.waiting.wait is None:
        return None
    return case.waiting.wait.before if case.waiting.wait.reason in passing else case.waiting.wait


def _wait_for_merge(case: IssueCase, reason: WaitingFor) -> Wait | None:
    """The wait for the merge, to return to when a question about an open pull request is settled."""
    if reason is not WaitingFor.ANSWER or case.state not in BY_PEOPLE or case.waiting.wait is None:
        return None
    if case.delivery.pull_request is None:
        return None
    return next(
        (wait for wait in (case.waiting.wait, case.waiting.wait.before) if wait and wait.reason is WaitingFor.MERGE),
        None,
    )


def _count_place(case: IssueCase, move: Move) -> dict[str, object]:
    if move.new_round or move.to not in WORKING - BY_PEOPLE or case.state in BY_PEOPLE:
        return {}  # returning because a person said so is no loop
    place = _place(case, move)
    return {"seen": {**case.limits.seen, place: case.limits.seen.get(place, 0) + 1}}


def milestone_reached(case: IssueCase) -> Milestone:
    """How far a waiting case has come. An approval can't limit it to this milestone or an earlier one."""
    wait = case.waiting.wait
    is_early = wait is not None and (wait.reason is WaitingFor.MILESTONE or wait.subject is Subject.SENSITIVE)
    plan_follows = is_early or (wait is not None and wait.then in _BEFORE_A_PLAN)
    return Milestone.TRIAGE if plan_follows and not case.requirements.planned else Milestone.PLAN


def add_grant(case: IssueCase, subject: Subject, agreed: Agreed, *, about: str = "") -> IssueCase:
    grant = Grant(subject=subject, by=agreed.by, about=about, message=agreed.message)
    return case.updated(grants=(*case.people.grants, grant))


def next_reminder(case: IssueCase, policy: Policy) -> datetime | None:
    """When to remind people: once while a case waits for an answer, weekly (by default) while it is parked."""
    if case.progress.since is None:
        return None
    if case.state in PARKED:
        return case.progress.since + timedelta(seconds=policy.parked_reminder_seconds * (case.waiting.reminders + 1))
    expects = case.waiting.wait is not None and case.waiting.wait.reason not in _NEVER_TIMES_OUT
    if case.state in WAITING and expects and case.waiting.reminders == 0:
        return case.progress.since + timedelta(seconds=policy.reminder_seconds)
    return None


def reminded(case: IssueCase) -> IssueCase:
    again = count_change(case.updated(reminders=case.waiting.reminders + 1))
    return add_posts(again, again, Draft(about=IssueAbout.REMINDER))


def count_change(case: IssueCase) -> IssueCase:
    """Counts a change without a move, so that it is saved once, under its own number."""
    return case.updated(transitions=case.progress.transitions + 1)
