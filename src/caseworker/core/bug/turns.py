"""What a flow needs to know of a bug turn that came to an end."""

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Severity
from caseworker.core.outcomes.bug import BugAction, BugOutcome
from caseworker.core.people.messages import Claimed


class Verdict(BaseModel):
    """What a flow needs to know of a bug turn's outcome; the words stay in the store."""

    model_config = ConfigDict(frozen=True)

    action: BugAction
    severity: Severity | None = None
    fix_type: str = "unknown"


def verdict_of(outcome: BugOutcome) -> Verdict:
    return Verdict(action=outcome.action, severity=outcome.severity, fix_type=outcome.fix_type)


class Investigated(BaseModel):
    """A turn of the investigator that came to an end."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    session: SessionId
    heard: tuple[Claimed, ...] = ()
    """Everything it was given, before it began and while it worked."""
