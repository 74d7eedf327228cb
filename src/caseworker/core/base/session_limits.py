"""Limits of a session on a pull request, as a deployment sets them and as the policy of a case has them."""

from typing import Final

from pydantic import BaseModel, Field


class SessionLimits(BaseModel):
    ship_seconds: float = Field(default=4 * 3_600, gt=0)
    """How long a `ship` session may take."""
    ship_iterations: int = Field(default=50, ge=1)
    """How often a session on a pull request may act: a turn, an update of the branch, a rerun of checks."""
    fixes_per_failure: int = Field(default=3, ge=1)
    """Turns that may try to fix the same failure of a check."""
    ci_minutes: int = Field(default=240, ge=0)
    """Minutes of CI that the pushes of one session may start. 0: no limit."""
    review_barrier_seconds: float = Field(default=1_200, ge=0)
    """How long after our push people have to look, before a pull request counts as ready."""
    checks_begin_seconds: float = Field(default=600, ge=0)
    """How long after a push checks may begin. Before, none at all is not green."""
    pull_look_seconds: float = Field(default=60, gt=0)
    """The first pause between two looks at a pull request, if no event tells of a change. It doubles each time."""
    pull_look_most_seconds: float = Field(default=1_800, gt=0)


SESSION_LIMITS: Final = frozenset(SessionLimits.model_fields)
