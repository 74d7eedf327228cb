"""`caseworker logs`: prints the log of the background process."""

import asyncio
import json
import sys
from collections import deque
from datetime import datetime

from caseworker.app.settings import Settings
from caseworker.app.terminal.local_times import date_and_time
from caseworker.app.terminal.text_console import write_document
from caseworker.core.base.errors import Refused
from caseworker.engine.host import HostPlace

_LOOK_SECONDS = 0.3


async def show_logs(settings: Settings, *, lines: int, follow: bool) -> None:
    log = HostPlace(settings.home).log
    if not log.exists():
        raise Refused(
            f"There is no log at {log}: no background process ever ran there.",
            todo="`caseworker run`, `report` or `host start` starts one.",
        )
    show = readable if sys.stdout.isatty() else str  # programs get the lines as they are
    with log.open(encoding="utf-8", errors="replace") as handle:
        write_document("".join(show(line) for line in deque(handle, maxlen=lines)))
        while follow:
            if news := handle.read():
                write_document("".join(map(show, news.splitlines(keepends=True))), flush=True)
            else:
                await asyncio.sleep(_LOOK_SECONDS)


def readable(line: str) -> str:
    """A line of JSON as a person reads it: local time, what happened, then the rest. Other lines stay as they are."""
    try:
        said = json.loads(line)
        at = date_and_time(datetime.fromisoformat(said.pop("timestamp")))
        happened, level = said.pop("event"), said.pop("level")
    except (ValueError, KeyError, TypeError, AttributeError):
        return line
    mark = "" if level == "info" else f"{level.upper()}: "
    return f"{at}  {mark}{happened}  {'  '.join(f'{key}={value}' for key, value in said.items())}".rstrip() + "\n"
