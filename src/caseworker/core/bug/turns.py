"""What a flow needs to know about a completed turn of a bug case."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Severity
from caseworker.core.outcomes.bug import BugAction, BugOutcome
from caseworker.core.people.messages import Claimed


class Step(StrEnum):
    """What follows a turn: the action that the agent proposed, or another one if the facts don't permit it."""

    ASK_REPORTER = "ask_reporter"
    ASK_DEVELOPERS = "ask_developers"
    """The reporter was asked before and did not answer in time: the question is an open one for developers."""
    POST_FINDINGS = "post_findings"
    POST_ANSWER = "post_answer"
    """An answer with nothing that was found: no evidence, no cause."""
    ESCALATE = "escalate"
    RESOLVE = "resolve"
    CREATE_FIX = "create_fix"


class InvestigatorAnswer(BaseModel):
    """What a flow needs to know about a turn's outcome. The text stays in the store."""

    model_config = ConfigDict(frozen=True)

    action: BugAction
    severity: Severity | None = None
    fix_type: str = "unknown"
    found: bool = True
    """Whether it has evidence, a cause or a commit."""


def answer_of(outcome: BugOutcome) -> InvestigatorAnswer:
    found = bool(outcome.evidence or outcome.root_cause.strip() or outcome.culprit_commit)
    return InvestigatorAnswer(action=outcome.action, severity=outcome.severity, fix_type=outcome.fix_type, found=found)


class InvestigatorTurn(BaseModel):
    """A completed turn of the investigator."""

    model_config = ConfigDict(frozen=True)

    answer: InvestigatorAnswer
    session: SessionId
    heard: tuple[Claimed, ...] = ()
    """All messages it was given, before and during the turn."""
    spent_micros: int = 0
    """By the whole case, so far."""
