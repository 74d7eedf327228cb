"""`caseworker logs`: prints the log of the background process."""

import asyncio
from collections import deque

from caseworker.app.settings import Settings
from caseworker.app.terminal.text_console import write_document
from caseworker.core.base.errors import Refused
from caseworker.engine.host import HostPlace

_LOOK_SECONDS = 0.3


async def show_logs(settings: Settings, *, lines: int, follow: bool) -> None:
    log = HostPlace(settings.home).log
    if not log.exists():
        raise Refused(f"There is no log at {log}: no background process ever ran there.")
    with log.open(encoding="utf-8", errors="replace") as handle:
        write_document("".join(deque(handle, maxlen=lines)))
        while follow:
            if news := handle.read():
                write_document(news, flush=True)
            else:
                await asyncio.sleep(_LOOK_SECONDS)
