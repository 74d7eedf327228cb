"""A move of a case, what a delivery needs before it, and what a move changes. Edges permit, evidence decides."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.errors import Defect
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Task
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.investigation.matrix import MOST_INVESTIGATIONS, MOST_ITERATIONS
from caseworker.core.issue.case import Investigation, IssueCase, Wait
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.speech import speak
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, WORKING, IssueState, next_states
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.outcomes.pm import IssueType

S = IssueState
_NO_PROGRESS: Final = 3
KEPT_TASKS: Final = frozenset({Task.DIAGNOSE, Task.VALIDATE_CAUSE, Task.UNBLOCK_INVESTIGATION, Task.UNBLOCK})
"""Taken up again after a person stepped in between."""
BY_PEOPLE: Final = frozenset({S.HUMAN_INPUT_RECEIVED, S.REQUIREMENTS_CLARIFIED})
"""Entered because somebody spoke: no limit keeps people from speaking."""
_NEVER_TIMES_OUT: Final = frozenset({WaitingFor.MERGE, WaitingFor.MILESTONE})
_BEFORE_A_PLAN: Final = frozenset(
    {S.ANALYZING_REQUIREMENTS, S.REQUIREMENTS_UNCLEAR, S.REQUIREMENTS_CLARIFIED, S.PLANNING_APPROACH}
)


class Move(BaseModel):
    """`to` may be the state the case is in: then it stays, for the turn that `task` names."""

    model_config = ConfigDict(frozen=True)
    to: IssueState
    reason: str
    waiting_for: WaitingFor | None = None
    subject: Subject | None = None
    then: IssueState | None = None
    """With a wait: where it goes on."""
    then_task: Task | None = None
    """With a wait: what is done there."""
    go: IssueState | None = None
    """Where code takes the case from there, with no turn in between."""
    task: Task | None = None
    say: Draft | None = None
    """What people are told with it."""
    attempt: bool = False
    """It begins another write-build-review attempt."""
    new_round: bool = False
    back: bool = False
    """To what the case waited for before somebody spoke."""
    settled: bool = False
    """What the case waited for is off the table: somebody has said no."""
    paid: bool = False
    """The money is there, or a question is off the table: what the case waited for before that counts again."""
    new_problem: bool = False
    """With INVESTIGATING: another problem than the one that was investigated before."""


def proven(case: IssueCase) -> bool:
    """Green and approved, both of the very commit that would be pushed; and red first, where a test was asked for. What
    is missing a person may have waived."""
    commit = case.delivery.checkpoint
    is_a_change = commit is not None and commit != case.delivery.base
    return is_a_change and is_green(case) and case.evidence.approved == commit and was_red(case)


def is_green(case: IssueCase) -> bool:
    if case.evidence.green is not None and case.evidence.green == case.delivery.checkpoint:
        return True
    if case.evidence.unfit or case.evidence.waivable is None or case.evidence.built != case.delivery.checkpoint:
        return False
    return case.granted(case.evidence.waivable)


def was_red(case: IssueCase) -> bool:
    return (
        case.evidence.red or case.requirements.issue_type is not IssueType.BUG_FIX or case.granted(Subject.NO_RED_TEST)
    )


def undecided(case: IssueCase) -> tuple[Touched, ...]:
    """What the change touches that a person has to agree to, and nobody has. Who let the work begin has agreed to the
    topics that were named then, and to no other."""
    return tuple(one for one in case.evidence.touches if one.topic not in case.people.agreed)


def take(case: IssueCase, move: Move, policy: Policy, now: datetime) -> IssueCase:
    """The case after the move. An edge not in the table, or a pull request without its proof, is a bug of ours."""
    if move.to is case.state:
        attempt = case.limits.attempt + move.attempt
        stays = {
            "task": move.task,
            "reason": move.reason,
            "transitions": case.progress.transitions + 1,
            "attempt": attempt,
        }
        return speak(case, case.updated(**stays), move.say)
    if move.to not in next_states(case.state):
        raise Defect(f"{case.id}: {case.state} -> {move.to} is not an edge of the table")
    if move.to is S.CREATING_PR and not proven(case):
        raise Defect(
            f"{case.id}: a pull request needs a green build and an approved review of {case.delivery.checkpoint}"
        )
    move = _within_limits(case, _with_iterations_left(case, move), policy)
    if move.to is S.FAILED and case.delivery.pull_request is not None:
        move = _kept_open(case, move)
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
        changes |= {"guided": False, "seen": {}, "flaky": 0, "test_tries": 0, "testless": 0}
    changes |= {"since": now, "reminders": 0}
    changes |= _waits(case, move, policy, now) | _remembers(case, move)
    if move.to is S.INVESTIGATING:
        changes["investigation"] = _investigated(case, move)
    after = case.updated(**changes)
    return speak(case, after, move.say, subject=move.subject, waits_again=move.back)


def _kept_open(case: IssueCase, move: Move) -> Move:
    """With a pull request that people can still merge or close a case is not over: it has to see that."""
    ended = move.reason if move.reason.endswith((".", "!", "?")) else f"{move.reason}."
    reason = (
        f"{ended} Pull request {case.delivery.pull_request} stays open as it is: merging or closing it ends the case, "
        "`retry` or a word on how to go on moves it."
    )
    return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=reason)


def is_used_up(case: IssueCase) -> bool:
    """No iteration is left: the tech lead takes the best hypothesis, plans without it, or asks a person."""
    return case.investigation is not None and case.investigation.iteration >= MOST_ITERATIONS


def _with_iterations_left(case: IssueCase, move: Move) -> Move:
    if move.to is not S.INVESTIGATING or not is_used_up(case) or _begins_another(case, move):
        return move
    reason = f"{move.reason} All {MOST_ITERATIONS} iterations of the investigation are used."
    if S.REVIEWING_CODE in next_states(case.state):
        instead = {"to": S.REVIEWING_CODE, "task": Task.VALIDATE_CAUSE, "reason": reason}
        return move.model_copy(update=instead)  # a round that a person began is begun
    return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=f"{reason} A word on how to go on moves it.")


def _begins_another(case: IssueCase, move: Move) -> bool:
    number = case.investigation.number if case.investigation is not None else 0
    return number == 0 or (move.new_problem and number < MOST_INVESTIGATIONS)


def _investigated(case: IssueCase, move: Move) -> Investigation:
    """A problem's counter is taken up where it was left; only another problem has one of its own."""
    known = case.investigation
    if known is not None and not _begins_another(case, move):
        return known.model_copy(update={"stands": "open"})
    return Investigation(number=known.number + 1 if known is not None else 1, began_after=case.progress.turns)


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
    """The state that is entered, and the evidence it is entered with."""
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


