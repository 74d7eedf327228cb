"""Texts of receipts that all kinds of cases share."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import MessageId
from caseworker.core.base.roles import Role

OVER: Final = "the case was over: kept on the record"

NOT_THE_REPORTER: Final = "not the reporter"

STRANGERS: Final = "kept on the record; it wakes nobody, because its author has no role in the repository"

TURN_FAILED: Final = "given to a turn that failed"

NOT_REHEARSED: Final = "not read: it is rehearsed, and its script has no answer to words; only commands move it"

NO_MONEY: Final = "the money ran out in this turn: the next one reads it again, once the budget is raised"

NOT_READ_YET: Final = "kept: the tests can't be run yet, and the next turn reads it"


def not_done(reason: str) -> str:
    """The receipt of a command that was not carried out. Code checks the message's `refused`, never this text."""
    return f"not done: {reason}"


def read_by(role: Role) -> str:
    return f"read by the {role.value.replace('_', ' ')}"


class Settled(BaseModel):
    """The outcome of some messages."""

    model_config = ConfigDict(frozen=True)

    messages: tuple[MessageId, ...]
    outcome: str
    refused: bool = False
    """The messages were commands that were not carried out."""


def budget_raised(micros: int, cap_micros: int) -> str:
    """The receipt of a raised budget: by how much, and what it is now."""
    return f"the budget was raised by {dollars(micros)}, to {dollars(cap_micros)}"
