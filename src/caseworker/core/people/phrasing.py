"""How a surface phrases what people can do there. Core says what can be done; a surface says how."""

from enum import StrEnum
from typing import Protocol

from caseworker.core.base.ids import CaseId
from caseworker.core.people.commands import MessageKind


class Page(StrEnum):
    """What people can look at."""

    CASE = "case"
    WHY = "why"
    DIFF = "diff"
    MATRIX = "matrix"
    PULL_REQUEST = "pull_request"


class Phrasing(Protocol):
    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        """How a person gives this command, ready to be quoted in a sentence; `given` is what follows it."""

    def page(self, case: CaseId, page: Page) -> str:
        """How a person gets to see this, ready to begin a sentence with."""
