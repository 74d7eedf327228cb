"""`check`, and the commands about the environments of repositories."""

from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.shared_options import START, Json, add, do, make_console, settings_now


def check(
    repo: Annotated[Path, typer.Option("--repo", help="A git repository on this disk.")] = Path(),
    json: Json = False,
) -> None:
    """Try whether a repository can be tested here.

    Says what to do if not. Needs no key and no model."""
    from caseworker.app.terminal.check import check as check_repository

    raise typer.Exit(do(check_repository(repo, settings_now(), make_console(), as_json=json)))


def add_to(app: typer.Typer) -> None:
    add(app, START, check)
