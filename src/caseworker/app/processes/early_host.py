"""Starts the host before a command has loaded what it needs itself, so that both load at the same time."""

import subprocess
from typing import Final

from caseworker.app.settings import Settings
from caseworker.engine.host import HostPlace, call_in, send_away, spawn, spawn_waiting

_HOST_COMMAND: Final = ["-m", "caseworker.app.processes.host_process"]
_WAITING: Final[list["subprocess.Popen[bytes]"]] = []
"""The host that this command has started early and not called in yet: at most one."""


def start_early(settings: Settings) -> None:
    """For a command that is about to open a case. It may yet refuse: the host does nothing until it is called in."""
    if settings.is_embedded and not HostPlace(settings.home).is_locked():
        _WAITING.append(spawn_waiting(_HOST_COMMAND))


def start_now(place: HostPlace, *, fresh_engine: bool = False) -> "subprocess.Popen[bytes]":
    if fresh_engine:
        return spawn(place, [*_HOST_COMMAND, "--fresh-engine"])
    if not _WAITING:
        return spawn(place, _HOST_COMMAND)
    waiting = _WAITING.pop()
    call_in(waiting, place)
    return waiting


def send_early_away() -> None:
    """Another command's host was found, and this command may watch its case for hours."""
    while _WAITING:
        send_away(_WAITING.pop())
