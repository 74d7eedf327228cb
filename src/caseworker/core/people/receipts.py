"""What messages' receipts say, where it is the same for every kind of case."""

from typing import Final

from caseworker.core.base.roles import Role

OVER: Final = "the case was over: kept on the record"

NOT_THE_REPORTER: Final = "not the reporter"

TURN_FAILED: Final = "given to a turn that failed"


def not_done(reason: str) -> str:
    """The receipt of a command that was not carried out. Code asks the message (`refused`), never these words."""
    return f"not done: {reason}"


def read_by(role: Role) -> str:
    return f"read by the {role.value.replace('_', ' ')}"
