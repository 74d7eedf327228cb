"""Slack as a surface: its settings, its chat, and how it is listened to.

Each part is imported only when it is asked for, so that commands start fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import structlog

from caseworker.app.parts import find_repository, read_rehearsal
from caseworker.app.settings import Settings
from caseworker.app.surface_port import IntakeDesk, Listening
from caseworker.core.base.repositories import RepositoryRef
from caseworker.ports import Forge, Store, Thread

if TYPE_CHECKING:
    from caseworker.chats.slack import SlackChat
    from caseworker.intake.slack import ReportsChannel

log = structlog.get_logger()


@dataclass(frozen=True)
class Slack:
    settings: Settings
    name: Final = "Slack"

    @property
    def is_wanted(self) -> bool:
        return self.settings.slack_bot_token is not None or bool(self.settings.slack_reports_channel)

    def missing(self) -> list[str]:
        settings, missing = self.settings, []
        if settings.slack_bot_token is None:
            missing.append("slack_bot_token (the bot's own, `xoxb-...`)")
        if settings.slack_app_token is None and settings.slack_signing_secret is None:
            missing.append("slack_app_token (`xapp-...`, for Socket Mode) or slack_signing_secret (for HTTP)")
        if not settings.slack_reports_channel:
            missing.append("slack_reports_channel (the id of the channel where bugs are reported)")
        if settings.reports_repository is None:
            missing.append("reports_repository (where the code is that reports are about)")
        if settings.anthropic_api_key is None and settings.reports_rehearsal is None:
            missing.append("anthropic_api_key, or reports_rehearsal to try it out without a model")
        return missing

    async def check(self) -> None:
        await self._repositories()
        read_rehearsal(self.settings.reports_rehearsal)

    def chat(self, forge: Forge) -> SlackChat | None:
        return self.slack_chat()

    def slack_chat(self) -> SlackChat | None:
        if self.settings.slack_bot_token is None:
            return None
        from caseworker.chats.slack import SlackChat

        token = self.settings.slack_bot_token.get_secret_value()
        return SlackChat(token=token, base_url=self.settings.slack_api_url, link_hosts=self._link_hosts())

    def _link_hosts(self) -> tuple[str, ...]:
        from caseworker.forges.github.address import ApiAddress

        return ("slack.com", urlsplit(ApiAddress(self.settings.github_api_url).web).hostname or "github.com")

    def developers(self) -> Thread | None:
        if self.settings.slack_bot_token is None or not self.settings.slack_summaries_channel:
            return None
        return Thread(surface=self.name.lower(), channel=self.settings.slack_summaries_channel)

    async def listen(self, desk: IntakeDesk) -> Listening:
        from caseworker.chats.slack_app import SlackSocket, http_route
        from caseworker.chats.slack_watch import SlackWatch
        from caseworker.intake.background_answers import BackgroundAnswers
        from caseworker.intake.slack import SlackIntake
        from caseworker.intake.slack_catchup import CatchUp

        settings, chat = self.settings, self.slack_chat()
        assert chat is not None
        intake = SlackIntake(
            store=desk.store,
            conversation=desk.conversation,
            new_cases=desk.new_cases,
            place=replace(await self._reports(desk.store), answer=BackgroundAnswers(chat)),
        )
        catch_up = CatchUp(store=desk.store, slack=chat, intake=intake, channel=settings.slack_reports_channel)
        watch = SlackWatch(chat=chat, channels=self._channels, on_bot=intake.know_bot)
        work = {"Slack's history": catch_up.run, "Slack's channels": watch.run}
        log.info("listening to Slack", by="HTTP" if settings.slack_app_token is None else "Socket Mode", **self._places)

        if settings.slack_app_token is not None:
            socket = SlackSocket(
                intake.receive,
                app_token=settings.slack_app_token.get_secret_value(),
                base_url=settings.slack_api_url,
                on_missed=catch_up.wake,
            )
            return Listening(work={"Slack": socket.run, **work})
        assert settings.slack_signing_secret is not None
        secret = settings.slack_signing_secret.get_secret_value()
        route = http_route(
            intake.receive, signing_secret=secret, base_url=settings.slack_api_url, on_missed=catch_up.wake
        )
        return Listening(routes=[route], work=work)

    async def _repositories(self) -> dict[str, RepositoryRef]:
        """The repositories by service; the empty name stands for all other reports."""
        services = self.settings.services.items()
        named = {name: service.repository for name, service in services if service.repository}
        assert self.settings.reports_repository is not None
        named[""] = self.settings.reports_repository
        return {name: await find_repository(where, self.settings) for name, where in named.items()}

    async def _reports(self, store: Store) -> ReportsChannel:
        from caseworker.intake.slack import ReportsChannel

        found = await self._repositories()
        registered = {name: await store.repositories.register(ref) for name, ref in found.items()}
        return ReportsChannel(
            channel=self.settings.slack_reports_channel,
            repository=registered.pop(""),
            policy=self.settings.policy(),
            rehearsal=read_rehearsal(self.settings.reports_rehearsal),
            elsewhere=registered,
        )

    @property
    def _channels(self) -> dict[str, str]:
        """The channels by their settings."""
        return {
            "slack_reports_channel": self.settings.slack_reports_channel,
            "slack_summaries_channel": self.settings.slack_summaries_channel,
        }

    @property
    def _places(self) -> dict[str, str]:
        summaries = self.settings.slack_summaries_channel
        nowhere = "nowhere in Slack (slack_summaries_channel is not set)"
        return {"reports": self.settings.slack_reports_channel, "developers": summaries or nowhere}
