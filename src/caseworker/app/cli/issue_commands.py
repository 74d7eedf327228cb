"""`run`, and the commands by which people decide in an issue case, or ask about its state, diff and hypotheses."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.bug_commands import Name
from caseworker.app.cli.shared_options import (
    LOOK,
    MOST,
    OPERATE,
    SPEAK,
    START,
    CaseName,
    Json,
    Repository,
    add,
    do,
    flag,
    make_console,
    settings_for_work,
    settings_now,
    start_logs,
)
from caseworker.core.runs.outcome_kinds import OutcomeKind


class Until(StrEnum):
    """How far a case may go by itself. A copy of `Milestone`, which is too slow to import for `--help`."""

    TRIAGE = "triage"
    PLAN = "plan"
    PR = "pr"


def run(
    issue: Annotated[
        str,
        typer.Option(
            "--issue",
            help="A Markdown file, the JSON of `gh issue view`, a number, a link to an issue on GitHub, or `-`.",
        ),
    ],
    repo: Repository = None,
    rehearse: Annotated[Path | None, typer.Option("--rehearse", help="A script that stands in for the model.")] = None,
    budget: Annotated[float | None, typer.Option("--budget", min=0, help="USD this case may spend.")] = None,
    until: Annotated[
        Until | None,
        typer.Option("--until", help="Stop after this step. Run again with a later step to continue."),
    ] = None,
    detach: Annotated[bool, flag("--detach", "Open the case and return at once.")] = False,
    json: Json = False,
) -> None:
    """Take an issue to a branch or pull request that is ready to merge.

    Interrupt it at will: the case goes on, and the same command shows it again."""
    settings = settings_for_work(rehearse)
    from caseworker.app.processes.ask_host import ask_to_open

    limit = until.value if until is not None else None
    asked = ask_to_open(
        settings, issue=issue, repository=repo, rehearsal=rehearse, budget_usd=budget, until=limit
    )  # the case begins while we load our code
    start_logs(settings)
    from caseworker.app.parts import read_rehearsal
    from caseworker.app.processes.open_issue import RunRequest
    from caseworker.app.run_subjects import issue_argument
    from caseworker.app.terminal.run_issue import run as run_case
    from caseworker.core.base.policy import Milestone

    request = RunRequest(
        repository=repo,
        issue=issue_argument(issue),
        rehearsal=read_rehearsal(rehearse),
        budget_usd=budget,
        until=Milestone(limit) if limit is not None else None,
        detach=detach,
    )
    opened = asked.answer() if asked is not None else None
    raise typer.Exit(do(run_case(request, settings, make_console(), as_json=json, opened=opened)))


def approve(
    case: CaseName,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the record; `-` reads standard input.")] = "",
    until: Annotated[
        Until | None, typer.Option("--until", help="Stop again after this step. Default: go on to the end.")
    ] = None,
    name: Name = None,
    json: Json = False,
) -> None:
    """Agree to what a case waits for.

    That is work on what only a person may decide, a plan, a waiver, or the next step."""
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
    """Say what should be different, in a plan or a change."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.reject(settings_now(), make_console(), case, why, name, as_json=json)))


def retry(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Try again where a case got stuck, failed or was closed.

    Attempts are counted anew, money is not."""
    from caseworker.app.terminal.give_command import to_any_case
    from caseworker.core.people.commands import Retry

    given = to_any_case(settings_now(), make_console(), case, Retry(), "Please try again.", name, as_json=json)
    raise typer.Exit(do(given))


def budget(
    case: CaseName,
    amount: Annotated[str, typer.Argument(metavar="+USD", help="How many dollars more it may spend: +5, +2.50.")],
    name: Name = None,
    json: Json = False,
) -> None:
    """Let a case spend more.

    One that has used up its budget goes on at once."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(do(give_command.raise_budget(settings_now(), make_console(), case, amount, name, as_json=json)))


def why(case: CaseName, json: Json = False) -> None:
    """Say why a case is where it is, and what would move it."""
    from caseworker.app.terminal.explain import explain

    do(explain(settings_now(), make_console(), case, as_json=json))


def diff(
    case: CaseName,
    stat: Annotated[bool, typer.Option("--stat", help="Only the files, with the number of changed lines.")] = False,
    json: Json = False,
) -> None:
    """Show what a case has changed so far.

    As git shows it; also before there is a pull request, and after a close."""
    from caseworker.app.terminal.diff import show_diff

    do(show_diff(settings_now(), make_console(), case, stat=stat, as_json=json))


def matrix(
    case: CaseName,
    json: Json = False,
    markdown: Annotated[bool, flag("--markdown", "The page that agents get: INVESTIGATION.md.")] = False,
) -> None:
    """Show the hypotheses of an investigation.

    What speaks for and against each, what was measured, and the root cause."""
    from caseworker.app.terminal.show_matrix import show_matrix

    do(show_matrix(settings_now(), make_console(), case, as_json=json, as_markdown=markdown))


def learnings(
    repo: Annotated[Path | None, typer.Option("--repo", help="Only of this git repository.")] = None,
    forget: Annotated[int | None, typer.Option("--forget", metavar="ID", help="Remove this one.")] = None,
    approve: Annotated[int | None, typer.Option("--approve", metavar="ID", help="Say that this one is true.")] = None,
    edit: Annotated[int | None, typer.Option("--edit", metavar="ID", help="Say it in other words: --text.")] = None,
    text: Annotated[str, typer.Option("--text", help="The other words.")] = "",
    json: Json = False,
) -> None:
    """List what cases found out about their repositories.

    Later cases are offered it."""
    from caseworker.app.terminal.list_learnings import list_learnings
    from caseworker.intake.learnings import LearningAct

    acts = [LearningAct(act="forget_learning", id=forget)] if forget is not None else []
    acts += [LearningAct(act="approve_learning", id=approve)] if approve is not None else []
    acts += [LearningAct(act="edit_learning", id=edit, text=text)] if edit is not None else []
    if len(acts) > 1:
        raise typer.BadParameter("one of --forget, --approve and --edit at a time")
    act = acts[0] if acts else None
    raise typer.Exit(do(list_learnings(settings_now(), make_console(), repo=repo, act=act, as_json=json)))


def caps(
    daily: Annotated[float | None, typer.Option("--daily", help="Dollars for all cases within 24 hours.")] = None,
    cases: Annotated[int | None, typer.Option("--cases", help="Bug cases that one person may open an hour.")] = None,
    reset: Annotated[bool, flag("--reset", "Let the settings count again.")] = False,
    json: Json = False,
) -> None:
    """Show and change the caps of all cases together.

    An owner changes them here while cases run."""
    from caseworker.app.processes.own_name import person
    from caseworker.app.terminal.show_caps import show_caps

    do(show_caps(settings_now(), make_console(), daily=daily, cases=cases, reset=reset, author=person(), as_json=json))


def deliveries(
    outcome: Annotated[OutcomeKind | None, typer.Option("--outcome", help="Only those with this outcome.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MOST, help="How many, newest first.")] = 50,
    json: Json = False,
) -> None:
    """List the events that GitHub sent, and what came of each."""
    from caseworker.app.terminal.list_deliveries import list_deliveries

    do(list_deliveries(settings_now(), make_console(), outcome=outcome, limit=limit, as_json=json))


def add_to(app: typer.Typer) -> None:
    add(app, START, run)
    add(app, SPEAK, approve, reject, retry, budget)
    add(app, LOOK, why, diff, matrix, learnings)
    add(app, OPERATE, caps, deliveries)
