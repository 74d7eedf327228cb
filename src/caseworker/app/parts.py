"""Parts that commands share with the host. Each is imported only when it is asked for, so that commands start fast."""

from pathlib import Path
from typing import TYPE_CHECKING

from caseworker.app.settings import Settings
from caseworker.ports import Chat, Forge, Sandbox, Source, Store, Thread

if TYPE_CHECKING:
    from caseworker.forges.local_folders import Folder


def make_sandbox(settings: Settings) -> Sandbox:
    from caseworker.workspaces.sandbox import Bubblewrap, Unconfined

    folder = settings.home / "sandbox"
    if settings.sandbox == "off":
        return Unconfined(folder)
    return Bubblewrap(folder, expose=tuple(settings.expose))


def make_chats(settings: Settings) -> dict[str, Chat]:
    if settings.slack_bot_token is None:
        return {}
    from caseworker.chats.slack import SlackChat

    return {"slack": SlackChat(token=settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)}


def developers_channel(settings: Settings) -> Thread | None:
    """The channel where a bug case begins its one summary thread."""
    if settings.slack_bot_token is None or not settings.slack_summaries_channel:
        return None
    return Thread(surface="slack", channel=settings.slack_summaries_channel)


def make_source() -> Source:
    from caseworker.forges.local_source import LocalSource
    from caseworker.workspaces.git import SafeGit

    return LocalSource(SafeGit())


def make_forge(store: Store) -> Forge:
    from caseworker.forges.local import LocalForge
    from caseworker.forges.local_pulls import LocalPulls
    from caseworker.workspaces.git import SafeGit

    pulls = LocalPulls(repositories=store.repositories, records=store.pulls, git=SafeGit())
    return LocalForge(source=make_source(), pulls=pulls)


async def look_at(folder: Path) -> "Folder":
    """Find the repository in a folder that a person named. `Refused`, with what to do, where there is none."""
    from caseworker.forges.local_folders import look
    from caseworker.workspaces.git import SafeGit

    return await look(folder, SafeGit())
