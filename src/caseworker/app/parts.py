"""The parts that commands share with the host, each imported only when it is asked for: commands start fast."""

from caseworker.app.settings import Settings
from caseworker.ports import Forge, Sandbox, Store


def make_sandbox(settings: Settings) -> Sandbox:
    from caseworker.workspaces.sandbox import Bubblewrap, Unconfined

    folder = settings.home / "sandbox"
    if settings.sandbox == "off":
        return Unconfined(folder)
    return Bubblewrap(folder, expose=tuple(settings.expose))


def make_forge(store: Store) -> Forge:
    from caseworker.forges.local import LocalForge
    from caseworker.workspaces.git import SafeGit

    return LocalForge(repositories=store.repositories, pulls=store.pulls, git=SafeGit())
