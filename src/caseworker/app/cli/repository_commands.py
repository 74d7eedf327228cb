"""`check`, and the commands about the environments of repositories."""

from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.shared_options import Json, do, make_console, settings_now


def check(
    repo: Annotated[Path, typer.Option("--repo", help="A git repository on this disk.")] = Path(),
    json: Json = False,
) -> None:
    """Try whether a repository can be set up and tested here, and say what to do if not. No key, no model."""
    from caseworker.app.terminal.check import check as check_repository

    raise typer.Exit(do(check_repository(repo, settings_now(), make_console(), as_json=json)))


def add_to(app: typer.Typer) -> None:
    app.command()(check)
