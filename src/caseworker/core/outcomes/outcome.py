"""The closed union of turn outcomes, and which model each role and task answers with.

The models' docstrings and descriptions are shown to the agent with every call, so they are kept short.
"""

from typing import Annotated, Final, get_args

from pydantic import Field, TypeAdapter

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.analyst import AnalysisOutcome
from caseworker.core.outcomes.answers import HANDED_IN, AnswerOutcome, OutcomeBase
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.investigation import (
    INVESTIGATION_STATUSES,
    CauseReviewOutcome,
    DeveloperDiagnosticOutcome,
    DiagnosticOutcome,
    InvestigationOutcome,
    UnblockingOutcome,
)
from caseworker.core.outcomes.pm import InterpretOutcome, PlanOutcome, QuestionsOutcome, TriageOutcome
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
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
"""The outcomes of turns in issue cases."""

PullOutcome = PullReviewOutcome | PullResolveOutcome
"""The outcomes of turns in pull cases."""

Outcome = Annotated[
    IssueOutcome | BugOutcome | PullOutcome,
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
    (Role.TECH_LEAD, Task.REVIEW_PULL): PullReviewOutcome,
    (Role.DEVELOPER, Task.RESOLVE_PULL): PullResolveOutcome,
    (Role.INVESTIGATOR, Task.ITERATE): InvestigationOutcome,
    (Role.DEVELOPER, Task.DIAGNOSTIC): DeveloperDiagnosticOutcome,
    (Role.SENIOR_DEVELOPER, Task.DIAGNOSTIC): DiagnosticOutcome,
    (Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE): CauseReviewOutcome,
    (Role.PM, Task.UNBLOCK): UnblockingOutcome,
}

_OUTCOME: Final[TypeAdapter[Outcome]] = TypeAdapter(Outcome)


def outcome_schema(role: Role, task: Task) -> dict[str, object]:
    """The JSON Schema the agent must answer with."""
    return _MODELS[role, task].model_json_schema()


def parse_outcome(role: Role, task: Task, answer: object) -> Outcome:
    """Parses an answer into its model. The text of a ValidationError goes to the agent, which may repair it once."""
    valid = _MODELS[role, task].model_validate(_with_canonical_status(role, answer), context=HANDED_IN)
    return _OUTCOME.validate_python(valid.model_dump())


def _with_canonical_status(role: Role, answer: object) -> object:
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), str):
        return answer
    return {**answer, "status": canonical(role, answer["status"])}


def statuses_of(role: Role, task: Task) -> tuple[str, ...]:
    """The statuses that this turn can end with."""
    if task is Task.ITERATE:  # its status is an open string, so that unknown ones can be counted
        return INVESTIGATION_STATUSES
    return get_args(_MODELS[role, task].model_fields["status"].annotation)


def known_turns() -> list[tuple[Role, Task]]:
    return list(_MODELS)
