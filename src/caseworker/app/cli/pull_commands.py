"""Commands for sessions on a pull request: ship, review, resolve, stop, resume, abort, rebase."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from caseworker.app.cli.bug_commands import Name
from caseworker.app.cli.shared_options import (
    SPEAK,
    START,
    CaseName,
    Json,
    Pull,
    add,
    do,
    flag,
    make_console,
    settings_now,
)
from caseworker.core.base.workflow_names import PULL_WORK, PullWork, Told

Deadline = Annotated[
    str | None, typer.Option("--deadline", help="How long it may take: 90m, 2h, 1d. Default: 4 hours, or as set.")
]
DryRun = Annotated[bool, flag("--dry-run", "Say the verdict, the next act and its price; write nothing.")]
Rehearse = Annotated[Path | None, typer.Option("--rehearse", help="A script that stands in for the model.")]
Detach = Annotated[bool, flag("--detach", "Begin the session and return at once.")]

_EXIT_CODES: Final = "Ends with 0 if that is done, 1 if it ended otherwise or waits for people."


def _command(work: PullWork, told: Told) -> Callable[..., None]:
    def begin(
        pull_request: Pull,
        deadline: Deadline = None,
        dry_run: DryRun = False,
        rehearse: Rehearse = None,
        detach: Detach = False,
        json: Json = False,
    ) -> None:
        _session(work, pull_request, deadline, rehearse, dry_run=dry_run, detach=detach, as_json=json)

    begin.__name__, begin.__doc__ = work, f"{told.short}\n\n{told.how} {_EXIT_CODES}"
    return begin


def _session(
    work: PullWork,
    pull_request: str,
    deadline: str | None,
    rehearse: Path | None,
    *,
    dry_run: bool,
    detach: bool,
    as_json: bool,
) -> None:
    from caseworker.app.parts import read_rehearsal
    from caseworker.app.terminal.run_pull import SessionRequest, preview_session, run_session

    request = SessionRequest(
        pull_request=pull_request, work=work, deadline=deadline, rehearsal=read_rehearsal(rehearse), detach=detach
    )
    act = preview_session if dry_run else run_session
    raise typer.Exit(do(act(request, settings_now(), make_console(), as_json=as_json)))


def stop(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Pause the session on a pull request.

    Also in the middle of a turn. `resume` lets it go on."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.stop(settings_now(), make_console(), case, name, as_json=json)))


def resume(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Let a paused session go on.

    It goes on from the pull request as it is now: what people have pushed is adopted."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.resume(settings_now(), make_console(), case, name, as_json=json)))


def rebase(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Bring a pull request's branch up to date with its base.

    People's commits keep author, message and change."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.rebase(settings_now(), make_console(), case, name, as_json=json)))


def abort(case: CaseName, name: Name = None, json: Json = False) -> None:
    """End the session on a pull request.

    What was pushed stays; what was not is kept on a branch beside it."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.abort(settings_now(), make_console(), case, name, as_json=json)))


def add_to(app: typer.Typer) -> None:
    add(app, START, *(_command(work, told) for work, told in PULL_WORK.items()))
    add(app, SPEAK, stop, resume, rebase, abort)
