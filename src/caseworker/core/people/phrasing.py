"""Protocol for how a surface phrases what people can do there. Core says what can be done; a surface says how.

Every phrase fits into a sentence, with its own quotes. `begin` capitalises it for the start of one."""

from enum import StrEnum
from typing import Protocol

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import MessageKind


class Page(StrEnum):
    """A page that people can look at."""

    CASE = "case"
    WHY = "why"
    DIFF = "diff"
    MATRIX = "matrix"
    PULL_REQUEST = "pull_request"


class Phrasing(Protocol):
    has_buttons: bool
    """Whether people press buttons here, instead of typing commands."""

    def name(self, kind: MessageKind) -> str:
        """What a command is called: `approve`."""

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        """How a person gives this command. If it takes the person's own words, the phrase shows where they go;
        `given` is anything else that follows the command, such as an amount."""

    def start(self, case: CaseId, work: PullWork) -> str:
        """How a person asks for a workflow on a pull request."""

    def until(self, milestone: Milestone) -> str:
        """What a person adds to limit an approval to this milestone. Empty: this surface can't express it."""

    def answer_as_reporter(self, case: CaseId) -> str:
        """How a person answers a bug case's question on behalf of its reporter."""

    def close_linked(self, case: CaseId) -> str:
        """How a person closes a case that is a guest in another case's thread."""

    def resolve(self, case: CaseId) -> str:
        """How a person closes a bug case, with KIND as the placeholder of the resolution."""

    def pull_request(self, number: int) -> str:
        """What a pull request is called: `pull request 3`."""

    def page(self, case: CaseId, page: Page) -> str:
        """How a person opens this page."""


def begin(phrase: str) -> str:
    """The phrase as the beginning of a sentence."""
    return phrase[:1].upper() + phrase[1:]
