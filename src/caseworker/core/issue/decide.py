"""Decides the next move of an issue case after a fact: a row of the routing table, then guards."""

from typing import Final, assert_never

from caseworker.core.base.errors import Defect
from caseworker.core.base.failed_steps import Deferred, EffectRefused, TurnGaveUp
from caseworker.core.base.ids import noun
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue import words
from caseworker.core.issue.builds import after_head, after_judgement, after_red, could_not_run, is_correction
from caseworker.core.issue.case import IssueCase, limit_of
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    BuildEnded,
    CloseAsked,
    Fact,
    Merged,
    PullRequestReady,
    TimedOut,
    TurnEnded,
)
from caseworker.core.issue.interpretation import after_interpretation, after_unscripted_words
from caseworker.core.issue.investigation import (
    after_cause_review,
    after_diagnostic,
    after_invalid_iteration,
    after_iteration,
    after_unblocking,
    without_diagnostic,
)
from caseworker.core.issue.moves import BY_PEOPLE, KEPT_TASKS, Move
from caseworker.core.issue.moves_by_people import (
    after_agreement_at_triage,
    after_people,
    ask_people,
    is_about_merge,
    return_to_merge,
)
from caseworker.core.issue.posts import Draft, IssueAbout
from caseworker.core.issue.requirement_moves import after_analysis, after_plan, after_triage, is_clear
from caseworker.core.issue.reviews import after_code_review, after_guidance, after_writing
from caseworker.core.issue.routing import routed
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.usual_moves import blocked, cure, deliver, park, repair, unknown, wait_for
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.answers import AnswerOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome

S = IssueState
A = IssueAbout

_MOST_TESTLESS: Final = 2
"""Turns of the tester per round that may end without a test before people are asked."""


def decide(case: IssueCase, fact: Fact, policy: Policy) -> Move:
    """The next move of a case that `fact` was just applied to."""
    match fact:
        case TurnEnded():
            return _after_turn(case, fact, policy)
        case Deferred():
            return without_diagnostic(fact.reason)
        case TurnGaveUp(limit="budget"):
            waits = wait_for(WaitingFor.BUDGET, fact.reason, then=case.state, say=Draft(about=A.BUDGET_USED))
            return waits.model_copy(update={"then_task": _if_kept(case.progress.task)})
        case TurnGaveUp(outside=str()):
            return cure(case, words.outside(fact))
        case TurnGaveUp(invalid=True) if case.state is S.INVESTIGATING and case.progress.task is None:
            return after_invalid_iteration(case, fact.reason)
        case TurnGaveUp() if case.progress.task is Task.DIAGNOSTIC:
            return without_diagnostic(f"The diagnostic came to nothing: {fact.reason}")
        case TurnGaveUp(unscripted=True) if case.state in BY_PEOPLE:
            return after_unscripted_words(case)
        case TurnGaveUp(limit="time"):
            return park(f"The {fact.role.words}'s turn met its limit: {fact.reason}")
        case TurnGaveUp():
            return Move(to=S.FAILED, reason=f"The {fact.role.words}'s turn failed: {fact.reason}")
        case BuildEnded(stage=Stage.RED):
            return after_red(case, fact)
        case BuildEnded(stage=Stage.HEAD):
            return after_head(case, fact)
        case BuildEnded(verdict="could_not_run"):
            return could_not_run(case, fact)
        case BuildEnded():
            raise Defect("no move follows from a build of the base: other builds are compared with it")
        case PullRequestReady():
            ready = f"`{case.branch}` is ready; a person merges it."  # without a forge there is only the branch
            reason = f"Pull request {fact.number} is open; it waits for its checks." if fact.checked else ready
            say = Draft(about=A.ANSWERS, messages=fact.answered) if fact.answered else None
            return Move(to=S.WAITING_FOR_HUMAN_INPUT, reason=reason, waiting_for=WaitingFor.MERGE, say=say)
        case EffectRefused():
            return park(fact.reason)
        case BranchMoved(conflict=()):
            return Move(to=S.RUNNING_TESTS, reason="A person has pushed to the branch: the two together are tested.")
        case BranchMoved():
            reason = "A person has pushed to the branch, and the two contradict each other."
            return Move(to=S.FIXING_ISSUES, reason=reason)
        case Merged():
            left = tuple(dict.fromkeys([*case.people.remarks, *case.people.late]))
            say = Draft(about=A.LEFT_OPEN, messages=left) if left else None
            return Move(to=S.COMPLETED, reason=words.merged_by(case, fact.by, fact.commit), say=say)
        case CloseAsked():
            unmerged = f"The {noun(case.id)} was closed without a merge by {fact.by}."
            return Move(to=S.CLOSED, reason=unmerged if fact.unmerged else words.closed_by(fact.by))
        case TimedOut() if case.waiting.wait is not None and is_about_merge(case.waiting.wait):
            return return_to_merge(case)
        case TimedOut():
            asked = case.waiting.wait.because if case.waiting.wait is not None else ""
            return Move(to=S.BLOCKED, reason=f"Nobody has answered: {asked or case.reason}")
        case Agreed() if limit_of(case, policy) is Milestone.TRIAGE:
            return after_agreement_at_triage(case, fact)
        case _:
            return after_people(case, fact)


