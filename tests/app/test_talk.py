"""Format of a conversation: columns in a terminal, paragraphs in a log, and no text is taken for markup."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from caseworker.app.terminal.talk import Talk, seen_by, styled
from caseworker.core.people.messages import Audience
from caseworker.core.record.bug_conversation import Delivery, Line

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
ADA = Line(
    at=NOON, speaker="reporter", author="ada", about="words", text="the [bold]till[/] is\nbroken\x1b[2J", message=1
)
GRACE = Line(at=NOON, speaker="developer", author="grace", about="close_incomplete", text="close it", message=2)
QUESTION = Line(
    at=NOON, speaker="bot", author="caseworker", about="question", text="Which **till**?", audience=Audience.REPORTER
)
SUMMARY = Line(
    at=NOON, speaker="bot", author="caseworker", about="summary", text="**A**\n\nB", audience=Audience.DEVELOPERS
)
ALL = [ADA, SUMMARY, QUESTION, GRACE]


def shown(voice: str, *, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=terminal, color_system=None, soft_wrap=not terminal)
    talk = Talk(console, voice)
    for line in seen_by(voice, ALL):
        talk.show(line)
    console.print(talk.aside("recorded", sign="↳"))
    return file.getvalue()


def test_a_log_has_a_paragraph_for_each_line() -> None:
    assert shown("developer") == (
        "12:00:00 ada (reporter): the [bold]till[/] is\n    broken�[2J\n"
        "12:00:00 caseworker → developers: A\n\n    B\n"
        "12:00:00 caseworker → reporter: Which till?\n"
        "12:00:00 grace (developer): [close] close it\n"
        "         ↳ recorded\n"
    )


def test_a_post_that_did_not_reach_people_is_marked() -> None:
    file = io.StringIO()
    talk = Talk(Console(file=file, width=80, soft_wrap=True))
    for delivery in Delivery:
        text = "" if delivery is Delivery.PENDING else QUESTION.text
        talk.show(QUESTION.model_copy(update={"delivery": delivery, "about": "open_question", "text": text}))
    assert file.getvalue() == (
        "12:00:00 caseworker → reporter: Which till?\n"
        "12:00:00 caseworker → reporter: [partly delivered] Which till?\n"
        "12:00:00 caseworker → reporter: [not delivered] Which till?\n"
        "12:00:00 caseworker → reporter: [not said yet: open question]\n"
    )


def test_a_reporter_sees_only_their_part_of_the_conversation() -> None:
    assert shown("reporter") == (
        "12:00:00 ada: the [bold]till[/] is\n    broken�[2J\n12:00:00 caseworker: Which till?\n         ↳ recorded\n"
    )


def test_a_terminal_has_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line.rstrip() for line in shown("developer", terminal=True).splitlines()]
    assert [line[9:] for line in lines if line] == [
        "ada (reporter)          the [bold]till[/] is",
        "                        broken�[2J",
        "caseworker → developers A",
        "                        B",
        "caseworker → reporter   Which till?",
        "grace (developer)       [close] close it",
        "↳ recorded",
    ]


def test_emphasis_is_styled_and_markup_is_shown_literally() -> None:
    text = styled("**bold** and `code`, [red]not red[/], 2 ** 3 ** 4")
    assert text.plain == "bold and code, [red]not red[/], 2 ** 3 ** 4"
    assert [(span.start, span.end, span.style) for span in text.spans] == [(0, 4, "bold"), (9, 13, "italic")]
