"""The command line. Commands import what they need when they run, so that `--help` answers at once."""

import asyncio
import errno
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from caseworker.core.errors import Refused, Transient

if TYPE_CHECKING:
    from rich.console import Console

    from caseworker.app.settings import Settings

T = TypeVar("T")

app = typer.Typer(
    name="caseworker",
    help="Takes an issue to a merge-ready pull request, with proof. It never merges: you do.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
issue_app = typer.Typer(help="Issues of a local repository.", no_args_is_help=True)
host_app = typer.Typer(help="The background process: Temporal's server and a worker.", no_args_is_help=True)
app.add_typer(issue_app, name="issue")
app.add_typer(host_app, name="host")

Json = Annotated[bool, typer.Option("--json", help="For programs: JSON on standard output.")]
CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help="The case's id, or the end of it: local/shop#3, shop#3, #3.")
]
Repository = Annotated[Path, typer.Option("--repo", help="A git repository on this disk.")]


def _settings() -> "Settings":
    from caseworker.app.logs import set_up_logs
    from caseworker.app.settings import load_settings

    settings = load_settings()
    set_up_logs(settings)
    return settings


def _console() -> "Console":
    from rich.console import Console

    return Console(highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty())


class _Interrupted(Exception):
    """Ctrl-C, as an exception that Typer does not answer by itself."""


def _do(work: Coroutine[Any, Any, T]) -> T:
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        raise _Interrupted from None


def _version(wanted: bool) -> None:
    if wanted:
        from caseworker import __version__

        typer.echo(f"caseworker {__version__}")
        raise typer.Exit


