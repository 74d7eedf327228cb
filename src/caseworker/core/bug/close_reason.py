"""The reason that came with the message which closed a bug case."""

from collections.abc import Sequence

from caseworker.core.bug.case import BugCase
from caseworker.core.people.commands import Close, CloseIncomplete, Resolution
from caseworker.core.people.messages import Audience, Message, Standing


def closing_words(bug: BugCase, said: Sequence[Message], audience: Audience = Audience.DEVELOPERS) -> str:
    """Empty: no message closed it, or none was given. The reporter's own reason is not repeated to the reporter."""
    closing = next((message for message in said if message.id == bug.ending.closed_by), None)
    if closing is None or (audience is Audience.REPORTER and closing.standing is Standing.REPORTER):
        return ""
    match closing.command:
        case CloseIncomplete(reason=reason):
            return reason
        case Close(resolution=Resolution(), reason=reason):
            return reason or closing.text
        case _:
            return ""
