"""Tells people who look at cases in work that nothing works on them: the host has died, or was stopped."""

from collections.abc import Iterable

from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.core.kinds import KINDS
from caseworker.engine.host import HostPlace
from caseworker.ports import StoredAny

_NOTE = "Nothing works on it now: the host is not running. `caseworker host start` lets it go on where it was."


def note_dead_host(settings: Settings, cases: Iterable[StoredAny], console: Console) -> None:
    """Prints a line if one of these cases should be in work. A case that waits for people needs no host."""
    in_work = any(case.case.state in KINDS[case.kind].working for case in cases)
    if in_work and settings.is_embedded and not _host_runs(settings):
        console.print(_NOTE, style="yellow", highlight=False)


def _host_runs(settings: Settings) -> bool:
    try:
        return HostPlace(settings.home).is_locked()
    except OSError:  # a home that this person may only read: nobody knows
        return True
