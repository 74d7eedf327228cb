"""Options and helpers that all commands share. Nothing slow is imported before a command runs."""

import gc
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from caseworker.app.cli.complete_case import complete_case
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.core.base.errors import Refused

if TYPE_CHECKING:
    from rich.console import Console

    from caseworker.app.settings import Settings

T = TypeVar("T")


def flag(name: str, says: str, **more: Any) -> Any:
    """An option without a value; the empty `metavar` keeps `<bool>` out of the help."""
    return typer.Option(name, metavar="", help=says, **more)


Json = Annotated[bool, flag("--json", "For programs: JSON on standard output.")]
CaseName = Annotated[
    str,
    typer.Argument(
        metavar="CASE",
        help="The case's id, or the end of it: shop/3, 3, bug-7F3K, 7f3k.",
        autocompletion=complete_case,
    ),
]
Pull = Annotated[
    str,
    typer.Argument(
        metavar="PULL", help="OWNER/REPO/pull/57, the address of its page, OWNER/REPO#57, or the end of its case: !57."
    ),
]
Repository = Annotated[
    Path | None, typer.Option("--repo", help="A git repository on this disk. Default: the one you are in.")
]

START, SPEAK, LOOK, OPERATE = "Start", "Speak with a case", "Look", "Operate"
"""The groups of commands in `--help`."""

MOST: Final = 1_000_000
"""The largest number of lines or rows that somebody may ask for."""


def add(app: typer.Typer, panel: str, *commands: Callable[..., None]) -> None:
    for command in commands:
        app.command(rich_help_panel=panel)(command)


def settings_now(*, check_home: bool = True) -> "Settings":
    """The settings, with a home that can be used. `doctor` tells by itself what is wrong with it."""
    settings = _read_settings(check_home=check_home)
    start_logs(settings)
    return settings


def settings_for_work(rehearsal: Path | None) -> "Settings":
    """The settings for a command that opens a case, to be called before its imports: a host that is down starts
    meanwhile. The command calls `start_logs` itself, once it has asked the host for what it needs."""
    from caseworker.app.processes.early_host import start_early

    settings = _read_settings()
    has_model = settings.anthropic_api_key is not None if rehearsal is None else rehearsal.is_file()
    if has_model:  # otherwise the command refuses
        start_early(settings)
    return settings


def _read_settings(*, check_home: bool = True) -> "Settings":
    from caseworker.app.load_settings import load_settings
    from caseworker.app.processes.home_folder import home_problem

    settings = load_settings()
    if check_home and (problem := home_problem(settings.home)) is not None:
        raise Refused(problem, todo="Set CASEWORKER_HOME to a folder that you can write to.")
    return settings


def start_logs(settings: "Settings") -> None:
    from caseworker.app.processes.logs import set_up_logs  # takes 0.1 s

    set_up_logs(settings)


def make_console() -> "Console":
    from caseworker.app.terminal.text_console import TextConsole

    return TextConsole(soft_wrap=not sys.stdout.isatty())


def do(work: Coroutine[Any, Any, T], *, interrupted: str = "the same command takes it up again") -> T:
    import asyncio  # slow, and `--help` does without

    gc.freeze()  # what was imported stays
    gc.enable()
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        raise Interrupted(f"Interrupted. What was begun goes on; {interrupted}.") from None
