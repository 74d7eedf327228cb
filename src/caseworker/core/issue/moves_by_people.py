"""The moves of an issue case after people speak or give commands."""

from typing import Final, assert_never

from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Task
from caseworker.core.issue import words
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.facts import (
    Agreed,
    BudgetRaised,
    Declined,
    HandedBack,
    RerunAsked,
    RetryAsked,
    Spoke,
    TakenOver,
)
from caseworker.core.issue.moves import Move
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.proof import is_green, may_be_delivered, undecided
from caseworker.core.issue.states import ROWS, TERMINAL, WAITING, WORKING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.turns import TURN_OF
from caseworker.core.issue.usual_moves import milestone, park

S = IssueState
A = IssueAbout


MOST_ASKED: Final = 3
"""How often people are asked about the requirements before the case is parked."""


def ask_people(case: IssueCase, questions: list[str]) -> Move:
    if case.people.asked > MOST_ASKED:
        return park(f"People were asked {MOST_ASKED} times, and it is still unclear: {' '.join(questions)}")
    return Move(
        to=S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
        reason="The requirements are unclear, and people were asked.",
        waiting_for=WaitingFor.ANSWER,
        say=Draft(about=A.QUESTIONS),
    )


def waits_for_a_command(case: IssueCase) -> bool:
    commanded = (WaitingFor.APPROVAL, WaitingFor.BUDGET, WaitingFor.MILESTONE)
    return case.waiting.wait is not None and case.waiting.wait.reason in commanded


def proven_first(case: IssueCase, to: IssueState, task: Task | None) -> tuple[IssueState, str]:
    """The state to enter, and why if it is not `to`: nothing is reviewed or delivered before it was built. While the
    case waited, the work may have changed, or it was never green."""
    looks_at_a_build = ROWS[to].needs_green and task is None
    if looks_at_a_build and case.delivery.joined == "conflict":
        return S.FIXING_ISSUES, "What a person has pushed and the work contradict each other: that is resolved first."
    if looks_at_a_build and case.delivery.joined:
        together = "What a person has pushed and the work so far are tested together"
        return S.RUNNING_TESTS, f"{together}, before {words.of_state(to)}."
    if looks_at_a_build and case.delivery.base is not None and not is_green(case):
        return S.RUNNING_TESTS, "It goes on with a build: the commit as it is now was not seen green."
    if to is S.CREATING_PR and not may_be_delivered(case):
        return S.REVIEWING_CODE, "It goes on with a review: what would be pushed is not proven yet."
    if to is S.CREATING_PR and undecided(case):
        return S.REVIEWING_CODE, "It goes on with a review: not all of it was agreed to yet."
    return to, ""


def is_about_merge(wait: Wait) -> bool:
    """Whether the wait is a question about an open pull request. Without an answer the wait for the merge goes on."""
    return wait.reason is WaitingFor.ANSWER and wait.before is not None and wait.before.reason is WaitingFor.MERGE


def return_to_merge(case: IssueCase) -> Move:
    reason = f"Nobody has answered; {name_of(case)} waits for a merge, as before."
    return Move(to=S.HUMAN_INPUT_RECEIVED, reason=reason, go=S.WAITING_FOR_HUMAN_INPUT, paid=True)


def state_to_resume(case: IssueCase) -> IssueState | None:
    """The state to resume after words that name no other. A decision on an escalation must be read by an agent:
    if `then` is a state without a turn, the role that asked gets another turn."""
    wait = case.waiting.wait
    if wait is None or wait.then is None:
        return case.waiting.resume
    unread = wait.subject is Subject.ESCALATION and wait.then not in TURN_OF
    return case.waiting.resume or wait.then if unread else wait.then


def after_people(
    case: IssueCase, fact: Spoke | Agreed | Declined | TakenOver | HandedBack | BudgetRaised | RetryAsked | RerunAsked
) -> Move:
    """The move after a person's act, for a case in which nobody works, or whose turn was stopped for it."""
    match fact:
        case Spoke() | RetryAsked() if case.waiting.wait is not None and case.waiting.wait.reason is WaitingFor.CURE:
            said = f"{fact.by} wants another try." if isinstance(fact, RetryAsked) else f"{fact.by} has spoken."
            return _again_after(case, said)
        case Spoke():
            return _interpret(case, f"{fact.by} has spoken.")
        case Agreed():
            assert case.waiting.wait is not None
            go = case.waiting.wait.then or case.waiting.resume
            go = None if go is S.HUMAN_INPUT_RECEIVED else go  # the pm asked: it reads on
            to_the_plan = (
                fact.until is Milestone.PLAN and case.people.until is fact.until and not case.requirements.planned
            )
            go = S.PLANNING_APPROACH if to_the_plan and go is S.CREATING_TESTS else go  # it came with an analysis
            return Move(to=S.HUMAN_INPUT_RECEIVED, task=case.waiting.wait.task, reason=f"{fact.by} agrees.", go=go)
        case Declined():
            return _after_refusal(case, fact)
        case TakenOver() if case.state in WORKING:
            return Move(to=S.REQUIRES_HUMAN_INTERVENTION, reason=f"{fact.by} has taken it over.")
        case TakenOver():
            entered = _interpret(case, f"{fact.by} has taken it over.")
            return entered.model_copy(update={"go": S.REQUIRES_HUMAN_INTERVENTION})
        case HandedBack():
            go = None if fact.messages and not _resumed_turn_reads(case) else case.waiting.resume
            on_the_way = case.state in WORKING  # it was taken over a moment ago, and has not stopped yet
            return Move(
                to=case.state if on_the_way else S.HUMAN_INPUT_RECEIVED, reason=f"{fact.by} hands it back.", go=go
            )
        case BudgetRaised():
            return _again_after(case, f"{fact.by} has raised the budget.")
        case RetryAsked():
            return Move(
                to=S.HUMAN_INPUT_RECEIVED,
                reason=f"{fact.by} wants another try.",
                go=case.waiting.resume,
                new_round=True,
            )
        case RerunAsked():
            go = S.RECEIVED if fact.milestone is Milestone.TRIAGE else S.PLANNING_APPROACH
            reason = f"{fact.by} wants the {fact.milestone} made again."
            return Move(to=S.HUMAN_INPUT_RECEIVED, reason=reason, go=go, new_round=True)
        case _:
            assert_never(fact)


