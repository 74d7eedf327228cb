"""No text can stop a process: the work of every pattern and reader grows linearly with the text."""

import re
from collections.abc import Callable

import pytest

from caseworker.chats.mrkdwn import fitting
from caseworker.core.base.outgoing_text import outgoing
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.untrusted_text import cleaned, revealed
from caseworker.core.bug.reporter_words import reporter_safe
from caseworker.core.bug.reports import read_report, title_of
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.evidence.failure_names import failures_named
from caseworker.core.people.grammar import InBug, InIssue, InPull, parse
from caseworker.core.people.messages import Standing
from caseworker.core.people.trigger import read_trigger
from caseworker.intake.slack_text import text_of
from tests.core.base.growth import grows_too_fast
from tests.core.base.pattern_list import Expression, expressions, hard_texts

_REPORTER, _DEVELOPER = Standing.REPORTER, Standing.DEVELOPER
_READERS: dict[str, Callable[[str], object]] = {
    "cleaned": cleaned,
    "revealed": revealed,
    "outgoing": lambda text: outgoing(text, Redactor(["a-secret-value"])),
    "mrkdwn": fitting,
    "report": lambda text: read_report(text, {}),
    "title": title_of,
    "reporter's words": reporter_safe,
    "reporter in a bug": lambda text: parse(text, _REPORTER, InBug(asked=True)),
    "developer in a bug": lambda text: parse(text, _DEVELOPER, InBug(asked=True, stop_asked=True)),
    "in an issue": lambda text: parse(text, Standing.OWNER, InIssue(awaits=True)),
    "in a pull": lambda text: parse(text, Standing.OWNER, InPull()),
    "trigger": lambda text: read_trigger(text, verbs={"plan"}),
    "slack text": lambda text: text_of({"text": text}),
    "slack blocks": lambda text: text_of({"blocks": [{"text": line} for line in text.split(" ")]}),
    "makefile": lambda text: find_plan({"Makefile": text}),
    "rakefile": lambda text: find_plan({"Rakefile": text}),
    "failures": failures_named,
}
_HARD = [
    *(("", unit) for unit in ("\n", " ", "`", "```", "<", ">", "[", "\\", "_", "*", "@", "~", "'", '"')),
    *(("", unit) for unit in ("\x1b", "\x9d", "\x1b[", "\x1b]")),
    *(("", unit) for unit in ("<!-", "<!--", "-->", "![](", "[a](b", "```\n", "please ", "thanks ", "a.", ":a", "a/")),
    *(("", unit) for unit in ("eyJ-", "<@U1>", "1. a\n", "> ", "- \n", "FAILED ", "a\n\n", "a b ", "Error: ", "!(")),
    *((word, gap) for word in ("close", "please", "reject", "budget +", "<", "task", "at", "1.") for gap in " \n\t"),
]


@pytest.mark.slow
def test_no_pattern_takes_more_than_linear_time_for_any_text() -> None:
    slow = [found for one in expressions() if (found := _slow(one))]
    assert slow == []


def _slow(expression: Expression) -> str:
    for begin, unit in hard_texts(expression):
        if grows_too_fast(expression.run, begin, unit):
            return f"{expression.names}: {begin!r} and many {unit!r}"
    return ""


@pytest.mark.parametrize("name", _READERS)
def test_no_reader_of_foreign_text_takes_more_than_linear_time(name: str) -> None:
    slow = [(begin, unit) for begin, unit in _HARD if grows_too_fast(_READERS[name], begin, unit)]
    assert slow == []


def test_a_pattern_that_takes_quadratic_time_would_be_found() -> None:
    assert _slow(Expression(re.compile(r"\s*:\s*x"), ["quadratic"], {"search"}))
