"""`caseworker deliveries`: lists the events that GitHub sent, and what came of each."""

from collections.abc import Sequence
from contextlib import suppress

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import NoRecords, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.local_times import date_and_time
from caseworker.core.base.text import printable
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.views.delivery_list import DeliveryLine, delivery_lines


async def list_deliveries(
    settings: Settings, console: Console, *, outcome: OutcomeKind | None, limit: int, as_json: bool
) -> None:
    lines: Sequence[DeliveryLine] = []
    with suppress(NoRecords):  # GitHub has sent nothing
        async with reading(settings) as store:
            lines = await delivery_lines(store, outcome=outcome, limit=limit)
    if as_json:
        print_json([line.model_dump(mode="json") for line in lines])
    elif lines:
        console.print(_table(lines))
    elif outcome is not None:
        console.print(f"No delivery was {outcome.value}.")
    else:
        console.print("GitHub has sent nothing yet.")


def _table(lines: Sequence[DeliveryLine]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("received", "event", "target", "by", "outcome", "because"):
        table.add_column(column, style="bold" if column == "outcome" else "")
    for line in lines:
        cells = (line.event, line.target, line.actor, line.outcome.value, line.because)
        received = date_and_time(line.received_at)
        table.add_row(received, *(Text(printable(cell)) for cell in cells), style=_style(line.outcome))
    return table


def _style(outcome: OutcomeKind) -> str:
    if outcome in (OutcomeKind.FAILED, OutcomeKind.UNREADABLE):
        return "red"
    return "dim" if outcome in (OutcomeKind.IGNORED, OutcomeKind.DUPLICATE) else ""
