"""Writes `docs/commands.md` from the command line itself."""

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from caseworker.app.cli.main import app
from caseworker.app.cli.shared_options import LOOK, OPERATE, SPEAK, START

_BEGIN = """# Commands

For everybody who types: all commands, as `caseworker --help` groups them. Written by `make pages`.
`caseworker COMMAND -h` says more about each option. Commands that show something have `--json`, except
`logs`, `docs`, `init github` and `slack manifest`, which print text only; `export` prints JSON anyway.

A CASE is written as it is printed: `shop/3` (issue 3 of the folder `shop`), `owner/repo/42`, `owner/repo/pull/57`,
`bug-7F3K`; or by its end, where that is unique: `3`, `7f3k`. `local/shop#3`, `#3` and a link to the issue on GitHub are
understood as well. `--repo` is the repository that you stand in, unless you name another.
"""
_END = """
Exit codes: 0 done; 1 the case needs people or ended otherwise; 2 refused, and you can change that; 3 it may pass by
itself, try again; 70 a bug of Caseworker; 130 interrupted. `ready`, `check`, `host status` and `action` answer a
question by their exit code: their pages say what 1 to 3 mean there.
"""


def commands_page() -> str:
    rows = list(_rows())
    tables = (
        f"## {panel}\n\n| command | what it does | options |\n|---|---|---|\n"
        + "".join(f"| `{usage}` | {says} | {options} |\n" for group, usage, says, options in rows if group == panel)
        for panel in (START, SPEAK, LOOK, OPERATE)
    )
    return "\n".join((_BEGIN, *tables)) + _END


def _rows() -> Iterator[tuple[str, str, str, str]]:
    root: Any = typer.main.get_command(app)
    for name in root.list_commands(None):
        command = root.commands[name]
        if (below := getattr(command, "commands", None)) is None or command.invoke_without_command:
            yield command.rich_help_panel, _usage(name, command), _first(command), _options(command)
        for inner in (below or {}).values():
            yield command.rich_help_panel, _usage(f"{name} {inner.name}", inner), _first(inner), _options(inner)


def _usage(name: str, command: Any) -> str:
    arguments = (one.metavar or one.name.upper() for one in command.params if one.param_type_name == "argument")
    return " ".join(("caseworker", name, *arguments))


def _first(command: Any) -> str:
    return " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())


def _options(command: Any) -> str:
    names = (one.opts[0] for one in command.params if one.param_type_name == "option")
    return ", ".join(f"`{name}`" for name in names if name not in ("--json", "--help", "-h"))
