"""The parts that commands share with the host, each imported only when it is asked for: commands start fast."""

from caseworker.app.settings import Settings
from caseworker.ports import Chat, Forge, Sandbox, Store, Thread


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
    """Where a case's one summary thread is begun."""
    if settings.slack_bot_token is None or not settings.slack_summaries_channel:
        return None
    return Thread(surface="slack", channel=settings.slack_summaries_channel)


def make_forge(store: Store) -> Forge:
    from caseworker.forges.local import LocalForge
    from caseworker.workspaces.git import SafeGit

    return LocalForge(repositories=store.repositories, pulls=store.pulls, git=SafeGit())
