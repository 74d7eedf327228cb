"""Commands by which people decide in an issue case, or ask about its state, diff and hypotheses."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.bug_commands import Name
from caseworker.app.cli.shared_options import CaseName, Json, do, flag, make_console, settings_now


class Until(StrEnum):
    """How far a case may go by itself. A copy of `Milestone`, which is too slow to import for `--help`."""

    TRIAGE = "triage"
    PLAN = "plan"
    PR = "pr"


def approve(
    case: CaseName,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the record; `-` reads standard input.")] = "",
    until: Annotated[
        Until | None, typer.Option("--until", help="Stop again after this step. Default: go on to the pull request.")
    ] = None,
    name: Name = None,
    json: Json = False,
) -> None:
    """Agree to what a case waits for: work on what only a person may decide, a plan, a waiver, the next milestone."""
    from caseworker.app.terminal import give_command
    from caseworker.core.base.policy import Milestone

    milestone = Milestone(until.value) if until is not None else None
    raise typer.Exit(
        do(give_command.approve(settings_now(), make_console(), case, reason, milestone, name, as_json=json))
    )


def reject(
    case: CaseName,
    why: Annotated[str, typer.Argument(help="What should be different; `-` reads standard input.")],
    name: Name = None,
    json: Json = False,
) -> None:
    """Do not agree, and say what should be different; of a pull request, what should be changed in it."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.reject(settings_now(), make_console(), case, why, name, as_json=json)))


def retry(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Try again where a case got stuck, failed or was closed: attempts are counted anew, money is not."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.retry(settings_now(), make_console(), case, name, as_json=json)))


def budget(
    case: CaseName,
    amount: Annotated[str, typer.Argument(metavar="+USD", help="How many dollars more it may spend: +5, +2.50.")],
    name: Name = None,
    json: Json = False,
) -> None:
    """Let a case spend more. One that has used up its budget goes on at once."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.raise_budget(settings_now(), make_console(), case, amount, name, as_json=json)))


def why(case: CaseName, json: Json = False) -> None:
    """Why a case is where it is: its state, the evidence, what it waits for, and what would move it."""
    from caseworker.app.terminal.explain import explain

    do(explain(settings_now(), make_console(), case, as_json=json))


def diff(
    case: CaseName,
    stat: Annotated[bool, typer.Option("--stat", help="Only the files, with the number of changed lines.")] = False,
    json: Json = False,
) -> None:
    """What a case has changed so far, as git shows it: also before there is a pull request, and after a close."""
    from caseworker.app.terminal.diff import show_diff

    do(show_diff(settings_now(), make_console(), case, stat=stat, as_json=json))


def matrix(
    case: CaseName,
    json: Json = False,
    markdown: Annotated[bool, flag("--markdown", "The page that agents get: INVESTIGATION.md.")] = False,
) -> None:
    """The hypotheses of a case over time: what speaks for and against each, what was measured, and the root cause."""
    from caseworker.app.terminal.show_matrix import show_matrix

    do(show_matrix(settings_now(), make_console(), case, as_json=json, as_markdown=markdown))


def learnings(
    repo: Annotated[Path | None, typer.Option("--repo", help="Only of this git repository.")] = None,
    forget: Annotated[int | None, typer.Option("--forget", metavar="ID", help="Remove this one.")] = None,
    json: Json = False,
) -> None:
    """What cases have found out about their repositories; later cases are offered it."""
    from caseworker.app.terminal.list_learnings import list_learnings

    raise typer.Exit(do(list_learnings(settings_now(), make_console(), repo=repo, forget=forget, as_json=json)))


def add_to(app: typer.Typer) -> None:
    for command in (why, diff, matrix, approve, reject, retry, budget, learnings):
        app.command()(command)
