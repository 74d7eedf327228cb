"""Runs one trial: sends messages, kills processes or stops Temporal meanwhile, and waits until everything rests."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

from rich.console import Console
from temporalio.client import Client

from bench.prove.checking import Check, handled_once, read_in_order, said_once
from bench.prove.facts import Pulse, gather, pulse
from bench.prove.people import Conversation, Mail, Sender
from bench.prove.processes import Stage, Target
from bench.prove.standin import mark, read_log
from caseworker.contract.names import BUG_WORKFLOW
from caseworker.core.base.errors import Transient
from caseworker.engine.client import connect

_TARGETS: Final[tuple[Target, ...]] = ("worker", "temporal", "serving")
_SHARE: Final = 0.95
"""Share of the sends that must succeed: an idle run must not pass."""
_MOST_LAST_MESSAGES: Final = 4
_STILL: Final = 3.0
"""Seconds without a new entry until quiet counts as rest."""


@dataclass(kw_only=True)
class Trial:
    """One run on a stage, from the first send to rest."""

    stage: Stage
    conversations: Sequence[Conversation]
    lot: Random
    aside: Console
    stuck: float = 100.0
    """Seconds without any change after which nothing more is expected. Longer than a dead worker's heartbeat."""
    sender: Sender = field(init=False)
    begun: float = field(default_factory=time.monotonic)
    sending: float = 0.0
    resting: float = 0.0
    rested: bool = False

    def __post_init__(self) -> None:
        self.sender = Sender(self.stage.slack, self.stage.url)
        self.stage.conversations += self.conversations

    @property
    def mails(self) -> list[Mail]:
        return self.sender.sent

    async def run(self, *, seconds: float, kills: int = 0, away: float = 0.0) -> None:
        watching = asyncio.create_task(self._tell())
        # The outage comes after the kills: whatever runs then must cope with it alone.
        killing = asyncio.create_task(self._kill(seconds * (0.48 if away else 0.96), kills))
        absence = asyncio.create_task(self._absence(seconds / 2, away))
        try:
            await self.sender.play(self.conversations)
            self.sending = time.monotonic() - self.begun
            killing.cancel()
            await absence
            await self.rest()
        finally:
            for task in (watching, killing, absence):
                task.cancel()
            await self.sender.close()
        self.resting = time.monotonic() - self.begun - self.sending

    async def rest(self) -> None:
        """Wait until nothing is left to do. Cases that wait for the reporter get a last message from them."""
        for _ in range(_MOST_LAST_MESSAGES):
            found = await self.quiet()
            if found is None:
                return
            if not found.unsettled:
                self.rested = True
                return
            await self._send_last_messages(found)

    async def quiet(self) -> Pulse | None:
        """None: something is left to do, and nothing has changed for long."""
        last, since = pulse(self.stage.database), time.monotonic()
        while True:
            await asyncio.sleep(0.5)
            now = pulse(self.stage.database)
            if now != last:
                last, since = now, time.monotonic()
            still = time.monotonic() - since
            if now.is_quiet and still > _STILL:
                return now
            if still > self.stuck:
                return None

    async def _send_last_messages(self, found: Pulse) -> None:
        cases = {case: anchor for anchor, case in self.stage.slack.indexed.case_of.items()}
        anchors = {cases[case] for case in found.waiting if case in cases}
        number = max(mail.number for mail in self.mails)
        for conversation in self.stage.conversations:
            if conversation.anchor in anchors:
                number += 1
                text = f"is there anything new? {mark(number)}"
                mail = Mail(number=number, case=conversation.number, author="reporter", text=text, at=0)
                await self.sender.say(conversation, mail)

    async def _kill(self, seconds: float, kills: int) -> None:
        """Kill each target once in each of its time slices, at a random moment."""
        moments: list[tuple[float, Target]] = []
        for place, target in enumerate(_TARGETS):
            count = (kills + len(_TARGETS) - 1 - place) // len(_TARGETS)
            slices = [seconds * (number + self.lot.random()) / count for number in range(count)]
            moments += [(at, target) for at in slices]
        for at, target in sorted(moments):
            await asyncio.sleep(at - (time.monotonic() - self.begun))
            while not self.stage.kill(target):  # noqa: ASYNC110  # it is being started: as soon as it lives
                await asyncio.sleep(0.02)

    async def _absence(self, at: float, seconds: float) -> None:
        if seconds:
            await asyncio.sleep(at)
            await self.stage.temporal.away(seconds)

    async def _tell(self) -> None:
        total = sum(len(conversation.mails) for conversation in self.conversations)
        while True:
            await asyncio.sleep(10)
            now = pulse(self.stage.database)
            acknowledged = sum(mail.acknowledged for mail in self.mails)
            self.aside.print(
                f"{time.monotonic() - self.begun:5.0f} s: {len(self.mails):,} of {total:,} sent, {acknowledged:,} "
                f"acknowledged, {now.unsettled:,} open ({now.unclaimed:,} unclaimed), {now.working} cases at work, "
                f"{sum(self.stage.kills.values())} kills",
                style="dim",
                highlight=False,
                soft_wrap=True,
            )

    # --- results

    def checks(self) -> list[Check]:
        facts, log = gather(self.stage.database), read_log(self.stage.log)
        sent, acknowledged = len(self.mails), sum(mail.acknowledged for mail in self.mails)
        return [
            Check(what="messages sent", found=sent),
            Check(what="sends acknowledged", found=100 * acknowledged / sent, at_least=100 * _SHARE, unit=" %"),
            Check(what="cases", found=facts.cases),
            Check(what="turns", found=facts.turns),
            *handled_once(self.mails, facts),
            *read_in_order(self.mails, facts, log),
            *said_once(facts, self.stage.slack.indexed.keys),
        ]

    def reopenings(self) -> int:
        return gather(self.stage.database).reopenings

    async def continued(self) -> int:
        """How many runs of bug cases ended by a continue-as-new, by Temporal's own count."""
        client = await _connect(self.stage)
        query = f"WorkflowType = '{BUG_WORKFLOW}' AND ExecutionStatus = 'ContinuedAsNew'"
        return (await client.count_workflows(query)).count


async def _connect(stage: Stage) -> Client:
    for _ in range(50):
        with suppress(Transient):
            return await connect(stage.address)
        await asyncio.sleep(0.2)
    raise Transient("Temporal did not come back.")
