"""Commands that operate Caseworker: its background process, its log, and workers of a cluster."""

from typing import Annotated

import typer

from caseworker.app.cli.shared_options import (
    MOST,
    OPERATE,
    START,
    CaseName,
    Json,
    add,
    do,
    flag,
    make_console,
    settings_now,
)

host_app = typer.Typer(no_args_is_help=True)
FreshEngine = Annotated[
    bool, flag("--fresh-engine", "Set Temporal's data aside; cases start again from their records.")
]


@host_app.callback()
def host() -> None:
    """Start, stop or restart the background process.

    It runs Temporal's server and a worker. Commands start it by themselves, and it ends when it is idle."""


@host_app.command("start")
def host_start(fresh_engine: FreshEngine = False, json: Json = False) -> None:
    """Start the host in the background (commands do this by themselves)."""
    from caseworker.app.cli.small_commands import start

    start(settings_now(), make_console(), fresh_engine=fresh_engine, as_json=json)


@host_app.command("stop")
def host_stop(json: Json = False) -> None:
    """Stop the host. A turn under way is begun again when it next starts."""
    from caseworker.app.cli.small_commands import stop_host

    stop_host(settings_now(), make_console(), as_json=json)


@host_app.command("restart")
def host_restart(json: Json = False) -> None:
    """Stop the host if it runs, and start it with the settings of now."""
    from caseworker.app.cli.small_commands import restart

    restart(settings_now(), make_console(), as_json=json)


@host_app.command("codec")
def host_codec(
    ui: Annotated[str, typer.Option("--ui", help="The web UI's address, if it is not the host's own.")] = "",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="Where to listen on 127.0.0.1. 0: any free one.")
    ] = 0,
) -> None:
    """Show the payloads of cases in Temporal's web UI, which sees them sealed otherwise. Ctrl-C ends it."""
    from caseworker.app.processes.codec_server import serve_codec

    raise typer.Exit(do(serve_codec(settings_now(), make_console(), ui=ui, port=port)))


@host_app.command("status")
def host_status(json: Json = False) -> None:
    """Say whether the host runs, since when, and where Temporal is."""
    from caseworker.app.cli.small_commands import host_state

    raise typer.Exit(host_state(settings_now(), make_console(), as_json=json))


def logs(
    follow: Annotated[bool, flag("--follow", "Stay, and print new lines as they come. Ctrl-C ends it.")] = False,
    lines: Annotated[int, typer.Option("--lines", min=0, max=MOST, help="How many of the newest lines.")] = 50,
) -> None:
    """Print the log of the background process."""
    from caseworker.app.terminal.show_logs import show_logs

    do(show_logs(settings_now(), lines=lines, follow=follow), interrupted="the host goes on, too")


def purge(
    case: CaseName,
    yes: Annotated[bool, flag("--yes", "Don't ask.")] = False,
    json: Json = False,
) -> None:
    """Remove a case that is over, with all its records and files.

    There is no way back. Branches, pull requests and what was said in Slack or on GitHub stay there."""
    from caseworker.app.terminal.purge import purge as purge_one

    do(purge_one(settings_now(), make_console(), case, yes=yes, as_json=json))


def doctor(json: Json = False) -> None:
    """Check what it needs, and say what to do about the rest."""
    from caseworker.app.terminal.doctor import examine

    raise typer.Exit(do(examine(settings_now(check_home=False), make_console(), as_json=json)))


def worker() -> None:
    """Run a worker in the foreground, for a Temporal cluster.

    The cluster is that of CASEWORKER_TEMPORAL_ADDRESS. Ctrl-C ends the worker gracefully."""
    from caseworker.app.processes.cluster_worker import run_worker

    raise typer.Exit(do(run_worker(settings_now())))


def add_to(app: typer.Typer) -> None:
    app.add_typer(host_app, name="host", rich_help_panel=OPERATE)
    add(app, START, doctor)
    add(app, OPERATE, logs, purge, worker)
