"""Summarises a bug case in a few lines: at the end of a report, and below its story."""

from rich.console import Console

from caseworker.app.terminal.live_view import print_json_line
from caseworker.core.base.text import printable, words_of
from caseworker.core.bug.case import BugStatus
from caseworker.core.people.commands import Resolution
from caseworker.core.telling.pull_request import cost_words
from caseworker.core.telling.summaries import BugSummary


def print_bug_summary(summary: BugSummary, console: Console, *, voice: str, as_json: bool) -> None:
    if as_json:
        print_json_line({"kind": "summary", **summary.model_dump(mode="json")})
        return
    console.print()
    console.print(f"{summary.case} is {words_of(summary.status)}: {printable(summary.stands)}.", markup=False)
    for line in next_commands(summary, voice):
        console.print(f"  {line}", style="dim", markup=False)


def next_commands(summary: BugSummary, voice: str) -> list[str]:
    """The commands that a person could type now."""
    case = summary.case
    match summary.status:
        case BugStatus.AWAITING_REPORTER:
            return [f"Answer: caseworker chat {case} --as reporter"]
        case BugStatus.RESOLVED:
            return [f'Not over for you? caseworker say {case} --as reporter "..."']
        case _ if voice == "reporter":
            return [f"Add something: caseworker chat {case} --as reporter", f"As a developer: caseworker chat {case}"]
        case _:
            kinds = "|".join(kind.value for kind in Resolution)
            return [
                f"Talk with it, ask for a fix: caseworker chat {case}",
                f'Close it: caseworker close {case} --resolution {kinds} --reason "..."',
            ]


def cost_line(summary: BugSummary) -> str:
    cost = cost_words(summary.cost_micros, rehearsed=summary.rehearsed)
    calls = "1 model call" if summary.model_calls == 1 else f"{summary.model_calls} model calls"
    return f"{cost}, {calls}, {'1 turn' if summary.turns == 1 else f'{summary.turns} turns'}"
