"""Summarises a turn's outcome in one line."""

from typing import assert_never

from caseworker.core.base.text import first_line
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.answers import AnswerOutcome
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome


def outcome_words(outcome: Outcome) -> str:
    match outcome:
        case TriageOutcome():
            return outcome.reason
        case AnalysisOutcome():
            return outcome.root_cause or "; ".join(outcome.must_do)
        case TestsOutcome() | ImplementationOutcome() | JudgeOutcome() | ValidationOutcome():
            return outcome.summary
        case InvestigationOutcome() | DiagnosticOutcome():
            return outcome.summary
        case CauseReviewOutcome():
            return outcome.feedback
        case UnblockingOutcome():
            return outcome.reason
        case PlanOutcome():
            return outcome.reason or first_line(outcome.plan)
        case QuestionsOutcome():
            return " ".join(outcome.questions) or outcome.reason
        case InterpretOutcome():
            return outcome.reply
        case AnswerOutcome():
            return " ".join(outcome.answers)
        case ReviewOutcome():
            first = outcome.feedback_for_writer or " ".join(outcome.good)
            if not outcome.issues and not outcome.approves:
                return first
            findings = "1 finding" if len(outcome.issues) == 1 else f"{len(outcome.issues)} findings"
            return f"{findings}. {first}".strip()
        case BugOutcome():
            return outcome.root_cause or outcome.summary or " ".join(outcome.clarification_questions)
        case PullReviewOutcome():
            findings = "1 finding" if len(outcome.findings) == 1 else f"{len(outcome.findings)} findings"
            return f"{findings}. {outcome.summary}"
        case PullResolveOutcome():
            return outcome.summary
        case _:
            assert_never(outcome)
