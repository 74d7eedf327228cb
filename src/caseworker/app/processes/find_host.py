"""Finds the running host, starts one if there is none, or replaces one of another version."""

import hashlib
import os
from typing import TYPE_CHECKING

from caseworker.app.processes.early_host import send_early_away, start_now
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.engine.host import HostFile, HostPlace, code_fingerprint, find_or_start, stop
from caseworker.workspaces.own_programs import without_our_own

if TYPE_CHECKING:
    from caseworker.ports import Store  # slow, and asked for before a command loads its code

_NOT_THE_HOSTS = {"log", "home", "serve_host", "serve_port", "dashboard_url", "dashboard_tokens"}


def settings_fingerprint(settings: Settings) -> str:
    """Two hosts with the same fingerprint behave alike. Its second part is PATH, where builds find their toolchains.
    Secrets can't be read from it."""
    shown = settings.model_dump(mode="json", exclude=_NOT_THE_HOSTS)
    tools = without_our_own(os.environ.get("PATH", ""))
    return f"{_digest(f'{sorted(shown.items())} {settings.secrets()}')}.{_digest(tools)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def start_host(settings: Settings, *, fresh_engine: bool = False) -> HostFile:
    """Return the running host, whatever its version and settings, or start one."""
    place = HostPlace(settings.home)
    place.stopped.unlink(missing_ok=True)
    try:
        return find_or_start(place, lambda: start_now(place, fresh_engine=fresh_engine))
    finally:
        send_early_away()


async def ensure_host(settings: Settings, store: "Store") -> HostFile:
    """Return a host of this code and these settings. One that is at work may have another PATH: terminals differ in
    it, and its builds go on with their own."""
    place = HostPlace(settings.home)
    place.touch()
    running = place.running()
    if running is not None and not fits(running, settings):
        if await is_busy(store):
            if fits(running, settings, with_path=False):
                return running
            raise Refused(
                f"The host that runs {_difference(running)} and is at work.",
                todo="Wait until it is done, or `caseworker host stop`: a turn under way is then begun again.",
            )
        stop(place)
    return start_host(settings)


async def renewed_host(settings: Settings, store: "Store") -> HostFile:
    """Return a host of these settings, so that a changed key, PATH or caseworker.toml counts. While a turn is under way
    the running host is kept: to begin the turn again would cost money. A command without a key takes none away."""
    place = HostPlace(settings.home)
    running = place.running()
    differs = running is not None and settings.anthropic_api_key is not None and not fits(running, settings)
    if differs and not await store.turns.running():
        stop(place)
    return start_host(settings)


async def is_busy(store: "Store") -> bool:
    """Whether a message waits, or a case is in a working state."""
    return bool(await store.cases.at_work() or await store.inbox.unclaimed())


def _difference(host: HostFile) -> str:
    return "has other settings" if host.code == code_fingerprint() else f"is of another version ({host.version})"


def fits(host: HostFile, settings: Settings, *, with_path: bool = True) -> bool:
    ours, theirs = settings_fingerprint(settings), host.settings
    if not with_path:
        ours, theirs = ours.partition(".")[0], theirs.partition(".")[0]
    return host.code == code_fingerprint() and theirs == ours