def _after_turn(case: IssueCase, fact: TurnEnded, policy: Policy) -> Move:
    outcome = fact.outcome
    escalation = outcome.escalation
    if escalation and (outcome.ask or isinstance(outcome, AnswerOutcome)):  # the state's turn is not done
        goes_on = Move(to=case.state, task=case.progress.task, reason=escalation)
        return _escalated(fact.role, escalation, goes_on, asks_alone=True)
    to = (
        case.state
        if (fact.role, case.progress.task) == (Role.TECH_LEAD, Task.UNBLOCK)
        else routed(fact.role, outcome.status, case.state, case.progress.task)
    )
    if isinstance(outcome, InvestigationOutcome):
        move = after_iteration(case, outcome)
    elif to is None:
        return unknown(case, f"{fact.role.words} answered {outcome.status}")
    else:
        move = _guarded(case, fact.role, outcome, to, policy)
    return _escalated(fact.role, escalation, move) if escalation else move


def _escalated(role: Role, escalation: str, move: Move, *, asks_alone: bool = False) -> Move:
    """Asks a person before the case goes on or ends. If it stops for a person anyway, the escalation is added to that
    post. `asks_alone`: the turn has decided nothing else, so no reason of a move waits for the answer."""
    if move.to in WAITING | PARKED:
        too = words.also_escalated(role, escalation)
        say = move.say.model_copy(update={"also": escalation, "role": move.say.role or role}) if move.say else None
        return move.model_copy(update={"reason": f"{move.reason} {too}", "say": say})
    ends = move.to in TERMINAL
    note = f"{escalation} It proposes to end the case. {move.reason}" if ends else escalation
    kept = note if ends or asks_alone else words.held_back(note, move.reason)
    asks = wait_for(WaitingFor.APPROVAL, kept, subject=Subject.ESCALATION, then=move.to)
    said = {"say": Draft(about=A.ESCALATION, role=role, note=note), "then_task": _if_kept(move.task)}
    return asks.model_copy(update={**said, "attempt": move.attempt, "new_problem": move.new_problem})


def _if_kept(task: Task | None) -> Task | None:
    return task if task in KEPT_TASKS else None


def _guarded(case: IssueCase, role: Role, outcome: IssueOutcome, to: IssueState, policy: Policy) -> Move:
    """The routed move, or another one if evidence or approvals are missing."""
    match outcome:
        case TriageOutcome():
            return after_triage(case, outcome, to, policy)
        case AnalysisOutcome(status="READY") if is_clear(outcome, policy):
            return after_analysis(case, policy)
        case AnalysisOutcome(status="BLOCKED"):
            return blocked(role, outcome.brief)
        case AnalysisOutcome():
            return Move(to=S.REQUIREMENTS_UNCLEAR, reason=words.unclear(outcome))
        case QuestionsOutcome(status="CONTINUE"):
            return Move(to=S.ANALYZING_REQUIREMENTS, reason=outcome.reason)
        case QuestionsOutcome(status="EXTERNAL_DEPENDENCY"):
            return blocked(role, outcome.reason)
        case QuestionsOutcome():
            return ask_people(case, outcome.questions)
        case InterpretOutcome():
            return after_interpretation(case, outcome, to, policy)
        case PlanOutcome():
            return after_plan(case, outcome, to, policy)
        case TestsOutcome(status="TESTS_READY") if is_correction(case):
            return Move(to=S.RUNNING_TESTS, reason="The test was corrected; now everything is built and tested.")
        case TestsOutcome(status="TESTS_READY") if outcome.escalation:  # the test still has to be seen red
            return Move(to=case.state, reason=f"The tester: {outcome.summary}")
        case TestsOutcome(status="TESTS_READY"):
            raise Defect("a tester's claim is judged by the red build, not here")
        case TestsOutcome(status="BLOCKED"):
            return blocked(role, outcome.summary)
        case TestsOutcome() if case.limits.testless > _MOST_TESTLESS:
            say = Draft(about=A.ROLE_ASKS)
            return wait_for(WaitingFor.ANSWER, outcome.summary, then=S.ANALYZING_REQUIREMENTS, say=say)
        case TestsOutcome():
            return Move(to=to, reason=f"The tester: {outcome.summary}")
        case JudgeOutcome():
            return after_judgement(case, outcome, to, policy)
        case ValidationOutcome(status="PASS"):
            return deliver(case, "Everything that was asked for is there, and nothing that was forbidden.")
        case ValidationOutcome(status="BLOCKED"):
            return blocked(role, outcome.summary)
        case ValidationOutcome(status="TESTS_NEED_WORK"):
            return repair(case, policy, f"The tester: {outcome.summary}", to)
        case ValidationOutcome():
            return repair(case, policy, f"Validation: {outcome.summary}", to)
        case ImplementationOutcome():
            return after_writing(case, role, outcome, to, policy)
        case ReviewOutcome() if case.progress.task is Task.UNBLOCK:
            return after_guidance(case, outcome)
        case ReviewOutcome():
            return after_code_review(case, outcome, to, policy)
        case DiagnosticOutcome():
            return after_diagnostic(outcome)
        case CauseReviewOutcome():
            return after_cause_review(case, outcome, to, policy)
        case UnblockingOutcome():
            return after_unblocking(outcome, to)
        case InvestigationOutcome() | AnswerOutcome():
            return unknown(case, f"the {role.words} has answered")
        case _:
            assert_never(outcome)
