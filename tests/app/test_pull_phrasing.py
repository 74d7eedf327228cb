"""How the terminal, Slack and GitHub say what people can do about a session on a pull request."""

import pytest

from caseworker.chats.surface_phrasing import CommentPhrasing, ReplyPhrasing, TerminalPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd, new_pull_case
from caseworker.core.telling.pull_why import why_pull

NINE = new_pull_case(CaseId("acme/shop!9"), "ship")
STOPPED = NINE.updated(state=PullState.PAUSED, pause=PauseCause.STOPPED)
POOR = NINE.updated(state=PullState.PAUSED, pause=PauseCause.BUDGET)
ENDED = NINE.updated(state=PullState.ENDED, end=SessionEnd.READY)

TABLE: list[tuple[Phrasing, PullCase, list[str]]] = [
    (
        TerminalPhrasing(),
        NINE,
        [
            '`caseworker say acme/shop/pull/9 "..."` is read by the next turn.',
            "`caseworker stop acme/shop/pull/9` pauses it.",
            "`caseworker abort acme/shop/pull/9` ends the session.",
        ],
    ),
    (
        TerminalPhrasing(),
        STOPPED,
        [
            "`caseworker resume acme/shop/pull/9` lets it go on from the head as it is then.",
            "`caseworker abort acme/shop/pull/9` ends the session.",
        ],
    ),
    (
        TerminalPhrasing(),
        POOR,
        [
            "`caseworker budget acme/shop/pull/9 +5` goes on with 5 dollars more.",
            "`caseworker abort acme/shop/pull/9` ends the session.",
        ],
    ),
    (TerminalPhrasing(), ENDED, ["`caseworker ship acme/shop/pull/9` begins a new session."]),
    (
        CommentPhrasing(),
        NINE,
        [
            "A comment is read by the next turn.",
            "The comment `stop` pauses it.",
            "The comment `abort` ends the session.",
        ],
    ),
    (CommentPhrasing(), ENDED, ["The comment `bot:ship` begins a new session."]),
    (
        ReplyPhrasing(),
        STOPPED,
        [
            "The reply `resume` lets it go on from the head as it is then.",
            "The reply `abort` ends the session.",
        ],
    ),
    (ReplyPhrasing(), ENDED, ["The comment `bot:ship` below the pull request begins a new session."]),
]


@pytest.mark.parametrize(("phrasing", "case", "lines"), TABLE)
def test_each_surface_names_its_own_way(phrasing: Phrasing, case: PullCase, lines: list[str]) -> None:
    assert why_pull(case, phrasing).moves_it == lines
