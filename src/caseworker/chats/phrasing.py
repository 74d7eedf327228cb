"""How the terminal and Slack phrase what people can do."""

from typing import Final

from caseworker.core.base.ids import CaseId
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Page

_NAMES: Final = {MessageKind.WORDS: "say", MessageKind.HAND_BACK: "handback"}
_PAGES: Final = {
    Page.CASE: "caseworker show {case}",
    Page.WHY: "caseworker why {case}",
    Page.DIFF: "caseworker diff {case}",
    Page.MATRIX: "caseworker matrix {case}",
    Page.PULL_REQUEST: "caseworker show {case} --pull-request",
}
_REPLIES: Final = {
    MessageKind.HAND_BACK: "hand back",
    MessageKind.WORDS: "your words",
    MessageKind.ANSWER: "your answer",
}


class TerminalPhrasing:
    """Commands of the command line, as they are typed."""

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        name = _NAMES.get(kind, kind.value)
        return f"`caseworker {name} {case}{f' {given}' if given else ''}`"

    def page(self, case: CaseId, page: Page) -> str:
        return f"`{_PAGES[page].format(case=case)}`"


class ReplyPhrasing:
    """Replies in a thread: a command is the whole message. Pages are looked at in a terminal."""

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        if kind in (MessageKind.WORDS, MessageKind.ANSWER):
            return f"a reply with {_REPLIES[kind]}"
        said = _REPLIES.get(kind, kind.value)
        return f"the reply `{said}{f' {given}' if given else ''}`"

    def page(self, case: CaseId, page: Page) -> str:
        return f"`{_PAGES[page].format(case=case)}`"
