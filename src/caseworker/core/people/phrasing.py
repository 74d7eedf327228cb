"""How a surface phrases what people can do there. Core says what can be done; a surface says how.

Every phrase is ready to be put into a sentence, with its own quotes. `begin` makes it the beginning of one."""

from enum import StrEnum
from typing import Protocol

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.people.commands import MessageKind


class Page(StrEnum):
    """What people can look at."""

    CASE = "case"
    WHY = "why"
    DIFF = "diff"
    MATRIX = "matrix"
    PULL_REQUEST = "pull_request"


class Phrasing(Protocol):
    def name(self, kind: MessageKind) -> str:
        """What a command is called: `approve`."""

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        """How a person gives this command. Where it takes the person's own words, the phrase shows their place;
        `given` is anything else that follows it: an amount."""

    def until(self, milestone: Milestone) -> str:
        """What a person adds to an approval that goes no further than this. Empty: it can't be said here."""

    def answer_as_reporter(self, case: CaseId) -> str:
        """How the question of a bug case is answered for its reporter."""

    def resolve(self, case: CaseId) -> str:
        """How a bug case is closed, with KIND in the place of the resolution."""

    def page(self, case: CaseId, page: Page) -> str:
        """How a person gets to see this."""


def begin(phrase: str) -> str:
    """The phrase as the beginning of a sentence."""
    return phrase[:1].upper() + phrase[1:]
