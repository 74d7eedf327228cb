"""What messages' receipts say, where it is the same for every kind of case."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId
from caseworker.core.base.roles import Role

OVER: Final = "the case was over: kept on the record"

NOT_THE_REPORTER: Final = "not the reporter"

TURN_FAILED: Final = "given to a turn that failed"

NO_MONEY: Final = "the money ran out in this turn: the next one reads it again, once the budget is raised"


def not_done(reason: str) -> str:
    """The receipt of a command that was not carried out. Code asks the message (`refused`), never these words."""
    return f"not done: {reason}"


def read_by(role: Role) -> str:
    return f"read by the {role.value.replace('_', ' ')}"


class Settled(BaseModel):
    """What came of some messages."""

    model_config = ConfigDict(frozen=True)

    messages: tuple[MessageId, ...]
    outcome: str
    refused: bool = False
    """They were commands that were not carried out."""
