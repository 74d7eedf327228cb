"""The record entry of claims that code has checked and could not tie to anything."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.roles import Role
from caseworker.core.record.entry import RecordEntry


class NotSeen(BaseModel):
    """A line that is not there, or a command that was not run."""

    model_config = ConfigDict(frozen=True)
    claim: str
    """`path:line`, a path, or a command, as the agent wrote it."""
    problem: str


class ClaimsChecked(RecordEntry):
    """Claims of a turn that code did not see. Without any, there is no entry."""

    kind: Literal["claims_checked"] = "claims_checked"
    turn: int
    role: Role
    not_seen: list[NotSeen]
