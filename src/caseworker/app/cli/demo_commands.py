"""The demos: rehearsed models, everything else real."""

from typing import Annotated

import typer

from caseworker.app.cli.shared_options import START, Json, do, flag, make_console, settings_now

demo_app = typer.Typer(help="See it work on a sample project: no key, no network.")


@demo_app.callback(invoke_without_command=True)
def demo(context: typer.Context, json: Json = False) -> None:
    """See it work on a sample project: no key, no network.

    Only the model is rehearsed: its answers come from a script. Agent, sandbox, git and tests are real."""
    if context.invoked_subcommand is None:
        demo_issue(json=json)


@demo_app.command("issue")
def demo_issue(json: Json = False) -> None:
    """An issue becomes a branch that is ready to merge (what `caseworker demo` shows)."""
    from caseworker.app.demos.fix import run_demo
    from caseworker.app.demos.issue import INTERRUPTED

    raise typer.Exit(do(run_demo(settings_now(), make_console(), as_json=json), interrupted=INTERRUPTED))


@demo_app.command("bug")
def demo_bug(json: Json = False) -> None:
    """A vague report becomes a conversation, findings, and a branch that is ready to merge."""
    from caseworker.app.demos.bug import run_bug_demo
    from caseworker.app.demos.issue import INTERRUPTED

    raise typer.Exit(do(run_bug_demo(settings_now(), make_console(), as_json=json), interrupted=INTERRUPTED))


@demo_app.command("unclear")
def demo_unclear(
    yes: Annotated[bool, flag("--yes", "Don't ask me: give the prepared answer.")] = False,
    json: Json = False,
) -> None:
    """An issue says too little: the case asks you, and goes on with your answer to a branch that is ready to merge."""
    from caseworker.app.demos.issue import INTERRUPTED
    from caseworker.app.demos.unclear import run_unclear_demo

    work = run_unclear_demo(settings_now(), make_console(), yes=yes, as_json=json)
    raise typer.Exit(do(work, interrupted=INTERRUPTED))


@demo_app.command("review")
def demo_review(json: Json = False) -> None:
    """A fix passes every test and is rejected; a senior developer repairs it, and its branch is ready to merge."""
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
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="Where to serve the page; 0 takes any free port.")
    ] = 0,
    walk: Annotated[bool, flag("--walk", "Don't wait for me: click, comment and watch by itself.")] = False,
) -> None:
    """Labels and comments on a GitHub of our own, in your browser; a bot, its pull request and real CI. No account."""
    from caseworker.app.demos.github_demo import run_github_demo

    raise typer.Exit(do(run_github_demo(settings_now(), make_console(), port=port, by_itself=walk)))


def add_to(app: typer.Typer) -> None:
    app.add_typer(demo_app, name="demo", rich_help_panel=START)
