"""How the dashboard phrases what people can do: by the names of its buttons and parts of its pages."""

from typing import Final

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Page

_NAMES: Final = {
    MessageKind.APPROVE: "Approve",
    MessageKind.REJECT: "Reject",
    MessageKind.TAKEOVER: "Take over",
    MessageKind.HAND_BACK: "Hand back",
    MessageKind.BUDGET: "Raise budget",
    MessageKind.RETRY: "Try again",
    MessageKind.CLOSE: "Close case",
    MessageKind.START: "Start ship",
    MessageKind.STOP: "Pause",
    MessageKind.RESUME: "Go on",
    MessageKind.ABORT: "End session",
    MessageKind.REBASE: "Bring up to date",
    MessageKind.ANSWER: "Answer",
}
_PAGES: Final = {
    Page.CASE: "the page of {case}",
    Page.WHY: "the page of {case}",
    Page.DIFF: "the change of {case}",
    Page.MATRIX: "the hypotheses of {case}",
    Page.PULL_REQUEST: "“Its text” on the page of {case}",
}


class ButtonPhrasing:
    has_buttons = True

    def name(self, kind: MessageKind) -> str:
        return "a message" if kind is MessageKind.WORDS else f"“{_NAMES.get(kind, kind.value.replace('_', ' '))}”"

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        return self.name(kind)

    def start(self, case: CaseId, work: PullWork) -> str:
        return f"“Start {work}”"

    def until(self, milestone: Milestone) -> str:
        return f"“Approve up to the {milestone}” instead"

    def answer_as_reporter(self, case: CaseId) -> str:
        return "a message as the reporter"

    def close_linked(self, case: CaseId) -> str:
        return f"“Close case” on the page of {case}"

    def resolve(self, case: CaseId) -> str:
        return "“Close case” with a KIND and a reason"

    def pull_request(self, number: int) -> str:
        return f"pull request {number}"

    def page(self, case: CaseId, page: Page) -> str:
        return _PAGES[page].format(case=case)
