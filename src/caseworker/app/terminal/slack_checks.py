"""What `caseworker doctor` finds about reports and Slack: asked for real, with what to do about what is missing."""

from dataclasses import dataclass
from typing import Literal

from caseworker.app.parts import look_at
from caseworker.app.settings import Settings
from caseworker.app.surfaces import Slack
from caseworker.core.base.errors import Refused, Transient

Mark = Literal["ok", "note", "missing"]


@dataclass(frozen=True)
class Finding:
    what: str
    mark: Mark
    says: str


async def examine_reports(settings: Settings) -> list[Finding]:
    return [await _repository(settings), *await _slack(settings)]


async def _repository(settings: Settings) -> Finding:
    from caseworker.app.parts import read_rehearsal

    if settings.reports_repository is None:
        return Finding(
            "reports", "note", "no reports_repository: `caseworker report` needs --repo, `serve` can't start"
        )
    try:
        found = await look_at(settings.reports_repository.expanduser())
        read_rehearsal(settings.reports_rehearsal)
    except (Refused, Transient) as error:
        return Finding("reports", "missing", str(error))
    rehearsed = ", with a rehearsed model" if settings.reports_rehearsal is not None else ""
    return Finding("reports", "ok", f"about {found.path}{rehearsed}")


async def _slack(settings: Settings) -> list[Finding]:
    if settings.slack_bot_token is None:
        started = settings.slack_app_token or settings.slack_signing_secret or settings.slack_reports_channel
        if started:
            return [Finding("slack", "missing", f"missing: {'; '.join(Slack(settings).missing())} (docs/slack.md)")]
        return [Finding("slack", "ok", "not set up: reports come from the terminal (docs/slack.md)")]
    return [
        await _bot(settings),
        *[
            await _channel(settings, name, channel)
            for name, channel in (
                ("slack_reports_channel", settings.slack_reports_channel),
                ("slack_summaries_channel", settings.slack_summaries_channel),
            )
        ],
    ]


async def _bot(settings: Settings) -> Finding:
    from caseworker.chats.slack import SlackChat

    assert settings.slack_bot_token is not None
    try:
        chat = SlackChat(token=settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
        who = await chat.whoami()
    except (Refused, Transient) as error:
        return Finding("slack", "missing", str(error))
    if missing := Slack(settings).missing():
        return Finding("slack", "note", f"the bot is {who}; `serve` needs {'; '.join(missing)} (docs/slack.md)")
    way = "Socket Mode" if settings.slack_app_token is not None else "HTTP"
    return Finding("slack", "ok", f"the bot is {who}; `caseworker serve` listens by {way}")


async def _channel(settings: Settings, name: str, channel: str) -> Finding:
    from caseworker.chats.slack import web_client
    from caseworker.chats.slack_errors import translated_errors

    assert settings.slack_bot_token is not None
    if not channel:
        return Finding(name, "note", "not set")
    client = web_client(settings.slack_bot_token.get_secret_value(), settings.slack_api_url)
    try:
        with translated_errors(f"{channel} could not be read"):
            await client.conversations_history(channel=channel, limit=1)
    except (Refused, Transient) as error:
        return Finding(name, "missing", str(error))
    return Finding(name, "ok", f"{channel} can be read")
