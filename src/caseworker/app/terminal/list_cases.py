"""`caseworker cases`: lists every case in a line or two, for people and for programs."""

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.budget import dollars
from caseworker.core.telling.story import one_line
from caseworker.ports import Store, StoredAny
from caseworker.ports.boards import BoardFilter
from caseworker.views.board import row_of

_STANDS_LENGTH = 300
MOST_CASES = 10_000
"""The newest ones that are listed."""


async def show_cases(store: Store, console: Console, *, as_json: bool) -> None:
    """List cases of every kind, the newest change first."""
    found = await store.boards.page(BoardFilter(), offset=0, limit=MOST_CASES)
    if as_json:
        print_json([row_of(entry).model_dump(mode="json") for entry in found.entries])
        return
    for entry in found.entries:
        cost = "rehearsed" if entry.stored.rehearsal is not None else dollars(entry.spent_micros)
        console.print(case_row(entry.stored, cost, terminal=console.is_terminal))


def case_row(stored: StoredAny, cost: str, *, terminal: bool) -> RenderableType:
    """In a terminal two lines, as wide as it is: the title, then the status. In a log one line, for searching."""
    state, stands = view_of(stored).how_it_stands()
    stands = state if stands == state else f"{state}: {one_line(stands, _STANDS_LENGTH)}"
    title, changed = one_line(stored.title), f"{stored.changed_at:%Y-%m-%d %H:%M} UTC"
    if not terminal:
        return Text("  ".join((stored.case.id, title, stands, cost, changed)))
    about = Text.assemble((f"{stored.case.id}  ", "bold"), title)
    below = Text.assemble(stands, (f"  {cost}, {changed}", "dim"))
    return Group(about, Padding(below, (0, 0, 0, 2)))
