"""The structured answer of each kind of turn: a closed union, one model per role and task.

A model's docstrings and descriptions are what the agent is shown, with every call: they are kept short.
"""

from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.answers import HANDED_IN, AnswerOutcome, OutcomeBase
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.status_names import canonical
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import JudgeOutcome, TestsOutcome, ValidationOutcome

IssueOutcome = (
    TriageOutcome
    | PlanOutcome
    | QuestionsOutcome
    | InterpretOutcome
    | AnalysisOutcome
    | AnswerOutcome
    | TestsOutcome
    | JudgeOutcome
    | ValidationOutcome
    | ImplementationOutcome
    | ReviewOutcome
    | InvestigationOutcome
    | DiagnosticOutcome
    | CauseReviewOutcome
    | UnblockingOutcome
)
"""Of the turns of an issue case."""

Outcome = Annotated[
    IssueOutcome | BugOutcome,
    Field(discriminator="kind"),
]

_WRITING: Final = (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK)
_REVIEWING: Final = (Task.REVIEW, Task.REVIEW_ARCHITECTURE, Task.REVIEW_INTEGRATION, Task.UNBLOCK)
_ANSWERING: Final = (Role.PM, Role.ANALYST, Role.TESTER, Role.DEVELOPER, Role.TECH_LEAD)

_MODELS: Final[dict[tuple[Role, Task], type[OutcomeBase]]] = {
    (Role.PM, Task.TRIAGE): TriageOutcome,
    (Role.PM, Task.PLAN): PlanOutcome,
    (Role.PM, Task.QUESTIONS): QuestionsOutcome,
    (Role.PM, Task.INTERPRET): InterpretOutcome,
    (Role.ANALYST, Task.ANALYZE): AnalysisOutcome,
    (Role.TESTER, Task.CREATE_TESTS): TestsOutcome,
    (Role.TESTER, Task.UPDATE_TESTS): TestsOutcome,
    (Role.TESTER, Task.JUDGE): JudgeOutcome,
    (Role.TESTER, Task.VALIDATE): ValidationOutcome,
    **{(role, task): ImplementationOutcome for role in (Role.DEVELOPER, Role.SENIOR_DEVELOPER) for task in _WRITING},
    **{(Role.TECH_LEAD, task): ReviewOutcome for task in _REVIEWING},
    **{(role, Task.ANSWER): AnswerOutcome for role in _ANSWERING},
    (Role.INVESTIGATOR, Task.BUG): BugOutcome,
    (Role.INVESTIGATOR, Task.INVESTIGATE): InvestigationOutcome,
    (Role.DEVELOPER, Task.DIAGNOSE): DiagnosticOutcome,
    (Role.SENIOR_DEVELOPER, Task.DIAGNOSE): DiagnosticOutcome,
    (Role.TECH_LEAD, Task.VALIDATE_CAUSE): CauseReviewOutcome,
    (Role.PM, Task.UNBLOCK_INVESTIGATION): UnblockingOutcome,
}

_OUTCOME: Final[TypeAdapter[Outcome]] = TypeAdapter(Outcome)


def outcome_schema(role: Role, task: Task) -> dict[str, object]:
    """The JSON Schema the agent must answer with."""
    return _MODELS[role, task].model_json_schema()


def parse_outcome(role: Role, task: Task, answer: object) -> Outcome:
    """The answer as its model. Raises pydantic's ValidationError, whose text the agent gets for its one repair."""
    return _OUTCOME.validate_python(
        _MODELS[role, task].model_validate(_by_its_own_name(role, answer), context=HANDED_IN)
    )


def _by_its_own_name(role: Role, answer: object) -> object:
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), str):
        return answer
    return {**answer, "status": canonical(role, answer["status"])}


def known_turns() -> list[tuple[Role, Task]]:
    return list(_MODELS)
