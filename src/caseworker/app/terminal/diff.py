"""`caseworker diff`: shows what a case has changed so far, with or without a pull request."""

from rich.console import Console
from rich.syntax import Syntax

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.text_console import write_document
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.text import printable
from caseworker.workspaces.inspection import change_between


async def show_diff(settings: Settings, console: Console, name: str, *, stat: bool, as_json: bool) -> None:
    async with reading(settings) as store:
        stored = await find_case(store, name)
        base, commit = view_of(stored).change()
        repository = await store.repositories.ref(stored.repository)
    how = ("--stat",) if stat else ()
    diff = await change_between(settings.home, repository, base, commit, *how)
    if as_json:
        print_json({"case": stored.case.id, "base": base, "commit": commit, "diff": diff})
    elif console.is_terminal and not stat:
        console.print(Syntax(printable(diff), "diff", background_color="default", word_wrap=True))
    else:
        write_document(diff)
