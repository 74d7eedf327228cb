"""What messages' receipts say, where it is the same for every kind of case."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId
from caseworker.core.base.roles import Role

OVER: Final = "the case was over: kept on the record"

NOT_THE_REPORTER: Final = "not the reporter"

TURN_FAILED: Final = "given to a turn that failed"


def read_by(role: Role) -> str:
    return f"read by the {role.value.replace('_', ' ')}"


class Settled(BaseModel):
    """What came of some messages."""

    model_config = ConfigDict(frozen=True)

    messages: tuple[MessageId, ...]
    outcome: str
