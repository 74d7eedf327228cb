"""Commands for conversations: report a bug, talk with a case, close it, take it over, listen to Slack."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from caseworker.app.cli.shared_options import (
    LOOK,
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


class Voice(StrEnum):
    """The role in which a person at this terminal speaks in a bug case."""

    REPORTER = "reporter"
    DEVELOPER = "developer"


As = Annotated[Voice, typer.Option("--as", help="Your role in a bug case.")]
Name = Annotated[str | None, typer.Option("--name", help="Your name. Default: your login name.")]
_HOW_TO_RETURN = "`caseworker chat CASE` takes it up again"


def report(
    text: Annotated[str, typer.Argument(help="What is wrong, in your words; `-` reads standard input.")],
    repo: Repository = None,
    attach: Annotated[list[Path] | None, typer.Option("--attach", help="A file; may be given several times.")] = None,
    rehearse: Annotated[Path | None, typer.Option("--rehearse", help="A script that stands in for the model.")] = None,
    detach: Annotated[bool, flag("--detach", "Open the case and return at once.")] = False,
    name: Name = None,
    json: Json = False,
) -> None:
    """Report a bug, and see what is asked or found.

    Interrupt it at will: the case goes on."""
    settings = settings_for_work(rehearse)
    start_logs(settings)
    from caseworker.app.parts import read_rehearsal
    from caseworker.app.terminal.report import ReportRequest, read_attachments, read_text
    from caseworker.app.terminal.report import report as report_bug

    request = ReportRequest(
        text=read_text(text),
        repository=repo,
        attachments=read_attachments(attach or []),
        rehearsal=read_rehearsal(rehearse or settings.reports_rehearsal),
        reporter=name,
        detach=detach,
    )
    raise typer.Exit(do(report_bug(request, settings, make_console(), as_json=json), interrupted=_HOW_TO_RETURN))


def chat(
    case: CaseName,
    voice: As = Voice.DEVELOPER,
    name: Name = None,
    wait: Annotated[float, typer.Option("--wait", min=0, help="From a pipe: seconds to wait for receipts.")] = 30,
) -> None:
    """Talk with a case, live.

    What is said appears as it comes, what you type is sent. `/help` says more; `/quit` leaves, and the case goes on."""
    from caseworker.app.terminal.chat import chat as chat_with

    settings, console = settings_now(), make_console()
    raise typer.Exit(do(chat_with(settings, console, case, voice.value, name, wait=wait), interrupted=_HOW_TO_RETURN))


def conversation(case: CaseName, json: Json = False) -> None:
    """List who said what in a case, and what came of it."""
    from caseworker.app.terminal.show_conversation import show_conversation

    do(show_conversation(settings_now(), make_console(), case, as_json=json))


def say(
    case: CaseName,
    text: Annotated[str, typer.Argument(help="Your words; `-` reads standard input.")],
    voice: As = Voice.DEVELOPER,
    name: Name = None,
    json: Json = False,
) -> None:
    """Say something to a case.

    It is recorded before this command answers; `show` tells what came of it."""
    from caseworker.app.terminal.send import say_to

    raise typer.Exit(do(say_to(settings_now(), make_console(), case, text, voice.value, name, as_json=json)))


def answer(
    case: CaseName,
    text: Annotated[str, typer.Argument(help="Your answer, or a part of it; `-` reads standard input.")],
    voice: Annotated[
        Voice | None,
        typer.Option(
            "--as", help="Your role in a bug case. Default: reporter, if you reported it.", show_default=False
        ),
    ] = None,
    name: Name = None,
    json: Json = False,
) -> None:
    """Answer what a case has asked.

    An answer that comes late, in parts, or from somebody else counts as well."""
    from caseworker.app.terminal.send import say_to
    from caseworker.core.people.commands import Answer

    work = say_to(
        *(settings_now(), make_console(), case, text),
        None if voice is None else voice.value,
        name,
        command=Answer(),
        as_json=json,
    )
    raise typer.Exit(do(work))


def close(
    case: CaseName,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the record; `-` reads standard input.")] = "",
    resolution: Annotated[
        str, typer.Option("--resolution", help="Of a bug: code_fix, data_fix, config_fix, not_a_bug, duplicate, ...")
    ] = "",
    name: Name = None,
    json: Json = False,
) -> None:
    """End a case, also in the middle of a turn.

    The agent is stopped and the workspace removed."""
    from caseworker.app.terminal import give_command

    raise typer.Exit(
        do(give_command.close(settings_now(), make_console(), case, reason, resolution, name, as_json=json))
    )


def takeover(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Stop the agents and take the work over yourself.

    What people say is still recorded; `handback` makes the agents go on."""
    from caseworker.app.terminal.give_command import to_any_case
    from caseworker.core.people.commands import Takeover

    given = to_any_case(settings_now(), make_console(), case, Takeover(), "I'll take it.", name, as_json=json)
    raise typer.Exit(do(given))


def handback(case: CaseName, name: Name = None, json: Json = False) -> None:
    """Let the agents go on after a takeover."""
    from caseworker.app.terminal.give_command import to_any_case
    from caseworker.core.people.commands import HandBack

    given = to_any_case(settings_now(), make_console(), case, HandBack(), "Hand back.", name, as_json=json)
    raise typer.Exit(do(given))


def sla(json: Json = False) -> None:
    """List what was promised to reporters, and what is due."""
    from caseworker.app.terminal.list_promises import show_sla

    do(show_sla(settings_now(), make_console(), as_json=json))


def serve() -> None:
    """Listen to Slack and GitHub, in the foreground.

    Settings say to which of them. SIGTERM or Ctrl-C ends it cleanly."""
    from caseworker.app.processes.serve import serve as serve_surfaces

    raise typer.Exit(do(serve_surfaces(settings_now())))


def slack_manifest(
    http: Annotated[str, typer.Option("--http", help="Where Slack reaches you; without it, Socket Mode.")] = "",
) -> None:
    """The description of the Slack app, to paste into "Create an app from a manifest"."""
    from caseworker.app.processes.serve import slack_app_manifest

    typer.echo(slack_app_manifest(http), nl=False)


def add_to(app: typer.Typer) -> None:
    slack_app = typer.Typer(no_args_is_help=True)
    slack_app.command("manifest")(slack_manifest)

    @slack_app.callback()
    def slack() -> None:
        """Print the description of the Slack app."""

    app.add_typer(slack_app, name="slack", rich_help_panel=OPERATE)
    add(app, START, report)
    add(app, SPEAK, chat, say, answer, takeover, handback, close)
    add(app, LOOK, conversation, sla)
    add(app, OPERATE, serve)
