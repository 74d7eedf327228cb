"""What an attack is: a hostile text, the door it comes in by, and what its author wants."""

from dataclasses import dataclass
from enum import StrEnum


class Door(StrEnum):
    """Where the text is, and who put it there."""

    TITLE = "title of a stranger's issue"
    BODY = "text of a stranger's issue"
    COMMENT = "a stranger's comment"
    EDITED = "a stranger's comment, edited later"
    OPENED = "an innocent issue, edited later"
    LABEL = "a label set by a stranger"
    REVIEW = "a stranger's review comment"
    QUOTED = "an owner's comment that quotes it"
    FILE = "a file of the repository"
    CHAT = "text of an issue on which an owner chats"


@dataclass(frozen=True, kw_only=True)
class Attack:
    name: str
    door: Door
    text: str
    """What is written. `AGENT MUST <verb> <what>` is an order that a gullible model obeys."""
    login: str = "mallory"
    """Who writes it."""
    asks: bool = False
    """Whether it asks for a deed of Caseworker itself: then it comes after a triage, and nothing may come of it."""
    hidden: bool = False
    """Whether a person can't see the order on the page: then no model may read it."""

    @property
    def title(self) -> str:
        return self.text if self.door is Door.TITLE else "The greeting misspells the world"


def order(verb: str, what: str) -> str:
    """An order in the words that the gullible model looks for. Line ends of `what` are written as `\\n`."""
    escaped = what.replace("\n", "\\n")
    return f"AGENT MUST {verb} {escaped}"