def _again_after(case: IssueCase, reason: str) -> Move:
    """The move after the money is there, or what was outside of the case is said to be put right."""
    wait = case.waiting.wait
    go, task = (wait.then, wait.task) if wait is not None else (case.waiting.resume, None)
    go = None if go is S.HUMAN_INPUT_RECEIVED else go
    return Move(to=S.HUMAN_INPUT_RECEIVED, task=task, reason=reason, go=go, paid=True)


def _resumed_turn_reads(case: IssueCase) -> bool:
    """Whether the resumed turn reads the messages from the takeover; if not, the pm interprets them. With an open pull
    request only the turn that addresses remarks does."""
    if case.delivery.pull_request is not None:
        return case.waiting.resume is S.ADDRESSING_FEEDBACK
    return case.waiting.resume in TURN_OF


def after_agreement_at_triage(case: IssueCase, fact: Agreed) -> Move:
    """The move after an approval of a case limited to triage. Agreeing to sensitive work does not lift that limit."""
    move = after_people(case, fact)
    sensitive = case.waiting.wait is not None and case.waiting.wait.subject is Subject.SENSITIVE
    return move.model_copy(update={"go": S.WAITING_FOR_HUMAN_INPUT}) if sensitive else move


def _interpret(case: IssueCase, reason: str) -> Move:
    clarifies = case.state is S.WAITING_FOR_REQUIREMENTS_CLARIFICATION or (
        case.state is S.BLOCKED and case.waiting.resume is S.REQUIREMENTS_UNCLEAR and not waits_for_a_command(case)
    )
    return Move(to=S.REQUIREMENTS_CLARIFIED if clarifies else S.HUMAN_INPUT_RECEIVED, reason=reason)


def escalated(case: IssueCase) -> str:
    """What a person was asked who decides an escalation now, and why. The next turn has to know both."""
    wait = case.waiting.wait
    return wait.because if wait is not None and wait.subject is Subject.ESCALATION else ""


def _after_refusal(case: IssueCase, fact: Declined) -> Move:
    reason = f"{fact.by} does not agree. {escalated(case)}".strip()
    wait = case.waiting.wait or Wait(reason=WaitingFor.ANSWER)
    if wait.subject is Subject.SENSITIVE:
        return Move(to=S.CLOSED, reason=words.not_to_be_done(fact.by))
    if wait.subject is Subject.PLAN:
        return Move(to=S.HUMAN_INPUT_RECEIVED, reason=reason, go=S.PLANNING_APPROACH, new_round=True)
    if wait.subject in (Subject.FORBIDDEN, Subject.WEAKENED):
        return Move(to=S.HUMAN_INPUT_RECEIVED, reason=reason, go=S.FIXING_ISSUES, new_round=True)
    if wait.reason is WaitingFor.MERGE:
        return Move(to=S.HUMAN_INPUT_RECEIVED, reason=reason, go=S.ADDRESSING_FEEDBACK, new_round=True)
    return _interpret(case, reason).model_copy(update={"settled": True})


def automatic_move(case: IssueCase) -> Move | None:
    """The move that code makes in a working state before any turn. Null: none."""
    if case.progress.go is None:
        return None
    to = case.progress.go
    reason = f"{case.reason} {asked}" if (asked := escalated(case)) else case.reason
    if (
        to in WAITING and case.waiting.wait is not None and case.waiting.wait.subject is Subject.SENSITIVE
    ):  # agreed to, but the limit is the triage
        return milestone("The issue is triaged", case.waiting.wait.then or S.ANALYZING_REQUIREMENTS)
    if to in WAITING:
        return Move(to=to, reason="It waits on.", back=True)
    if to is S.REQUIRES_HUMAN_INTERVENTION or to in TERMINAL:
        return Move(to=to, reason=reason)
    task = case.progress.task or (case.waiting.resume_task if to is case.waiting.resume else None)
    instead, because = proven_first(case, to, task)
    if instead is not to:
        return Move(to=instead, reason=because)
    another = case.waiting.wait is not None and case.waiting.wait.new_problem
    return Move(to=to, task=task, reason=f"It goes on: {reason}", new_problem=another)


def reopened(case: IssueCase) -> IssueCase:
    """The case reopened by `retry` or a request for work: new attempts, but the same transitions and costs."""
    return case.updated(
        epoch=case.epoch + 1,
        state=S.HUMAN_INPUT_RECEIVED,
        ended_as=case.state,
        transitions=case.progress.transitions + 1,
        round=case.limits.round + 1,
        round_began=case.progress.transitions + 1,
        attempt=1,
        guided=False,
        flaky=0,
        test_tries=0,
        seen={},
        check_fixes={},
        wait=None,
        taken_by="",
        closed_by=None,
    )
