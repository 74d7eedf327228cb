"""`caseworker why`: explains why a case is in its state, readable at 80 columns, or as JSON."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.host_note import note_dead_host
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.local_times import date_and_time, with_local_times
from caseworker.app.terminal.talk import styled
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.text import printable
from caseworker.core.telling.story import one_line
from caseworker.core.telling.why import Why

_MOST_COLUMNS = 100
"""Longer lines are hard to read, however wide the terminal is."""


async def explain(settings: Settings, console: Console, name: str, *, as_json: bool) -> None:
    async with reading(settings) as store:
        stored = await find_case(store, name)
        told = await view_of(stored).why(store)
    if as_json:
        print_json({"title": stored.title, **told.model_dump(mode="json")})
    else:
        print_why(told, stored.title, console)
        note_dead_host(settings, [stored], console)


def print_why(told: Why, title: str, console: Console) -> None:
    console.print(Text(f"{told.case}  {one_line(title)}", style="bold"))
    console.print(Text(f"{told.state.replace('_', ' ').upper()}  ", style="bold cyan") + _text(told.stands, console))
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for heading, lines in _rows(told):
        for number, line in enumerate(lines):
            rows.add_row("" if number else heading, _text(line, console))
    console.print()
    console.print(rows, width=min(console.width, _MOST_COLUMNS), soft_wrap=False)
    if told.moves_it:
        console.print(Text("You can", style="bold"))
    for move in told.moves_it:  # below each other and never wrapped: commands are to be copied
        console.print(Text("  ") + _text(move, console), soft_wrap=True)


def _text(line: str, console: Console) -> Text:
    """Without colour, backticks mark commands."""
    shown = printable(with_local_times(line))
    return styled(shown) if console.color_system is not None else Text(shown)


def _rows(told: Why) -> list[tuple[str, list[str]]]:
    waits = [told.waits_for + (f" Until {date_and_time(told.until)}." if told.until is not None else "")]
    rows = [
        ("Because", [told.because]),
        ("Waits", waits if told.waits_for else []),
        ("It asks", told.asked.splitlines()),
        ("By itself", [told.next]),
        ("Evidence", [fact.text for fact in told.evidence]),
        ("Bound to", [fact.text for fact in told.bound_to]),
    ]
    return [(heading, lines) for heading, lines in rows if lines]
