"""Makes commands from their kind and text, as tests name them."""

from pydantic import TypeAdapter

from caseworker.core.people.commands import Close, Command, MessageKind, Resolution
from caseworker.core.people.grammar import InIssue, parse
from caseworker.core.people.messages import Standing

_COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


def command_of(kind: MessageKind, text: str = "", resolution: Resolution | None = None) -> Command:
    """Makes the command as intake does for a surface that already knows its kind, such as the terminal."""
    if kind is MessageKind.CLOSE:
        return Close(resolution=resolution, reason=text)
    return parse(text, Standing.OWNER, InIssue(), _COMMAND.validate_python({"kind": kind}))
