"""Shows a case while it works: a live view in a terminal, plain lines elsewhere, JSON lines for programs."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final, Protocol

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import NoRecords
from caseworker.app.terminal.local_times import clock
from caseworker.app.terminal.text_console import escaped_json, json_text
from caseworker.core.base.ids import CaseId
from caseworker.core.base.roles import Task
from caseworker.core.base.text import words_of
from caseworker.core.bug.case import BugState
from caseworker.core.issue.states import IssueState
from caseworker.core.record.entries import (
    BugMoved,
    BugReported,
    Entry,
    PullMoved,
    Recorded,
    Transitioned,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from caseworker.core.record.turn_stall import TurnStalled
from caseworker.core.telling.money import call_words, short_money_words
from caseworker.core.telling.story import tell
from caseworker.core.telling.told import Mark, Told
from caseworker.ports import Store

_SIGN: dict[Mark, str] = {
    "case": "●",
    "state": "▶",
    "turn": "┌",
    "agent": "│ ",
    "tool": "│  ▸",
    "failed": "│  ✘",
    "good": "✔",
    "bad": "✘",
    "person": "☺",
    "quiet": "·",
}
_WITH_RAIL: Final[frozenset[Mark]] = frozenset({"agent", "tool", "failed"})
_RAIL: Final = "│  "
_STYLE: dict[Mark, str] = {
    "case": "bold",
    "state": "bold cyan",
    "turn": "dim",
    "agent": "",
    "tool": "dim",
    "failed": "dim red",
    "good": "green",
    "bad": "red",
    "person": "yellow",
    "quiet": "dim",
}


class StoryWithoutRepeats:
    """Tells the story without repeats: what the pm replies or asks is a post of its own. So the pm's turn leaves it
    out, and so does the move that follows from what people said."""

    def __init__(self) -> None:
        self._replies = False

    def tell(self, entry: Entry) -> list[Told]:
        match entry:
            case TurnStarted():
                self._replies = False
            case TurnCompleted(task=Task.QUESTIONS | Task.INTERPRET as task):
                self._replies = task is Task.INTERPRET
                entry = entry.model_copy(update={"summary": ""})
            case Transitioned() if self._replies:
                self._replies, entry = False, entry.model_copy(update={"reason": ""})
            case _:
                pass
        return tell(entry)


class View(Protocol):
    def show(self, recorded: Recorded) -> None: ...

    def spent(self, words: str) -> None:
        """What the case has cost so far, in words."""


class JsonView:
    def show(self, recorded: Recorded) -> None:
        sys.stdout.write(escaped_json(recorded.model_dump_json()) + "\n")
        sys.stdout.flush()

    def spent(self, words: str) -> None:
        """Nothing to show here: the summary has the cost."""


class PlainView:
    """Lines that read well in a log: the time, a sign, the text."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._story = StoryWithoutRepeats()

    def show(self, recorded: Recorded) -> None:
        for told in self._story.tell(recorded.entry):
            self._console.print(f"{clock(recorded.at)} {_SIGN[told.mark]} {told.text}", markup=False, highlight=False)

    def spent(self, words: str) -> None:
        """Nothing to show here: the summary has the cost."""


class LiveView:
    """Scrolls the story; a line below it shows the state, who works, and the cost so far."""

    def __init__(self, console: Console, state: IssueState = IssueState.RECEIVED) -> None:
        self._console = console
        self._state: StrEnum = state
        self._story = StoryWithoutRepeats()
        self._who = ""
        self._cost = ""
        self._begun = time.monotonic()
        self._spinner = Spinner("dots")
        self._live = Live(console=console, get_renderable=self._footer, refresh_per_second=8, transient=True)

    @contextmanager
    def running(self) -> Iterator["LiveView"]:
        with self._live:
            yield self

    def show(self, recorded: Recorded) -> None:
        match recorded.entry:
            case BugReported():
                self._state = BugState.INVESTIGATING
            case Transitioned(to_state=state) | BugMoved(to_state=state) | PullMoved(to_state=state):
                self._state, self._who = state, ""
            case TurnStarted(role=role):
                self._who = f"the {role.value.replace('_', ' ')} works"
            case TurnStalled(next_try=next_try):
                self._who = f"the model's provider can't be reached, next try at {clock(next_try)}"
            case TurnCompleted() | TurnFailed():
                self._who = ""
        for told in self._story.tell(recorded.entry):
            self._live.console.print(RailedLine(story_line(told)) if told.mark in _WITH_RAIL else story_line(told))

    def spent(self, words: str) -> None:
        self._cost = words

    def _footer(self) -> RenderableType:
        row = Table.grid(padding=(0, 1))
        who = self._who or "code works"
        seconds = time.monotonic() - self._begun
        row.add_row(
            self._spinner,
            Text(words_of(self._state).upper(), style="bold cyan"),
            Text(" · ".join(part for part in (who, self._cost, f"{seconds:.0f} s") if part), style="dim"),
        )
        return row


class RailedLine:
    """A line of a turn. Its rail continues at the left of every wrapped row."""

    def __init__(self, line: Text) -> None:
        self._line = line

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._line[len(_RAIL) :].wrap(console, max(20, options.max_width - len(_RAIL))):
            yield Text(_RAIL, style=self._line.style) + line


def story_line(told: Told) -> Text:
    """Text, not markup: what people and programs wrote is shown literally."""
    sign, style = _SIGN[told.mark], _STYLE[told.mark]
    if told.mark == "state":
        return Text.assemble("\n", (f"{sign} {told.state}", style), f"  {told.why}" if told.why else "")
    return Text(f"{sign} {told.text}", style=style)


async def is_rehearsed(store: Store, case: CaseId) -> bool:
    stored = await store.cases.find(case)
    return stored is not None and stored.rehearsal is not None


async def live_cost(store: Store, case: CaseId, *, rehearsed: bool) -> str:
    """What a case has cost so far, for the line that changes. Calls under way count when they have ended."""
    spent = await store.ledger.spent(case)
    return f"{short_money_words(spent.spent_micros, rehearsed=rehearsed)} · {call_words(spent.calls)}"


@contextmanager
def open_view(console: Console, *, as_json: bool, state: IssueState = IssueState.RECEIVED) -> Iterator[View]:
    """`state`: the case's state when the view opens."""
    if as_json:
        yield JsonView()
    elif console.is_terminal:
        with LiveView(console, state).running() as view:
            yield view
    else:
        yield PlainView(console)


def to_json(value: object) -> str:
    return json_text(value, indent=2) + "\n"


def print_json(value: object) -> None:
    sys.stdout.write(to_json(value))


@contextmanager
def empty_without_records(console: Console, *, as_json: bool) -> Iterator[None]:
    """Where no case was ever opened, a list is empty. That is no error."""
    try:
        yield
    except NoRecords as nothing:
        if as_json:
            print_json([])
        else:
            console.print(str(nothing), markup=False)


def print_json_line(value: object) -> None:
    sys.stdout.write(json_text(value) + "\n")
    sys.stdout.flush()
