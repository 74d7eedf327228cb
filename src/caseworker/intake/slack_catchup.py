"""Reads from Slack's history what was written while nobody listened, and takes it as if its event had come.

Runs beside the receiving of events and never delays it; a message that comes both ways counts once.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

import structlog

from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.people.messages import Audience
from caseworker.intake.slack import SURFACE, SlackIntake
from caseworker.ports import Store, Thread

log = structlog.get_logger()

_WINDOW: Final = 7 * 24 * 3_600.0
"""How many seconds back it looks. A case that is over may still be written to for so long."""
_MOST: Final = 1_000
"""Most messages of one channel or thread at one look."""
_MARGIN: Final = 60.0
"""Seconds that are read again: a message gets its time stamp before it can be read."""


class History(Protocol):
    async def said_in(self, thread: Thread, *, since: float, most: int) -> Sequence[Mapping[str, object]]:
        """Raw messages with their channel, newest last."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Pauses in seconds. Slack allows fifty reads a minute, and the look before a repeated post needs some of them."""

    looks: float = 300.0
    reads: float = 1.5


class CatchUp:
    def __init__(
        self, *, store: Store, slack: History, intake: SlackIntake, channel: str, pace: Pace | None = None
    ) -> None:
        self._store = store
        self._slack = slack
        self._intake = intake
        self._reports = Thread(surface=SURFACE, channel=channel)
        self._pace = pace or Pace()
        self._begun = time.time()
        self._read: dict[Thread, float] = {}
        """How far each channel or thread was read, by Slack's time stamps."""
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Look soon: a new connection was made, and events may have been missed before it."""
        self._woken.set()

    async def run(self) -> None:
        """Runs until cancelled: looks at once, whenever woken, and every few minutes."""
        while True:
            if self._woken.is_set():
                self._read.clear()  # an edit missed meanwhile may be of a message read long ago
            self._woken.clear()
            try:
                await self.look()
            except (Transient, Refused) as error:
                log.warning("slack not caught up with: tried again later", error=str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pace.looks):  # wait_for of Python 3.11 may swallow a cancellation
                    await self._woken.wait()

    async def look(self) -> int:
        """Returns how many messages no event had brought. Reports are read first, then the messages about them."""
        found = await self._take_all(await self._said_in([self._reports], since=await self._first_report()))
        for threads in await self._conversations():
            found += await self._take_all(await self._said_in(threads, since=0.0))
        if found:
            log.info("slack caught up with", found=found)
        return found

    async def _first_report(self) -> float:
        """Older messages are ignored: the channel may have been in use before we joined."""
        in_slack = [bug for bug in await self._store.bugs.list() if bug.surface == SURFACE]
        for bug in sorted(in_slack, key=lambda bug: bug.opened_at):
            thread = dict(await self._store.threads.bound(bug.case.id)).get(Audience.REPORTER)
            if thread is not None and thread.channel == self._reports.channel:
                return _moment({"ts": thread.anchor})
        return self._begun

    async def _conversations(self) -> list[list[Thread]]:
        """The threads of each case that may still be written to, the newest change first."""
        recent = datetime.fromtimestamp(time.time() - _WINDOW, UTC)
        alive = [bug for bug in await self._store.bugs.list() if bug.changed_at >= recent or not bug.case.is_over]
        threads = [[thread for _, thread in await self._store.threads.bound(bug.case.id)] for bug in alive]
        return [[thread for thread in of_case if thread.surface == SURFACE] for of_case in threads]

    async def _said_in(self, places: Sequence[Thread], *, since: float) -> dict[Thread, list[Mapping[str, object]]]:
        found = {}
        for place in places:
            await asyncio.sleep(self._pace.reads)
            after = max(since, time.time() - _WINDOW, self._read.get(place, 0.0) - _MARGIN)
            try:
                said = await self._read_when_allowed(place, after)
            except Refused as refused:  # one thread that is gone must not hide the others
                log.warning("slack not read", channel=place.channel, thread=place.anchor, error=str(refused))
                continue
            if len(said) >= _MOST:
                log.warning("slack not read to the end", channel=place.channel, thread=place.anchor, read=len(said))
            found[place] = [message for message in said if _moment(message) > after]
        return found

    async def _read_when_allowed(self, place: Thread, after: float) -> Sequence[Mapping[str, object]]:
        while True:
            try:
                return await self._slack.said_in(place, since=after, most=_MOST)
            except RateLimited as limited:
                log.info("slack asks to wait before reading", channel=place.channel, seconds=limited.seconds)
                await asyncio.sleep(limited.seconds)

    async def _take_all(self, said: Mapping[Thread, list[Mapping[str, object]]]) -> int:
        """Take messages in the order of their time stamps, also across the two threads of a case: whether a close came
        before or after a complaint matters. Only messages taken here are not read again."""
        messages = sorted((message for messages in said.values() for message in messages), key=_moment)
        taken = [await self._take(message, str(message.get("channel"))) for message in messages]
        self._read |= {place: _moment(messages[-1]) for place, messages in said.items() if messages}
        return sum(taken)

    async def _take(self, message: Mapping[str, object], channel: str) -> bool:
        """Returns whether it was new. The event's own id is not known, so we make one; an event that comes later finds
        the message by its channel and time stamp."""
        ts, edited = str(message.get("ts")), message.get("edited")
        name = f"{channel}:{ts}"
        try:
            if await self._store.inbox.find(SURFACE, name) is None:
                received = await self._intake.receive(f"catchup:{name}", message)
            elif isinstance(edited, Mapping):
                change = {"type": "message", "subtype": "message_changed", "channel": channel, "message": message}
                received = await self._intake.receive(f"catchup:{name}:{edited.get('ts')}", change)
            else:
                return False
        except Refused as refused:
            log.warning("slack message not taken", channel=channel, ts=ts, error=str(refused))
            return False
        return received.kind in ("reported", "said")


def _moment(message: Mapping[str, object]) -> float:
    """Slack's time stamps are seconds of its clock."""
    try:
        return float(str(message.get("ts")))
    except ValueError:
        return 0.0
