"""`caseworker diff`: what a case has changed so far, whether or not there is a pull request yet."""

import sys

from rich.console import Console
from rich.syntax import Syntax

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.core.base.errors import Refused
from caseworker.core.base.text import printable
from caseworker.ports import StoredBug
from caseworker.workspaces.inspection import change_between


async def show_diff(settings: Settings, console: Console, name: str, *, stat: bool, as_json: bool) -> None:
    async with reading(settings) as store:
        stored = await find_case(store, name)
        if isinstance(stored, StoredBug):
            todo = (
                f"`caseworker show {stored.case.repair.fix}` has its fix."
                if stored.case.repair.fix
                else "Its fix will have one."
            )
            raise Refused(f"{stored.case.id} is a bug case: it changes nothing.", todo=todo)
        repository = await store.repositories.ref(stored.repository)
    case = stored.case
    if case.delivery.base is None or case.delivery.checkpoint in (None, case.delivery.base):
        raise Refused(f"{case.id} has changed nothing yet.", todo=f"`caseworker why {case.id}` says what happens.")
    assert case.delivery.checkpoint is not None
    how = ("--stat",) if stat else ()
    diff = await change_between(settings.home, repository, case.delivery.base, case.delivery.checkpoint, *how)
    if as_json:
        print_json({"case": case.id, "base": case.delivery.base, "commit": case.delivery.checkpoint, "diff": diff})
    elif console.is_terminal and not stat:
        console.print(Syntax(printable(diff), "diff", background_color="default", word_wrap=True))
    else:
        sys.stdout.write(diff)
