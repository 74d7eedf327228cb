"""Prints how a session on a pull request stands or has ended: the verdict, who must move, the cost, what to type."""

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from caseworker.app.terminal.live_view import print_json_line
from caseworker.app.terminal.local_times import date_and_time
from caseworker.app.terminal.text_console import print_commands
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.text import printable, words_of
from caseworker.core.pull.case import PullCase, PullState, SessionEnd
from caseworker.core.pull.unpushed_words import unpushed_words
from caseworker.core.telling.money import money_words, turn_words
from caseworker.core.telling.pull_why import why_pull
from caseworker.core.telling.verdict_words import headline, mover_words, title_line, us_in
from caseworker.ports import Store, StoredPull
from caseworker.views.pull_documents import ledger_of, pull_document

_GOOD = frozenset({SessionEnd.READY, SessionEnd.MERGED, SessionEnd.DONE})


def exit_code(case: PullCase) -> int:
    """0 if the session did its part, 1 if it ended otherwise or waits for people."""
    return 0 if case.session.end in _GOOD else 1


async def print_pull_summary(store: Store, stored: StoredPull, console: Console, *, as_json: bool) -> None:
    if as_json:
        print_json_line({**await pull_document(store, stored), "kind": "summary"})
        return
    case = stored.case
    title = f"{case.id}: {words_of(case.session.end or case.state)}"
    style = "green" if exit_code(case) == 0 else "yellow"
    console.print()
    console.print(Panel(await _body(store, stored), title=Text(title), border_style=style, padding=(1, 2)))
    moves = why_pull(case, TerminalPhrasing()).moves_it
    print_commands([("You can", move) for move in moves], console)


async def _body(store: Store, stored: StoredPull) -> Group:
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, value in await _rows(store, stored):
        rows.add_row(name, Text(printable(value)))
    return Group(Text(f"{printable(stored.title)}\n", style="bold"), rows)


async def _rows(store: Store, stored: StoredPull) -> list[tuple[str, str]]:
    case, why = stored.case, why_pull(stored.case, TerminalPhrasing())
    rows = [("How it stands", why.stands), ("Because", why.because)]
    verdict = case.sight.verdict
    if verdict is not None:
        rows.append(("Verdict", headline(verdict)))
        rows += [("", f"{title_line(one)}: {mover_words(one, us_in(is_over=case.is_over))}") for one in verdict.reasons]
    rows.append(("Not pushed", unpushed_words(case)))
    ledger = await ledger_of(store, stored)
    cost = money_words(ledger["spent_micros"], rehearsed=ledger["rehearsed"])
    rows.append(("Cost", f"{cost}, {turn_words(case.progress.turns)}"))
    if case.session.deadline is not None and case.state is not PullState.ENDED:
        rows.append(("Deadline", date_and_time(case.session.deadline)))
    rows.append(("Page", stored.url))
    return [(name, value) for name, value in rows if value]
