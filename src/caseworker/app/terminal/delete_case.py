"""`caseworker cases --delete`: removes a case that is over, after a question."""

import shutil
import sys

from rich.console import Console

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.give_command import ask
from caseworker.app.terminal.live_view import print_json
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import slug
from caseworker.core.telling.story import one_line


async def delete_case(settings: Settings, console: Console, name: str, *, yes: bool, as_json: bool) -> None:
    """Deletes its records and its folder. Branches, pull requests and what was said elsewhere stay."""
    async with reading(settings) as store:
        stored = await find_case(store, name)
        case = stored.case.id
        if not yes:
            _require_consent(f"Delete {case} ({one_line(stored.title, 60)}) with its story, messages and costs?")
        await store.cases.remove(case)
    shutil.rmtree(settings.home / "workspaces" / slug(case), ignore_errors=True)
    if as_json:
        print_json({"deleted": case})
    else:
        console.print(f"{case} is deleted. Its branch and pull request, if it had any, are still where they were.")


def _require_consent(question: str) -> None:
    if not sys.stdin.isatty():
        raise Refused("Nothing was deleted: nobody is here to be asked.", todo="Add `--yes` if it is meant.")
    if ask(f"{question} There is no way back. Type yes").strip().lower() not in ("y", "yes"):
        raise Refused("Nothing was deleted.")
