"""How the terminal, Slack and GitHub phrase what people can do."""

from typing import Final

from caseworker.core.base.ids import CaseId, typed
from caseworker.core.base.policy import Milestone
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Page
from caseworker.core.people.registry import OF_MILESTONE

_NAMES: Final = {MessageKind.WORDS: "say", MessageKind.HAND_BACK: "handback"}
_TYPED_WORDS: Final = {
    MessageKind.WORDS: '"..."',
    MessageKind.ANSWER: '"..."',
    MessageKind.REJECT: '"what should be different"',
}
_PAGES: Final = {
    Page.CASE: "caseworker show {case}",
    Page.WHY: "caseworker why {case}",
    Page.DIFF: "caseworker diff {case}",
    Page.MATRIX: "caseworker matrix {case}",
    Page.PULL_REQUEST: "caseworker show {case} --pull-request",
}
_SEEN_ON_GITHUB: Final = {
    Page.CASE: "the tracking comment",
    Page.WHY: "the tracking comment",
    Page.PULL_REQUEST: "its page",
}
_PLAIN: Final = (MessageKind.WORDS, MessageKind.ANSWER)
"""In a thread these are no command: whatever is said there is read."""


class TerminalPhrasing:
    """Commands of the command line, as they are typed."""

    has_buttons = False

    def name(self, kind: MessageKind) -> str:
        return f"`{_NAMES.get(kind, kind.value)}`"

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        follows = given or _TYPED_WORDS.get(kind, "")
        return f"`caseworker {_NAMES.get(kind, kind.value)} {typed(case)}{f' {follows}' if follows else ''}`"

    def start(self, case: CaseId, work: PullWork) -> str:
        return f"`caseworker {work} {typed(case)}`"

    def until(self, milestone: Milestone) -> str:
        return f"`--until {milestone}`"

    def answer_as_reporter(self, case: CaseId) -> str:
        return f'`caseworker answer {typed(case)} "..." --as reporter`'

    def close_linked(self, case: CaseId) -> str:
        return self.command(case, MessageKind.CLOSE)

    def resolve(self, case: CaseId) -> str:
        return f'`caseworker close {typed(case)} --resolution KIND --reason "..."`'

    def pull_request(self, number: int) -> str:
        return f"pull request {number}"

    def page(self, case: CaseId, page: Page) -> str:
        return f"`{_PAGES[page].format(case=typed(case))}`"


class ReplyPhrasing:
    """Replies in a thread: a command is the whole message. Pages are looked at in a terminal."""

    has_buttons = False

    def name(self, kind: MessageKind) -> str:
        return "a plain reply" if kind in _PLAIN else f"`{_reply(kind)}`"

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        if kind in _PLAIN:
            return self.name(kind)
        said = "reject: what should be different" if kind is MessageKind.REJECT else _reply(kind)
        return f"the reply `{said}{f' {given}' if given else ''}`"

    def start(self, case: CaseId, work: PullWork) -> str:
        return f"the comment `bot:{work}` below the pull request"  # a session is begun where the pull request is

    def until(self, milestone: Milestone) -> str:
        return ""  # the grammar of replies has no words for it

    def answer_as_reporter(self, case: CaseId) -> str:
        return "a plain reply from the reporter"

    def close_linked(self, case: CaseId) -> str:
        return f"the reply `{case}: close`"

    def resolve(self, case: CaseId) -> str:
        return "the reply `close KIND: reason`"

    def pull_request(self, number: int) -> str:
        return f"pull request {number}"

    def page(self, case: CaseId, page: Page) -> str:
        return f"`{_PAGES[page].format(case=typed(case))}`"


class CommentPhrasing:
    """Comments below an issue: a command is the whole comment. Labels ask for workflows. Most pages are in a terminal,
    but whoever reads this sees the tracking comments and the pull request."""

    has_buttons = False

    def name(self, kind: MessageKind) -> str:
        return "a comment" if kind in _PLAIN else f"`{_reply(kind)}`"

    def command(self, case: CaseId, kind: MessageKind, given: str = "") -> str:
        if kind in _PLAIN:
            return self.name(kind)
        said = "reject: what should be different" if kind is MessageKind.REJECT else _reply(kind)
        return f"the comment `{said}{f' {given}' if given else ''}`"

    def start(self, case: CaseId, work: PullWork) -> str:
        return f"the comment `bot:{work}`"

    def until(self, milestone: Milestone) -> str:
        return f"the label `bot:{OF_MILESTONE[milestone]}` instead"

    def answer_as_reporter(self, case: CaseId) -> str:
        return "a comment of whoever opened the issue"

    def close_linked(self, case: CaseId) -> str:
        return f"the comment `{case}: close`"

    def resolve(self, case: CaseId) -> str:
        return "the comment `close KIND: reason`"

    def pull_request(self, number: int) -> str:
        return f"pull request #{number}"  # GitHub makes a link of it

    def page(self, case: CaseId, page: Page) -> str:
        return _SEEN_ON_GITHUB.get(page) or f"`{_PAGES[page].format(case=typed(case))}`"


def _reply(kind: MessageKind) -> str:
    return kind.value.replace("_", " ")
