"""Summarises a bug case in a few lines: at the end of a report, and below its story."""

from rich.console import Console

from caseworker.app.terminal.live_view import print_json_line
from caseworker.app.terminal.local_times import with_local_times
from caseworker.core.base.ids import typed
from caseworker.core.base.text import printable, words_of
from caseworker.core.bug.case import BugStatus
from caseworker.core.people.commands import Resolution
from caseworker.core.telling.money import call_words, money_words, turn_words
from caseworker.core.telling.summaries import BugSummary


def print_bug_summary(summary: BugSummary, console: Console, *, voice: str, as_json: bool) -> None:
    if as_json:
        print_json_line({"kind": "summary", **summary.model_dump(mode="json")})
        return
    console.print()
    console.print(
        f"{summary.case} is {words_of(summary.status)}: {printable(with_local_times(summary.stands))}.", markup=False
    )
    for line in next_commands(summary, voice):
        console.print(f"  {line}", style="dim", markup=False, soft_wrap=True)


def next_commands(summary: BugSummary, voice: str) -> list[str]:
    """The commands that a person could type now."""
    case = summary.case
    match summary.status:
        case BugStatus.AWAITING_REPORTER:
            return [f"Answer: caseworker chat {typed(case)} --as reporter"]
        case BugStatus.RESOLVED:
            return [f'Not over for you? caseworker say {typed(case)} --as reporter "..."']
        case _ if voice == "reporter":
            return [
                f"Add something: caseworker chat {typed(case)} --as reporter",
                f"As a developer: caseworker chat {typed(case)}",
            ]
        case _:
            kinds = "|".join(kind.value for kind in Resolution)
            return [
                f"Talk with it, ask for a fix: caseworker chat {typed(case)}",
                f'Close it: caseworker close {typed(case)} --resolution {kinds} --reason "..."',
            ]


def cost_line(summary: BugSummary) -> str:
    cost = money_words(summary.cost_micros, rehearsed=summary.rehearsed)
    return f"{cost}, {call_words(summary.model_calls)}, {turn_words(summary.turns)}"
