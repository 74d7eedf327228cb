"""Follows a bug case until it waits for a person."""

import asyncio
import time
from collections.abc import Callable

from caseworker.app.desk import Desk
from caseworker.app.terminal.live_view import is_rehearsed, live_cost
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.record.entries import Recorded
from caseworker.ports import StoredBug
from caseworker.views.tail import BugTail, Tail

LOOK_SECONDS = 0.1
HOST_SECONDS = 2.0


async def follow_bug(
    desk: Desk,
    case: CaseId,
    show: Callable[[Recorded], None],
    spent: Callable[[str], None] = lambda words: None,
) -> StoredBug:
    """Runs until the case waits for a person. A host that dies meanwhile is started again."""
    tail, last_look = BugTail(desk.store, case), time.monotonic()
    rehearsed = await is_rehearsed(desk.store, case)
    while True:
        news = await tail.news()
        for recorded in news:
            show(recorded)
        spent(await live_cost(desk.store, case, rehearsed=rehearsed))
        if not news:
            if (bug := await tail.waiting()) is not None and not await _show_rest(tail, show):
                return bug
            await asyncio.sleep(LOOK_SECONDS)
        if time.monotonic() - last_look > HOST_SECONDS:
            await desk.keep_host(again=f"`caseworker chat {typed(case)}` takes it up again.")
            last_look = time.monotonic()


async def _show_rest(tail: Tail, show: Callable[[Recorded], None]) -> bool:
    """Show entries that came between the last look at the record and the look at the case."""
    news = await tail.news()
    for recorded in news:
        show(recorded)
    return bool(news)
