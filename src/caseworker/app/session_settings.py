"""Settings of sessions on pull requests. They have the same names in the policy."""

from typing import Final

from pydantic import BaseModel, Field


class SessionSettings(BaseModel):
    ship_seconds: float = Field(default=4 * 3_600, gt=0)
    """How long a session on a pull request may take, unless `--deadline` says otherwise."""
    ship_iterations: int = Field(default=50, ge=1)
    """How often a session may act: a turn, an update of the branch, a rerun of checks."""
    fixes_per_failure: int = Field(default=3, ge=1)
    ci_minutes: int = Field(default=240, ge=0)
    """Minutes of CI that the pushes of one session may start. 0: no limit."""
    review_barrier_seconds: float = Field(default=1_200, ge=0)
    """How long after our push people have to look, before a pull request counts as ready."""
    checks_begin_seconds: float = Field(default=600, ge=0)
    """How long after a push its checks may begin. Before that, none at all is not green."""
    pull_look_seconds: float = Field(default=60, gt=0)
    pull_look_most_seconds: float = Field(default=1_800, gt=0)


SESSIONS: Final = tuple(SessionSettings.model_fields)
