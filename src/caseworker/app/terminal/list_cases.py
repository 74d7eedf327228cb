"""`caseworker cases`: lists cases in a line or two, for people and for programs."""

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from caseworker.app.settings import Settings
from caseworker.app.terminal.case_filter import CaseFilter, Listed, chosen, listed
from caseworker.app.terminal.host_note import note_dead_host
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.local_times import date_and_time, with_local_times
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.ids import Sha, typed
from caseworker.core.telling.money import short_money_words
from caseworker.core.telling.moved_branch import moved_words
from caseworker.core.telling.story import one_line
from caseworker.ports import Store, StoredCase
from caseworker.views.board import row_of
from caseworker.views.branch_tips import tips_of

_STANDS_LENGTH = 300


async def show_cases(store: Store, settings: Settings, console: Console, wanted: CaseFilter, *, as_json: bool) -> None:
    """List cases of every kind, the newest change first."""
    known = await listed(store, settings)
    rows = await chosen(known, wanted)
    if as_json:
        print_json([_case_json(row) for row in rows])
        return
    tips = await tips_of(store, (row.stored for row in rows if isinstance(row.stored, StoredCase)))
    for row in rows:
        cost = short_money_words(row.entry.spent_micros, rehearsed=row.stored.rehearsal is not None)
        console.print(case_row(row, cost, tip=tips.get(row.stored.case.id), terminal=console.is_terminal))
    note_dead_host(settings, (row.stored for row in rows), console)
    hidden = 0 if wanted.demos or wanted.repository is not None else sum(row.is_demo for row in known)
    if not rows:
        none_yet = "There are no cases of your own yet." if hidden else "There are no cases yet."
        console.print("No case fits." if wanted.is_set else none_yet)
    if hidden:
        named = "1 case of a demo is" if hidden == 1 else f"{hidden} cases of demos are"
        console.print(f"{named} not listed: `caseworker cases --all` lists all.", style="dim")


def case_row(row: Listed, cost: str, *, tip: Sha | None = None, terminal: bool) -> RenderableType:
    """In a terminal two lines, as wide as it is: the title, then the status. In a log one line, for searching."""
    stored = row.stored
    state, stands = view_of(stored).how_it_stands()
    stands = with_local_times(state if stands == state else f"{state}: {one_line(stands, _STANDS_LENGTH)}")
    moved = moved_words(stored.case, tip) if isinstance(stored, StoredCase) else ""
    stands = f"{stands} {moved}" if moved else stands
    title, changed, name = one_line(stored.title), date_and_time(stored.changed_at), typed(stored.case.id)
    if not terminal:
        return Text("  ".join((name, title, stands, cost, changed, str(row.place))))
    about = Text.assemble((f"{name}  ", "bold"), title)
    below = Text.assemble(stands, (f"  {cost}, {changed}, {row.place}", "dim"))
    return Group(about, Padding(below, (0, 0, 0, 2)))


def _case_json(row: Listed) -> dict[str, object]:
    """The board's row, and where the code is."""
    return {**row_of(row.entry).model_dump(mode="json"), "place": str(row.place), "demo": row.is_demo}
