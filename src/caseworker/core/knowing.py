"""What a case learns from a fact. A new commit takes back what was proved of the old one."""

from typing import assert_never

from caseworker.core import issue_words as words
from caseworker.core.case import Case, WaitingFor
from caseworker.core.evidence import Stage
from caseworker.core.facts import (
    Agreed,
    BranchMoved,
    BudgetRaised,
    BuildEnded,
    CloseAsked,
    Declined,
    EffectRefused,
    Fact,
    HandedBack,
    Merged,
    PullRequestReady,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
    TurnGaveUp,
)
from caseworker.core.moves import granted
from caseworker.core.outcomes import (
    SECURITY,
    AnalysisOutcome,
    ImplementationOutcome,
    IssueType,
    JudgeOutcome,
    PlanOutcome,
    QuestionsOutcome,
    ReviewOutcome,
    Task,
    TestsOutcome,
    TriageOutcome,
    ValidationOutcome,
)
from caseworker.core.policy import Milestone
from caseworker.core.states import IssueState

S = IssueState


def learn(case: Case, fact: Fact) -> Case:
    """The case with the fact folded in. A new commit takes back what was proved of the old one."""
    match fact:
        case TurnEnded():
            return after_turn(case, fact).model_copy(update=_learned(case, fact))
        case BuildEnded(stage=Stage.HEAD):
            green = fact.commit if fact.verdict == "green" else None
            return case.model_copy(update={"green": green, "built": fact.commit, "feedback": fact.feedback})
        case BuildEnded(stage=Stage.RED):
            feedback = "" if fact.verdict == "red" else f"The new test does not fail without the fix: {fact.reason}."
            tries = case.test_tries + (fact.verdict != "red")
            return case.model_copy(update={"red": fact.verdict == "red", "feedback": feedback, "test_tries": tries})
        case BuildEnded():
            return case.model_copy(update={"base_built": True})
        case PullRequestReady():
            return case.model_copy(update={"pull_request": fact.number, "pushed": fact.commit, "remarks": ()})
        case BranchMoved():
            theirs = words.conflicts(fact.conflict) if fact.conflict else case.feedback
            return case.model_copy(update={"checkpoint": fact.commit, "pushed": fact.theirs, "feedback": theirs})
        case Spoke() | Declined() | RetryAsked():
            remarks = (*case.remarks, *fact.messages) if case.pull_request is not None else case.remarks
            return case.model_copy(update={"remarks": remarks})
        case Agreed() if case.wait is not None and case.wait.subject is not None:
            return granted(case, case.wait.subject, fact.by)
        case Agreed() if case.wait is not None and case.wait.reason is WaitingFor.MILESTONE:
            return case.model_copy(update={"until": fact.until or Milestone.PR})
        case TakenOver():
            return case.model_copy(update={"taken_by": fact.by})
        case HandedBack():
            return case.model_copy(update={"taken_by": ""})
        case BudgetRaised():
            return case.model_copy(update={"extra_micros": case.extra_micros + fact.micros})
        case TurnGaveUp() | EffectRefused() | Merged() | CloseAsked() | Agreed() | TimedOut():
            return case
        case _:
            assert_never(fact)


def after_turn(case: Case, fact: TurnEnded) -> Case:
    """Where the turn left the work; what it said of it is another matter: a role that asks says nothing yet."""
    sessions = {**case.sessions, fact.role.value: fact.session}
    return case.model_copy(update={"checkpoint": fact.checkpoint, "sessions": sessions})


def _learned(case: Case, fact: TurnEnded) -> dict[str, object]:
    match fact.outcome:
        case TriageOutcome() as triage:
            return {
                "issue_type": triage.type,
                "weighty": triage.scope != "SMALL" or triage.complexity == "complex",
                "senior": case.senior or not SECURITY.isdisjoint(triage.topics),
            }
        case AnalysisOutcome() as analysis:
            # A bug needs its regression test whatever the analyst says: only a person may waive it.
            is_bug = case.issue_type is IssueType.BUG_FIX
            return {"test_required": analysis.test_requirement.required or is_bug}
        case PlanOutcome(status="PLANNING_COMPLETE"):
            return {"planned": True}
        case TestsOutcome() as tests:
            return {"tests": fact.checkpoint, "test_file": tests.test_file, "new_test": tests.test_command}
        case ReviewOutcome() as review:
            approved = fact.checkpoint if review.approves else None
            guided = case.guided or case.task is Task.UNBLOCK
            return {
                "approved": approved,
                "feedback": review.feedback_for_writer or "",
                "guided": guided,
                "senior": case.senior or review.status == "CHANGES_REQUESTED",
            }
        case JudgeOutcome() as judged:
            flaky = case.flaky + (judged.status == "FLAKY")
            return {"feedback": f"{case.feedback}\n\nThe tester: {judged.summary}".strip(), "flaky": flaky}
        case ValidationOutcome() as validated:
            unmet = [f"- {check.requirement}: {check.evidence}" for check in validated.checks if not check.met]
            return {"feedback": "\n".join([validated.summary, *unmet]) if validated.status != "PASS" else ""}
        case ImplementationOutcome():
            return {"feedback": "", "senior": case.senior or fact.outcome.status == "ESCALATE_SENIOR"}
        case QuestionsOutcome(status="NEEDS_CLARIFICATION"):
            return {"asked": case.asked + 1}
        case _:
            return {}
