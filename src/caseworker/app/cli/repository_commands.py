"""`check`, `recipe` and `cache`: how repositories are set up and tested, and what is kept for them."""

from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.shared_options import OPERATE, START, Json, add, do, flag, make_console, settings_now

Here = Annotated[Path, typer.Option("--repo", help="A git repository on this disk. Without it: this folder.")]

recipe_app = typer.Typer(help="Show, edit or forget how a repository is tested.", no_args_is_help=True)


def check(repo: Here = Path(), json: Json = False) -> None:
    """Try whether a repository can be tested here.

    Says what to do if not. Needs no key and no model."""
    from caseworker.app.terminal.check import check as check_repository

    raise typer.Exit(do(check_repository(repo, settings_now(), make_console(), as_json=json)))


@recipe_app.command("show")
def recipe_show(
    repo: Here = Path(),
    write: Annotated[bool, flag("--write", "Write it into the repository, as .caseworker.toml.")] = False,
    json: Json = False,
) -> None:
    """The commands that set it up and test it, and who says so."""
    from caseworker.app.terminal.recipes_and_caches import show_recipe

    do(show_recipe(repo, settings_now(), make_console(), write=write, as_json=json))


@recipe_app.command("edit")
def recipe_edit(repo: Here = Path()) -> None:
    """Edit the commands in your editor. They are kept outside the repository."""
    from caseworker.app.terminal.recipes_and_caches import edit_recipe

    do(edit_recipe(repo, settings_now(), make_console()))


@recipe_app.command("forget")
def recipe_forget(repo: Here = Path()) -> None:
    """Remove what was learned or edited: the rules count again."""
    from caseworker.app.terminal.recipes_and_caches import forget_recipe

    do(forget_recipe(repo, settings_now(), make_console()))


def cache(
    clear: Annotated[bool, flag("--clear", "Remove all that no open case uses.")] = False, json: Json = False
) -> None:
    """List or clear the kept environments of repositories."""
    from caseworker.app.terminal.recipes_and_caches import show_cache

    show_cache(settings_now(), make_console(), clear=clear, as_json=json)


def add_to(app: typer.Typer) -> None:
    add(app, START, check)
    add(app, OPERATE, cache)
    app.add_typer(recipe_app, name="recipe", rich_help_panel=OPERATE)
