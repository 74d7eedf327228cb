"""The command line. Commands import what they need when they run, so that `--help` answers at once."""

import errno
import os
import sys
from textwrap import TextWrapper
from typing import Annotated, Final

import typer

from caseworker.app.cli import (
    bug_commands,
    dashboard_commands,
    demo_commands,
    github_commands,
    host_commands,
    issue_commands,
    look_commands,
    pull_commands,
    repository_commands,
)
from caseworker.app.cli.command_group import CommandGroup
from caseworker.app.cli.shared_options import flag
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.text import printable

app = typer.Typer(
    name="caseworker",
    cls=CommandGroup,
    help="Takes a bug report or an issue to a change that is ready to merge, with proof. It never merges: you do.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
_COMPLETES: Final = "_CASEWORKER_COMPLETE"
"""Set by the shell, for a TAB."""

# In the order in which `--help` lists them.
for commands in (
    demo_commands,
    issue_commands,
    bug_commands,
    look_commands,
    github_commands,
    pull_commands,
    repository_commands,
    dashboard_commands,
    host_commands,
):
    commands.add_to(app)


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
    if _COMPLETES in os.environ:  # words would land in the line that is being typed
        sys.exit(code)
    text = f"caseworker: {printable(sentence)}"
    if sys.stderr.isatty():  # a log gets unwrapped text
        text = wrapped(text, max(40, (os.get_terminal_size(sys.stderr.fileno()).columns or 80) - 1))
    sys.stderr.write(f"{text}\n")
    sys.exit(code)
