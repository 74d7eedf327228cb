"""`caseworker sla`: shows what was promised to reporters, and the status of each promise."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import empty_without_records, print_json
from caseworker.core.base.ids import CaseId
from caseworker.core.record.entries import Recorded
from caseworker.core.sla.clock import SlaLine
from caseworker.core.sla.words import promise_words, span
from caseworker.core.telling.story import one_line
from caseworker.ports import StoredBug
from caseworker.views.promises import open_promises, sla_line


def promises_in_words(stored: StoredBug, record: Sequence[Recorded], now: datetime) -> str:
    line = sla_line(stored, record, now)
    acknowledge, resolve = promise_words(line.acknowledge, now), promise_words(line.resolve, now)
    return f"{line.severity}: acknowledge {acknowledge}; resolve {resolve}"


async def show_sla(settings: Settings, console: Console, *, as_json: bool) -> None:
    with empty_without_records(console, as_json=as_json):
        await _show(settings, console, as_json=as_json)


async def _show(settings: Settings, console: Console, *, as_json: bool) -> None:
    async with reading(settings) as store:
        now = datetime.now(UTC)
        promises = await open_promises(store, now)
    lines, bugs = [line for line, _ in promises], {bug.case.id: bug for _, bug in promises}
    if as_json:
        print_json([{**line.model_dump(mode="json"), "title": bugs[line.case].title} for line in lines])
        return
    if not lines:
        console.print("No bug is open: nothing is due.")
        return
    console.print(_table(lines, bugs, now))


def _table(lines: list[SlaLine], bugs: dict[CaseId, StoredBug], now: datetime) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("case", "severity", "acknowledge", "resolve", "next follow-up", "level", "report"):
        table.add_column(column, style="bold" if column == "case" else "")
    for line in lines:
        table.add_row(
            line.case,
            line.severity,
            promise_words(line.acknowledge, now),
            promise_words(line.resolve, now),
            _follow_up(line, now),
            str(line.level),
            Text(one_line(bugs[line.case].title, 60)),
            style="red" if line.overdue_since is not None else "",
        )
    return table


def _follow_up(line: SlaLine, now: datetime) -> str:
    if line.next_follow_up is None:
        return "none: it waits for the reporter"
    return f"in {span(line.next_follow_up - now)}" if line.next_follow_up > now else "now"
