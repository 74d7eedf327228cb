"""The command line. Commands import what they need when they run, so that `--help` answers at once."""

import errno
import os
import sys
from pathlib import Path
from textwrap import TextWrapper
from typing import Annotated

import typer

from caseworker.app.cli import bug_commands as bug_command_line
from caseworker.app.cli import dashboard_commands as dashboard_command_line
from caseworker.app.cli import github_commands as github_command_line
from caseworker.app.cli import issue_commands as issue_command_line
from caseworker.app.cli import pull_commands as pull_command_line
from caseworker.app.cli import repository_commands as repository_command_line
from caseworker.app.cli.shared_options import CaseName, Json, Repository, do, flag, make_console, settings_now
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.text import printable
from caseworker.core.runs.workflow_names import WorkflowName

app = typer.Typer(
    name="caseworker",
    help="Takes a bug report or an issue to a merge-ready pull request, with proof. It never merges: you do.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
issue_app = typer.Typer(help="Issues of a local repository.", no_args_is_help=True)
host_app = typer.Typer(help="The background process: Temporal's server and a worker.", no_args_is_help=True)
demo_app = typer.Typer(help="See it work: rehearsed models, everything else real. No key, no network.")
app.add_typer(issue_app, name="issue")
app.add_typer(host_app, name="host")
app.add_typer(demo_app, name="demo")


def _version(wanted: bool) -> None:
    if wanted:
        from caseworker import __version__

        typer.echo(f"caseworker {__version__}")
        raise typer.Exit


@app.callback()
def root(
    traceback: Annotated[bool, flag("--traceback", "Show where an unexpected error came from.")] = False,
    version: Annotated[bool, flag("--version", "Print the version and end.", callback=_version, is_eager=True)] = False,
) -> None:
    _SHOW_TRACEBACK.append(traceback)


_SHOW_TRACEBACK: list[bool] = []


app.command()(issue_command_line.run)


@demo_app.callback(invoke_without_command=True)
def demo(context: typer.Context, json: Json = False) -> None:
    """See it work: a sample project with a bug, a rehearsed model, everything else real. No key, no network."""
    if context.invoked_subcommand is None:
        demo_issue(json=json)


@demo_app.command("issue")
def demo_issue(json: Json = False) -> None:
    """An issue becomes a pull request (what `caseworker demo` shows)."""
    from caseworker.app.demos.fix import run_demo

    raise typer.Exit(do(run_demo(settings_now(), make_console(), as_json=json)))


@demo_app.command("bug")
def demo_bug(json: Json = False) -> None:
    """A vague report becomes a conversation, findings, and a pull request."""
    from caseworker.app.demos.bug import run_bug_demo

    raise typer.Exit(do(run_bug_demo(settings_now(), make_console(), as_json=json)))


@demo_app.command("unclear")
def demo_unclear(
    yes: Annotated[bool, flag("--yes", "Don't ask me: give the prepared answer.")] = False,
    json: Json = False,
) -> None:
    """An issue says too little: the case asks you, and goes on to a pull request with your answer."""
    from caseworker.app.demos.issue import INTERRUPTED
    from caseworker.app.demos.unclear import run_unclear_demo

    work = run_unclear_demo(settings_now(), make_console(), yes=yes, as_json=json)
    raise typer.Exit(do(work, interrupted=INTERRUPTED))


@demo_app.command("review")
def demo_review(json: Json = False) -> None:
    """A fix passes every test and is rejected; a senior developer repairs it, and it becomes a pull request."""
    from caseworker.app.demos.issue import INTERRUPTED
    from caseworker.app.demos.review import run_review_demo

    raise typer.Exit(do(run_review_demo(settings_now(), make_console(), as_json=json), interrupted=INTERRUPTED))


@demo_app.command("investigate")
def demo_investigate(json: Json = False) -> None:
    """A bug shows only now and then: a guess fails, an investigation finds the cause, and the fix holds 200 times."""
    from caseworker.app.demos.investigate import run_investigate_demo
    from caseworker.app.demos.issue import INTERRUPTED

    raise typer.Exit(do(run_investigate_demo(settings_now(), make_console(), as_json=json), interrupted=INTERRUPTED))


@demo_app.command("github")
def demo_github(
    port: Annotated[int, typer.Option("--port", help="Where to serve the page; 0 takes any free port.")] = 0,
    walk: Annotated[bool, flag("--walk", "Don't wait for me: click, comment and watch by itself.")] = False,
) -> None:
    """Labels and comments on a GitHub of our own, in your browser; a bot, its pull request and real CI. No account."""
    from caseworker.app.demos.github_demo import run_github_demo

    raise typer.Exit(do(run_github_demo(settings_now(), make_console(), port=port, by_itself=walk)))


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
    from caseworker.app.cli.small_commands import new_issue

    do(new_issue(settings_now(), make_console(), repo=repo, title=title, body=body, file=file, as_json=json))


@app.command()
def cases(json: Json = False) -> None:
    """Every case and how it stands."""
    from caseworker.app.cli.small_commands import list_cases

    do(list_cases(settings_now(), make_console(), as_json=json))


@app.command()
def show(
    case: CaseName,
    everything: Annotated[bool, flag("--all", "With what the agents said and every tool call.")] = False,
    pull_request: Annotated[bool, flag("--pull-request", "Only the pull request's text.")] = False,
    follow: Annotated[bool, flag("--follow", "Stay, and watch it work.")] = False,
    json: Json = False,
) -> None:
    """One case: its story, its messages with receipts, its proof and its cost."""
    from caseworker.app.cli.small_commands import show_one

    do(
        show_one(
            settings_now(),
            make_console(),
            case,
            everything=everything,
            pull_request=pull_request,
            follow=follow,
            as_json=json,
        )
    )


@app.command()
def export(
    case: CaseName,
    to: Annotated[
        Path | None, typer.Option("--to", help="A folder for the case file, the record and the text.")
    ] = None,
    run: Annotated[
        WorkflowName | None, typer.Option("--run", help="Only what the newest run of this workflow wrote: PLAN.md, ...")
    ] = None,
) -> None:
    """The case file `issue-state.json` (version 1.0), or `bug.json`, on standard output; or all files into a folder."""
    from caseworker.app.cli.small_commands import export_one

    do(export_one(settings_now(), make_console(), case, to, run=run))


@app.command()
def doctor(json: Json = False) -> None:
    """Look at everything Caseworker needs, and say what to do about what is missing."""
    from caseworker.app.terminal.doctor import examine

    raise typer.Exit(do(examine(settings_now(), make_console(), as_json=json)))


@app.command()
def worker() -> None:
    """Run a worker in the foreground, for the cluster of CASEWORKER_TEMPORAL_ADDRESS. Ctrl-C ends it gracefully."""
    from caseworker.app.processes.cluster_worker import run_worker

    raise typer.Exit(do(run_worker(settings_now())))


@host_app.command("start")
def host_start(
    fresh_engine: Annotated[
        bool, flag("--fresh-engine", "Set Temporal's data aside; cases start again from their records.")
    ] = False,
    json: Json = False,
) -> None:
    """Start the host in the background (commands do this by themselves)."""
    from caseworker.app.cli.small_commands import start

    start(settings_now(), make_console(), fresh_engine=fresh_engine, as_json=json)


@host_app.command("stop")
def host_stop(json: Json = False) -> None:
    """Stop it. A turn under way is begun again when it next starts."""
    from caseworker.app.cli.small_commands import stop_host

    stop_host(settings_now(), make_console(), as_json=json)


@host_app.command("status")
def host_status(json: Json = False) -> None:
    """Whether it runs, since when, where Temporal is."""
    from caseworker.app.cli.small_commands import host_state

    raise typer.Exit(host_state(settings_now(), make_console(), as_json=json))


bug_command_line.add_to(app)
issue_command_line.add_to(app)
github_command_line.add_to(app)
pull_command_line.add_to(app)
dashboard_command_line.add_to(app)
repository_command_line.add_to(app)


def main() -> None:
    """Exit codes by who can act: 2 for what you can change, 3 for what may pass by itself, 70 for a bug of ours."""
    try:
        app()
    except Refused as refused:
        _tell(str(refused), 2)
    except Transient as error:
        _tell(f"{error} Nothing is lost; try again in a moment.", 3)
    except (Interrupted, KeyboardInterrupt) as interrupted:
        _tell(str(interrupted) or "Interrupted. What was begun goes on; the same command takes it up again.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            _tell(f"The disk is full ({error.filename or 'while writing'}). Free some space, then try again.", 2)
        if _SHOW_TRACEBACK and _SHOW_TRACEBACK[-1]:
            raise
        _tell(f"{error.strerror or error} ({error.filename or 'no file named'}).", 2)
    except Exception as error:  # the only place: a person gets a sentence, and the traceback on request
        if _SHOW_TRACEBACK and _SHOW_TRACEBACK[-1]:
            raise
        _tell(
            f"This is a bug in Caseworker: {type(error).__name__}: {error}. `caseworker --traceback ...` shows more.",
            70,
        )


def wrapped(text: str, width: int) -> str:
    """Wrap between words. An indented line is a command and stays whole."""
    between = TextWrapper(width=width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line if line.startswith(" ") else between.fill(line) for line in text.splitlines())


def _tell(sentence: str, code: int) -> None:
    text = f"caseworker: {printable(sentence)}"
    if sys.stderr.isatty():  # a log gets unwrapped text
        text = wrapped(text, max(40, (os.get_terminal_size(sys.stderr.fileno()).columns or 80) - 1))
    sys.stderr.write(f"{text}\n")
    sys.exit(code)
