"""Checks of `caseworker doctor` on reports and Slack, with what to do about what is missing. It really calls Slack."""

from dataclasses import dataclass
from typing import Literal

from caseworker.app.parts import find_repository
from caseworker.app.settings import Settings
from caseworker.app.surfaces.slack import Slack
from caseworker.core.base.errors import Refused, Transient

Mark = Literal["ok", "note", "missing"]


@dataclass(frozen=True)
class Check:
    what: str
    mark: Mark
    says: str


async def examine_reports(settings: Settings) -> list[Check]:
    return [await _repository(settings), *await _slack(settings)]


async def _repository(settings: Settings) -> Check:
    from caseworker.app.parts import read_rehearsal

    if settings.reports_repository is None:
        return Check(
            "reports",
            "note",
            "no reports_repository: `caseworker report` is about the repository you stand in; `serve` needs it",
        )
    try:
        found = await find_repository(settings.reports_repository, settings)
        read_rehearsal(settings.reports_rehearsal)
    except (Refused, Transient) as error:
        return Check("reports", "missing", str(error))
    rehearsed = ", with a rehearsed model" if settings.reports_rehearsal is not None else ""
    return Check("reports", "ok", f"about {found}{rehearsed}")


async def _slack(settings: Settings) -> list[Check]:
    if settings.slack_bot_token is None:
        started = settings.slack_app_token or settings.slack_signing_secret or settings.slack_reports_channel
        if started:
            missing = "; ".join(Slack(settings).missing())
            return [Check("slack", "missing", f"missing: {missing} (`caseworker docs slack`)")]
        return [Check("slack", "ok", "not set up: reports come from the terminal (`caseworker docs slack`)")]
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


async def _bot(settings: Settings) -> Check:
    chat = Slack(settings).slack_chat()
    assert chat is not None
    try:
        who = await chat.whoami()
    except (Refused, Transient) as error:
        return Check("slack", "missing", str(error))
    if missing := Slack(settings).missing():
        return Check("slack", "note", f"the bot is {who}; `serve` needs {'; '.join(missing)} (`caseworker docs slack`)")
    way = "Socket Mode" if settings.slack_app_token is not None else "HTTP"
    return Check("slack", "ok", f"the bot is {who}; `caseworker serve` listens by {way}")


async def _channel(settings: Settings, name: str, channel: str) -> Check:
    chat = Slack(settings).slack_chat()
    assert chat is not None
    if not channel:
        return Check(name, "note", "not set")
    try:
        await chat.check(channel)
    except (Refused, Transient) as error:
        return Check(name, "missing", str(error))
    return Check(name, "ok", f"the bot is in {channel}")
