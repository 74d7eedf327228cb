"""Commands of the dashboard: open it, and make a token for it."""

from typing import Annotated

import typer

from caseworker.app.cli.complete_case import complete_case
from caseworker.app.cli.shared_options import LOOK, OPERATE, Json, add, do, flag, make_console, settings_now


def open_page(
    case: Annotated[
        str | None,
        typer.Argument(
            metavar="[CASE]", help="The case to show; without, the board of all cases.", autocompletion=complete_case
        ),
    ] = None,
    no_browser: Annotated[bool, flag("--no-browser", "Only print the link.")] = False,
    json: Json = False,
) -> None:
    """Open the dashboard in the browser.

    It shows every case, live. Starts it if it does not run."""
    from caseworker.app.terminal.open_dashboard import open_dashboard, path_of

    settings = settings_now()
    path = do(path_of(settings, case))
    open_dashboard(settings, make_console(), path, browser=not no_browser, as_json=json)


def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who it is for. Pages and records show it.")],
    rank: Annotated[str, typer.Option("--rank", help="reader, developer or owner.")] = "reader",
    repository: Annotated[
        list[str] | None, typer.Option("--repository", help="Only this one; `acme/*` for several. Can be repeated.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a token for the dashboard.

    It counts for the API, too. Prints the settings that allow it."""
    from caseworker.app.terminal.open_dashboard import print_token
    from caseworker.core.base.errors import Refused
    from caseworker.dashboard.access_tokens import Rank

    if rank not in list(Rank):
        raise Refused(f"`{rank}` is no rank.", todo=f"It is one of {', '.join(Rank)}.")
    print_token(make_console(), name, Rank(rank), repository or [], as_json=json)


def add_to(app: typer.Typer) -> None:
    app.command("open", rich_help_panel=LOOK)(open_page)
    add(app, OPERATE, token)
