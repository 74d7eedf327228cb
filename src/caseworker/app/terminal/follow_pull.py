"""Follows a session on a pull request until only people can move it."""

import asyncio
import time

from caseworker.app.desk import Desk
from caseworker.app.terminal.live_view import View, is_rehearsed, live_cost
from caseworker.core.base.ids import CaseId
from caseworker.core.pull.preview import waits_for_people
from caseworker.core.runs.run import RunState
from caseworker.ports import StoredPull
from caseworker.views.tail import Tail

_LOOK_SECONDS = 0.2
_HOST_SECONDS = 2.0


async def follow_pull(desk: Desk, case: CaseId, view: View) -> StoredPull:
    """Shows the record as it grows. A host that dies meanwhile is started again."""
    tail, last_look = Tail(desk.store, case), time.monotonic()
    rehearsed = await is_rehearsed(desk.store, case)
    while True:
        news = await tail.news()
        for recorded in news:
            view.show(recorded)
        view.spent(await live_cost(desk.store, case, rehearsed=rehearsed))
        if not news:
            stored = await _at_rest(desk, case)
            late = await tail.news() if stored is not None else []
            for recorded in late:
                view.show(recorded)
            if stored is not None and not late:
                return stored
            await asyncio.sleep(_LOOK_SECONDS)
        if time.monotonic() - last_look > _HOST_SECONDS:
            await desk.keep_host()
            last_look = time.monotonic()


async def _at_rest(desk: Desk, case: CaseId) -> StoredPull | None:
    """The case, if only people can move it, it has begun every run, read all messages and said everything."""
    # A run begins with the move that reads its message. Before that, the case still shows the end of its last session.
    if any(run.state is RunState.QUEUED for run in await desk.store.runs.of(case)):
        return None
    stored = await desk.store.pull_cases.load(case)
    if stored is None or stored.case.outbox or not waits_for_people(stored.case):
        return None
    waiting = any(message.turn is None for message in await desk.store.inbox.of(case))
    return None if waiting else stored
