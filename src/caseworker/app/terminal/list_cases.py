"""`caseworker cases`: lists every case in a line or two, for people and for programs."""

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.budget import dollars
from caseworker.core.telling.story import one_line
from caseworker.ports import Store, StoredAny

_STANDS_LENGTH = 300


async def show_cases(store: Store, console: Console, *, as_json: bool) -> None:
    """List cases of every kind, the newest change first."""
    rows = await store.cases.all()
    if as_json:
        print_json([_case_json(row) for row in rows])
        return
    for stored in rows:
        spent = await store.ledger.spent(stored.case.id)
        cost = "rehearsed" if stored.rehearsal is not None else dollars(spent.micros)
        console.print(case_row(stored, cost, terminal=console.is_terminal))


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


def _case_json(stored: StoredAny) -> dict[str, object]:
    view = view_of(stored)
    return {
        "case": stored.case.id,
        "kind": stored.kind.value,
        "title": stored.title,
        "state": view.state,
        "stands": view.how_it_stands()[1],
        "opened_at": stored.opened_at.isoformat(),
        "changed_at": stored.changed_at.isoformat(),
        "pull_request": view.pull_request,
        "trace": stored.trace,
    }
