"""`caseworker purge` and `cases --delete`: remove a case that is over, after a question."""

import sys

from rich.console import Console

from caseworker.app.desk import find_case, reading
from caseworker.app.parts import make_source
from caseworker.app.retention import purge_case
from caseworker.app.settings import Settings
from caseworker.app.terminal.give_command import ask
from caseworker.app.terminal.live_view import print_json
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import is_local, typed
from caseworker.core.telling.story import one_line
from caseworker.workspaces.worktrees import GitWorkspaces


async def purge(settings: Settings, console: Console, name: str, *, yes: bool, as_json: bool) -> None:
    workspaces = GitWorkspaces(settings.home, source=make_source(), walls=settings.sandbox != "off")
    async with reading(settings) as store:
        stored = await find_case(store, name)
        case = stored.case.id
        if case in await store.cases.unfinished():  # told before the question, not after it
            raise Refused(f"{case} is not over.", todo=f"End it first: `caseworker close {typed(case)}`.")
        if not yes:
            _require_consent(f"Remove {case} ({one_line(stored.title, 60)}) with its story, messages and costs?")
        await purge_case(store, workspaces, case)
    if as_json:
        print_json({"purged": case})
    else:
        left = "Its branch, if it had one, is" if is_local(case) else "Its branch and pull request, if it had any, are"
        console.print(f"{case} is removed. {left} still there.")


def _require_consent(question: str) -> None:
    if not sys.stdin.isatty():
        raise Refused("Nothing was removed: nobody is here to be asked.", todo="Add `--yes` if it is meant.")
    if ask(f"{question} There is no way back. Type yes").strip().lower() not in ("y", "yes"):
        raise Refused("Nothing was removed.")