@app.callback()
def root(
    traceback: Annotated[bool, typer.Option("--traceback", help="Show where an unexpected error came from.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    _SHOW_TRACEBACK.append(traceback)


_SHOW_TRACEBACK: list[bool] = []


@app.command()
def run(
    repo: Repository,
    issue: Annotated[str, typer.Option("--issue", help="A Markdown file, the JSON of `gh issue view`, or a number.")],
    rehearse: Annotated[Path | None, typer.Option("--rehearse", help="A script that stands in for the model.")] = None,
    budget: Annotated[float | None, typer.Option("--budget", min=0, help="USD this case may spend.")] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Open the case and return at once.")] = False,
    json: Json = False,
) -> None:
    """Take an issue to a pull request. Interrupt it at will: the case goes on, and the same command takes it up."""
    from caseworker.app.running import RunRequest, issue_argument, read_rehearsal
    from caseworker.app.running import run as run_case

    settings = _settings()
    request = RunRequest(
        repository=repo,
        issue=issue_argument(issue),
        rehearsal=read_rehearsal(rehearse),
        budget_usd=budget,
        detach=detach,
    )
    raise typer.Exit(_do(run_case(request, settings, _console(), as_json=json)))


@app.command()
def demo(json: Json = False) -> None:
    """See it work: a sample project with a bug, a rehearsed model, everything else real. No key, no network."""
    from caseworker.app.demo import run_demo

    raise typer.Exit(_do(run_demo(_settings(), _console(), as_json=json)))


@issue_app.command("new")
def issue_new(
    repo: Repository,
    title: Annotated[str | None, typer.Option("--title", help="In one line.")] = None,
    body: Annotated[str, typer.Option("--body", help="What is wrong, and how to see it.")] = "",
    file: Annotated[
        Path | None, typer.Option("--file", help="A Markdown file, or the JSON of `gh issue view`.")
    ] = None,
    json: Json = False,
) -> None:
    """Write an issue down in a local repository's records."""
    from caseworker.app.commands import new_issue

    _do(new_issue(_settings(), _console(), repo=repo, title=title, body=body, file=file, as_json=json))


@app.command()
def cases(json: Json = False) -> None:
    """Every case and how it stands."""
    from caseworker.app.commands import list_cases

    _do(list_cases(_settings(), _console(), as_json=json))


@app.command()
def show(
    case: CaseName,
    everything: Annotated[bool, typer.Option("--all", help="With what the agents said and every tool call.")] = False,
    pull_request: Annotated[bool, typer.Option("--pull-request", help="Only the pull request's text.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Stay, and watch it work.")] = False,
    json: Json = False,
) -> None:
    """One case: its story, its messages with receipts, its proof and its cost."""
    from caseworker.app.commands import show_one

    _do(
        show_one(
            _settings(), _console(), case, everything=everything, pull_request=pull_request, follow=follow, as_json=json
        )
    )


@app.command()
def say(case: CaseName, text: Annotated[str, typer.Argument(help="Your words.")], json: Json = False) -> None:
    """Say something to a case. It is recorded before this command answers; `show` tells what came of it."""
    from caseworker.app.commands import say_to

    raise typer.Exit(_do(say_to(_settings(), _console(), case, text, as_json=json)))


@app.command()
def close(
    case: CaseName,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the record.")] = "",
    json: Json = False,
) -> None:
    """Close a case, also in the middle of a turn: the agent is stopped and the workspace removed."""
    from caseworker.app.commands import close_case

    raise typer.Exit(_do(close_case(_settings(), _console(), case, reason, as_json=json)))


@app.command()
def export(
    case: CaseName,
    to: Annotated[
        Path | None, typer.Option("--to", help="A folder for the case file, the record and the text.")
    ] = None,
) -> None:
    """The case file `issue-state.json` (version 1.0) on standard output, or all files into a folder."""
    from caseworker.app.commands import export_one

    _do(export_one(_settings(), _console(), case, to))


@app.command()
def doctor(json: Json = False) -> None:
    """Look at everything Caseworker needs, and say what to do about what is missing."""
    from caseworker.app.doctor import examine

    raise typer.Exit(_do(examine(_settings(), _console(), as_json=json)))


@app.command()
def worker() -> None:
    """Run a worker in the foreground, for the cluster of CASEWORKER_TEMPORAL_ADDRESS. Ctrl-C ends it gracefully."""
    from caseworker.app.worker_process import run_worker

    raise typer.Exit(_do(run_worker(_settings())))


@host_app.command("start")
def host_start(
    fresh_engine: Annotated[
        bool, typer.Option("--fresh-engine", help="Set Temporal's data aside; cases start again from their records.")
    ] = False,
    json: Json = False,
) -> None:
    """Start the host in the background (commands do this by themselves)."""
    from caseworker.app.commands import start

    start(_settings(), _console(), fresh_engine=fresh_engine, as_json=json)


@host_app.command("stop")
def host_stop(json: Json = False) -> None:
    """Stop it. A turn under way is begun again when it next starts."""
    from caseworker.app.commands import stop_host

    stop_host(_settings(), _console(), as_json=json)


@host_app.command("status")
def host_status(json: Json = False) -> None:
    """Whether it runs, since when, where Temporal's web UI is."""
    from caseworker.app.commands import host_state

    raise typer.Exit(host_state(_settings(), _console(), as_json=json))


def main() -> None:
    """Errors by who can act: 2 for what you can change, 3 for what may pass by itself, 70 for a bug of ours."""
    try:
        app()
    except Refused as refused:
        _tell(str(refused), 2)
    except Transient as error:
        _tell(f"{error} Nothing is lost; try again in a moment.", 3)
    except (_Interrupted, KeyboardInterrupt):
        _tell("Interrupted. What was begun goes on; the same command takes it up again.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            _tell(f"The disk is full ({error.filename or 'while writing'}). Free some space, then try again.", 2)
        if _SHOW_TRACEBACK and _SHOW_TRACEBACK[-1]:
            raise
        _tell(f"{error.strerror or error} ({error.filename or 'no file named'}).", 2)
    except Exception as error:  # the one place: a person gets a sentence, the trace on request
        if _SHOW_TRACEBACK and _SHOW_TRACEBACK[-1]:
            raise
        _tell(
            f"This is a bug in Caseworker: {type(error).__name__}: {error}. `caseworker --traceback ...` shows more.",
            70,
        )


def _tell(sentence: str, code: int) -> None:
    sys.stderr.write(f"caseworker: {sentence}\n")
    sys.exit(code)
