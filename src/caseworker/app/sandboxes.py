"""Which sandbox the settings ask for: the one decision that the host and the commands share."""

from caseworker.app.settings import Settings
from caseworker.ports import Sandbox


def make_sandbox(settings: Settings) -> Sandbox:
    from caseworker.workspaces.sandbox import Bubblewrap, Unconfined

    folder = settings.home / "sandbox"
    if settings.sandbox == "off":
        return Unconfined(folder)
    return Bubblewrap(folder, expose=tuple(settings.expose))
