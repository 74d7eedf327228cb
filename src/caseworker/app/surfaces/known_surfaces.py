"""The registry of surfaces: one row each."""

from caseworker.app.settings import Settings
from caseworker.app.surface_port import Surface
from caseworker.app.surfaces.github import GitHub
from caseworker.app.surfaces.slack import Slack
from caseworker.ports import Chat, Forge, Thread


def surfaces(settings: Settings) -> list[Surface]:
    return [Slack(settings), GitHub(settings)]


def make_chats(settings: Settings, forge: Forge) -> dict[str, Chat]:
    found = {surface.name.lower(): surface.chat(forge) for surface in surfaces(settings)}
    return {name: chat for name, chat in found.items() if chat is not None}


def developers_channel(settings: Settings) -> Thread | None:
    """The channel where a bug case begins its one summary thread."""
    return next((thread for surface in surfaces(settings) if (thread := surface.developers()) is not None), None)