def _waits(case: IssueCase, move: Move, policy: Policy, now: datetime) -> dict[str, object]:
    """What it waits for from now on, and the state it was taken from."""
    if move.to in WAITING | PARKED | {S.FAILED, S.CLOSED} and case.state in WORKING - BY_PEOPLE:
        task = case.progress.task if case.progress.task in KEPT_TASKS else None
        left: dict[str, object] = {"resume": case.state, "resume_task": task}
    else:
        left = {}
    if move.to in WAITING:
        again = case.waiting.wait.before if case.waiting.wait is not None and move.paid else case.waiting.wait
        if move.back and again is not None:
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
            before=_waited_for(case, reason) or _merge_waited_for(case, reason),
            until=patience,
            because=move.reason,
        )
        return left | {"wait": wait}
    if move.paid:
        return left | {"wait": case.waiting.wait.before if case.waiting.wait is not None else None}
    if move.settled or move.to in (WORKING - BY_PEOPLE - {S.REQUIREMENTS_UNCLEAR}) | TERMINAL:
        return left | {"wait": None, "taken_by": "", "ended_as": None}
    return left | {"taken_by": ""} if move.to is S.REQUIREMENTS_UNCLEAR else left


def _waited_for(case: IssueCase, reason: WaitingFor) -> Wait | None:
    """What counts again after the money that ran out while somebody made sense of what was said."""
    if reason is not WaitingFor.BUDGET or case.state not in BY_PEOPLE or case.waiting.wait is None:
        return None
    return case.waiting.wait.before if case.waiting.wait.reason is WaitingFor.BUDGET else case.waiting.wait


def _merge_waited_for(case: IssueCase, reason: WaitingFor) -> Wait | None:
    """What counts again once a question about an open pull request is off the table."""
    if reason is not WaitingFor.ANSWER or case.state not in BY_PEOPLE or case.waiting.wait is None:
        return None
    if case.delivery.pull_request is None:
        return None
    return next(
        (wait for wait in (case.waiting.wait, case.waiting.wait.before) if wait and wait.reason is WaitingFor.MERGE),
        None,
    )


def _remembers(case: IssueCase, move: Move) -> dict[str, object]:
    if move.new_round or move.to not in WORKING - BY_PEOPLE or case.state in BY_PEOPLE:
        return {}  # who comes back because a person said so has not gone round by itself
    place = _place(case, move)
    return {"seen": {**case.limits.seen, place: case.limits.seen.get(place, 0) + 1}}


def reached(case: IssueCase) -> Milestone:
    """How far a case that waits for a word has come: no approval makes it stop there, or before."""
    wait = case.waiting.wait
    is_early = wait is not None and (wait.reason is WaitingFor.MILESTONE or wait.subject is Subject.SENSITIVE)
    plan_follows = is_early or (wait is not None and wait.then in _BEFORE_A_PLAN)
    return Milestone.TRIAGE if plan_follows and not case.requirements.planned else Milestone.PLAN


def granted(case: IssueCase, subject: Subject, by: str, *, about: str = "") -> IssueCase:
    return case.updated(grants=(*case.people.grants, Grant(subject=subject, by=by, about=about)))


def next_reminder(case: IssueCase, policy: Policy) -> datetime | None:
    """One while an answer is waited for; one a week while the case is parked."""
    if case.progress.since is None:
        return None
    if case.state in PARKED:
        return case.progress.since + timedelta(seconds=policy.parked_reminder_seconds * (case.waiting.reminders + 1))
    expects = case.waiting.wait is not None and case.waiting.wait.reason not in _NEVER_TIMES_OUT
    if case.state in WAITING and expects and case.waiting.reminders == 0:
        return case.progress.since + timedelta(seconds=policy.reminder_seconds)
    return None


def reminded(case: IssueCase) -> IssueCase:
    again = counted(case.updated(reminders=case.waiting.reminders + 1))
    return speak(again, again, Draft(about=IssueAbout.REMINDER))


def counted(case: IssueCase) -> IssueCase:
    """A change without a move: what is saved under a number of its own is saved once."""
    return case.updated(transitions=case.progress.transitions + 1)
