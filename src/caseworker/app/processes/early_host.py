"""Starts the host before a command has loaded what it needs itself, so that both load at the same time."""

from typing import Final

from caseworker.app.settings import Settings
from caseworker.engine.host import HostPlace, spawn

HOST_COMMAND: Final = ["-m", "caseworker.app.processes.host_process"]


def start_early(settings: Settings) -> None:
    """For a command that is about to open a case. It asks for the host again when it needs one, and waits for it then.

    Not in a home without records: the command may yet refuse, and would leave a new folder and a process behind."""
    place = HostPlace(settings.home)
    if settings.is_embedded and (settings.home / "caseworker.db").exists() and not place.is_locked():
        place.stopped.unlink(missing_ok=True)
        spawn(place, HOST_COMMAND)
