"""`caseworker learnings`: lists what cases have found out about their repositories, and forgets entries."""

from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from caseworker.app.desk import reading
from caseworker.app.parts import look_at
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import no_records_as_empty_list, print_json
from caseworker.core.base.errors import Refused
from caseworker.core.casefile.learnings import Learning, one_line, ranked
from caseworker.ports import Store


async def list_learnings(
    settings: Settings, console: Console, *, repo: Path | None, forget: int | None, as_json: bool
) -> int:
    with no_records_as_empty_list(as_json=as_json and forget is None):
        async with reading(settings) as store:
            known = await _known(store, repo)
            if forget is not None:
                await _forget(store, known, forget, console, as_json=as_json)
            elif as_json:
                print_json([learning.model_dump(mode="json") for learning in known])
            elif known:
                console.print(_table(known))
                console.print("A later case is offered the first ones of its repository. To remove one: --forget ID")
            else:
                console.print("Nothing was learned yet. What agents note while they work on a case is kept here.")
    return 0


async def _known(store: Store, repo: Path | None) -> list[Learning]:
    known = ranked(await store.learnings.of())
    if repo is None:
        return sorted(known, key=lambda learning: learning.repository)
    ref = (await look_at(repo)).ref
    named = set()
    for repository in {learning.repository for learning in known}:
        with suppress(Refused):  # the repository is not known here
            if await store.repositories.ref(repository) == ref:
                named.add(repository)
    return [learning for learning in known if learning.repository in named]


async def _forget(store: Store, known: list[Learning], wanted: int, console: Console, *, as_json: bool) -> None:
    found = next((learning for learning in known if learning.id == wanted), None)
    if found is None or not await store.learnings.forget(wanted):
        raise Refused(f"There is no learning {wanted} here.", todo="`caseworker learnings` lists them with their ids.")
    if as_json:
        print_json({"forgotten": found.model_dump(mode="json")})
    else:
        console.print(f"Forgotten: {one_line(found.content)}", markup=False, highlight=False)


def _table(known: list[Learning]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("id", "repository", "seen", "last in", "what"):
        table.add_column(column, style="bold" if column == "id" else "")
    for learning in known:
        seen = "once" if learning.seen == 1 else f"in {learning.seen} cases"
        what = f"{one_line(learning.type).replace('_', ' ')}: {one_line(learning.content)}"
        table.add_row(str(learning.id), learning.repository, seen, learning.last_case, Text(what))
    return table
