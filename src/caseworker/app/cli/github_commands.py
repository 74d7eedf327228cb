"""Commands that set Caseworker up for GitHub, or run it inside GitHub Actions."""

from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.shared_options import LOOK, OPERATE, START, Pull, add, do, flag, make_console, settings_now


def init_github(
    app: Annotated[bool, flag("--app", "Begin to make a GitHub App: prints its manifest and what to click.")] = False,
    url: Annotated[str, typer.Option("--url", help="With --app: where GitHub reaches `caseworker serve`.")] = "",
    organization: Annotated[str, typer.Option("--org", help="With --app: the organization that is to own it.")] = "",
    name: Annotated[str, typer.Option("--name", help="With --app: its name, unique on GitHub.")] = "Caseworker",
    code: Annotated[str, typer.Option("--code", help="Finish making the App with the code that GitHub gave.")] = "",
    repo: Annotated[str, typer.Option("--repo", help="Also check this repository: OWNER/NAME.")] = "",
    write: Annotated[
        Path | None, typer.Option("--write", help="Write .caseworker.toml into the checkout in this folder.")
    ] = None,
) -> None:
    """Make a GitHub App, or check the App or token that is set.

    Says what is missing and why."""
    from caseworker.app.terminal import init_github as set_up

    settings, console = settings_now(), make_console()
    if write is not None:
        raise typer.Exit(set_up.write_rules(console, write.expanduser()))
    if code:
        raise typer.Exit(do(set_up.take_app(settings, console, code)))
    if app:
        wanted = set_up.AppWanted(name=name, organization=organization, public_url=url)
        raise typer.Exit(set_up.offer_app(settings, console, wanted))
    raise typer.Exit(do(set_up.check_access(settings, console, repo)))


def action(
    rehearse: Annotated[Path | None, typer.Option("--rehearse", help="A script that stands in for the model.")] = None,
) -> None:
    """Work on the issue of the event, inside GitHub Actions.

    Ends with 0 if it is done, 1 if it failed, 2 if it was refused, 3 if it waits for people."""
    from caseworker.app.parts import read_rehearsal
    from caseworker.app.terminal.run_action import run_action

    raise typer.Exit(do(run_action(settings_now(), make_console(), read_rehearsal(rehearse))))


def ready(
    pull_request: Pull,
    as_json: Annotated[bool, flag("--json", "Print it as JSON.")] = False,
) -> None:
    """Say whether a pull request can be merged, and if not, why.

    Names all reasons and who must move. Needs only a token. Ends with 0 if it is ready, 1 if not,
    2 if it could not be judged."""
    from caseworker.app.terminal.show_readiness import show_readiness

    raise typer.Exit(do(show_readiness(settings_now(), make_console(), pull_request, as_json=as_json)))


def add_to(app: typer.Typer) -> None:
    init_app = typer.Typer(no_args_is_help=True)
    init_app.command("github")(init_github)

    @init_app.callback()
    def init() -> None:
        """Set up GitHub: make an App, or check the access."""

    app.add_typer(init_app, name="init", rich_help_panel=START)
    add(app, LOOK, ready)
    add(app, OPERATE, action)
