"""Commands that list cases and issues, and show one."""

from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.shared_options import (
    LOOK,
    START,
    CaseName,
    Json,
    Repository,
    add,
    do,
    flag,
    make_console,
    settings_now,
)
from caseworker.core.base.workflow_names import WorkflowName

issue_app = typer.Typer(no_args_is_help=True)


@issue_app.callback()
def issue() -> None:
    """Write and list issues of a local repository."""


@issue_app.command("new")
def issue_new(
    repo: Repository = None,
    title: Annotated[str | None, typer.Option("--title", help="In one line.")] = None,
    body: Annotated[str, typer.Option("--body", help="What is wrong, and how to see it.")] = "",
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A Markdown file, or the JSON of `gh issue view`; `-` reads standard input."),
    ] = None,
    json: Json = False,
) -> None:
    """Write an issue down in a local repository's records."""
    from caseworker.app.cli.small_commands import new_issue

    do(new_issue(settings_now(), make_console(), repo=repo, title=title, body=body, file=file, as_json=json))


@issue_app.command("list")
def issue_list(repo: Repository = None, json: Json = False) -> None:
    """List the issues that were written down, and how their cases stand."""
    from caseworker.app.terminal.list_issues import list_issues

    do(list_issues(settings_now(), make_console(), repo=repo, as_json=json))


def cases(
    repo: Annotated[
        str | None, typer.Option("--repo", help="Only of this one: a folder (`.` for here), or OWNER/NAME.")
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", help="Only in this state, such as `waiting`, or open, working, over.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only those that changed within this time: 90m, 12h, 7d, 2w.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", help="Only those that did not change within this time: 30d.")
    ] = None,
    demos: Annotated[bool, flag("--all", "Also the cases of demos.")] = False,
    delete: Annotated[
        str | None,
        typer.Option("--delete", metavar="CASE", help="Remove this case, as `caseworker purge` does."),
    ] = None,
    yes: Annotated[bool, flag("--yes", "With --delete: don't ask.")] = False,
    json: Json = False,
) -> None:
    """List cases and how they stand, the newest change first."""
    from caseworker.app.cli.small_commands import list_cases
    from caseworker.app.terminal.case_filter import CaseFilter

    settings, console = settings_now(), make_console()
    if delete is not None:
        from caseworker.app.terminal.purge import purge

        do(purge(settings, console, delete, yes=yes, as_json=json))
        return
    wanted = CaseFilter(repository=repo, state=state, since=since, before=before, demos=demos)
    do(list_cases(settings, console, wanted, as_json=json))


def show(
    case: CaseName,
    everything: Annotated[bool, flag("--all", "With what the agents said and every tool call.")] = False,
    pull_request: Annotated[bool, flag("--pull-request", "Only the pull request's text.")] = False,
    follow: Annotated[bool, flag("--follow", "Watch it until it waits for people or is over.")] = False,
    json: Json = False,
) -> None:
    """Show one case: its story, messages, proof and cost."""
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


def export(
    case: CaseName,
    to: Annotated[
        Path | None, typer.Option("--to", help="A folder for the case file, the record and the text.")
    ] = None,
    run: Annotated[
        WorkflowName | None, typer.Option("--run", help="Only what the newest run of this workflow wrote: PLAN.md, ...")
    ] = None,
) -> None:
    """Print the case file, or write all files of a case.

    The case file is `issue-state.json` (version 1.0), or `bug.json`."""
    from caseworker.app.cli.small_commands import export_one

    do(export_one(settings_now(), make_console(), case, to, run=run))


def docs(
    page: Annotated[
        str | None, typer.Argument(metavar="PAGE", help="Such as settings, or docs/settings.md. Without it: a list.")
    ] = None,
) -> None:
    """Print a page of the documentation, or list all pages."""
    from caseworker.app.terminal.show_docs import show_docs

    show_docs(make_console(), page)


def add_to(app: typer.Typer) -> None:
    app.add_typer(issue_app, name="issue", rich_help_panel=START)
    add(app, LOOK, cases, show, export, docs)
