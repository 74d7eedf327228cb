"""What a flow needs to know about a completed turn of a bug case."""

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Severity
from caseworker.core.outcomes.bug import BugAction, BugOutcome
from caseworker.core.people.messages import Claimed


class Verdict(BaseModel):
    """What a flow needs to know about a turn's outcome. The text stays in the store."""

    model_config = ConfigDict(frozen=True)

    action: BugAction
    severity: Severity | None = None
    fix_type: str = "unknown"


def verdict_of(outcome: BugOutcome) -> Verdict:
    return Verdict(action=outcome.action, severity=outcome.severity, fix_type=outcome.fix_type)


class Investigated(BaseModel):
    """A completed turn of the investigator."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    session: SessionId
    heard: tuple[Claimed, ...] = ()
    """All messages it was given, before and during the turn."""
