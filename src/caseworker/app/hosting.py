"""How a command gets a host: finds the one that runs, starts one if there is none, replaces one of another version."""

import hashlib

from caseworker.app.settings import Settings, make_home
from caseworker.core.errors import Refused
from caseworker.core.states import WORKING
from caseworker.engine.host import HostFile, HostPlace, await_start, code_fingerprint, spawn, stop
from caseworker.ports import Store

HOST_COMMAND = ["-m", "caseworker.app.host_process"]


def settings_fingerprint(settings: Settings) -> str:
    """Two hosts with the same fingerprint do the same. The secrets are in it, and can't be read out of it."""
    shown = settings.model_dump(mode="json", exclude={"log", "home"})
    return hashlib.sha256(f"{sorted(shown.items())} {settings.secrets()}".encode()).hexdigest()[:16]


def start_host(settings: Settings, *, fresh_engine: bool = False) -> HostFile:
    place = HostPlace(settings.home)
    running = place.running()
    if running is not None:
        return running
    child = None if place.is_locked() else spawn(place, [*HOST_COMMAND, *(["--fresh-engine"] if fresh_engine else [])])
    return await_start(place, child)


async def ensure_host(settings: Settings, store: Store) -> HostFile:
    """A host of this code and these settings."""
    place = HostPlace(settings.home)
    make_home(settings)
    place.touch()
    running = place.running()
    if running is not None and not _fits(running, settings):
        if await is_busy(store):
            what = (
                "has other settings"
                if running.code == code_fingerprint()
                else f"is of another version ({running.version})"
            )
            raise Refused(
                f"The host that runs {what} and is at work.",
                todo="Wait until it is done, or `caseworker host stop`: a turn under way is then begun again.",
            )
        stop(place)
    return start_host(settings)


async def is_busy(store: Store) -> bool:
    """Somebody works, or should: a turn runs, a message waits, or a case is in a working state."""
    if await store.turns.running() or await store.inbox.unclaimed():
        return True
    return any(stored.case.state in WORKING for stored in await store.cases.list())


def _fits(host: HostFile, settings: Settings) -> bool:
    return host.code == code_fingerprint() and host.settings == settings_fingerprint(settings)
