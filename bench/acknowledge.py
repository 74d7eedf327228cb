"""`acknowledge`: measures how long a surface waits for a commit, at 100 messages a second, while others work."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import aiohttp

from bench.home import NotMeasured, private_folder
from bench.prove.people import Sender, storm
from bench.prove.processes import Setup, Stage, open_stage
from bench.prove.slack import REPORTS
from bench.report import Report, percentiles
from bench.side_by_side import BARE
from caseworker.app.bell import make_doorbell
from caseworker.chats.slack_app import PATH
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Standing
from caseworker.engine.client import connect
from caseworker.intake.background_bell import BackgroundBell
from caseworker.intake.conversation import Conversation, Words
from caseworker.store.store import open_store

_CASES: Final = 100
_SECONDS: Final = 20.0
_RATE: Final = 100.0
_BARE_RATE: Final = 50.0
_TARGET: Final = 150.0
_SHARE: Final = 0.99
"""Share of the sends that must succeed for the times to be meaningful."""

Send = Callable[[], Awaitable[bool]]


def measure() -> Report:
    with private_folder() as folder:
        slack, bare, manual = asyncio.run(_measure(folder / "h"))
    shown: dict[float, float | None] = {50: None, 99: _TARGET, 100: None}
    return Report(
        name="acknowledge",
        title=f"from a message to its acknowledgement, at {_RATE:.0f} messages a second for {_SECONDS:.0f} s",
        rows=[
            *percentiles("a bare handler that checks the signature", bare, dict.fromkeys(shown)),
            *percentiles("Slack by HTTP: signature, case found, committed", slack, shown),
            *percentiles("manual, in one's own process: committed", manual, shown),
        ],
        notes=(
            f"{_CASES} cases on SQLite; Temporal, the worker and posts to the Slack double run meanwhile on the same "
            "machine.",
            f"Slack and bare share one serving process and the same {_SECONDS:.0f} s (bare: {_BARE_RATE:.0f} a second "
            "more); manual follows.",
        ),
    )


async def _measure(home: Path) -> tuple[list[float], list[float], list[float]]:
    async with open_stage(home, Setup(seed=1, serving="bench.side_by_side")) as stage:
        anchors = await _open_cases(stage)
        session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        async with session:
            slack, bare = await asyncio.gather(
                _paced(_by_slack(stage, session, anchors, stage.url), _RATE),
                _paced(_by_slack(stage, session, anchors, stage.url.replace(PATH, BARE)), _BARE_RATE),
            )
        manual = await _manual(stage)
    return slack, bare, manual


async def _open_cases(stage: Stage) -> list[str]:
    """Open every case, and wait until its developers have its summary."""
    sender = Sender(stage.slack, stage.url)
    conversations = storm(_CASES, _CASES, 10.0, Random(1))
    await sender.play(conversations)
    for conversation in conversations:
        await asyncio.wait_for(sender.summary(conversation), timeout=60)
    await sender.close()
    return [conversation.anchor for conversation in conversations]


async def _paced(send: Send, rate: float) -> list[float]:
    """Milliseconds of each send; the next one begins on time, however long the last one takes."""
    taken: list[float] = []
    good = 0

    async def timed() -> None:
        nonlocal good
        begun = time.perf_counter()
        done = await send()
        taken.append((time.perf_counter() - begun) * 1000)
        good += done

    begun = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(round(_SECONDS * rate)):
            await asyncio.sleep(begun + number / rate - time.perf_counter())
            group.create_task(timed())
    if good < _SHARE * len(taken):
        raise NotMeasured(f"only {good} of {len(taken)} were acknowledged")
    return taken


def _by_slack(stage: Stage, session: aiohttp.ClientSession, anchors: Sequence[str], url: str) -> Send:
    lot, workspace = Random(2), stage.slack.indexed

    async def send() -> bool:
        anchor = lot.choice(anchors)
        user = str((workspace.find(REPORTS, anchor) or {})["user"])
        said = workspace.say(REPORTS, user, "it happens again", thread=anchor)
        body = json.dumps(workspace.callback(workspace.event_of(said, REPORTS)))
        async with session.post(url, data=body, headers=stage.slack.delivery.signed(body)) as answer:
            return answer.status == 200

    return send


async def _manual(stage: Stage) -> list[float]:
    store = await open_store(f"sqlite:///{stage.database}")
    bell = BackgroundBell(make_doorbell(await connect(stage.address), store))
    conversation = Conversation(store=store, doorbell=bell)
    cases = [CaseId(case) for case in stage.slack.indexed.summary_of]
    lot, numbers = Random(3), count()

    async def send() -> bool:
        words = Words(surface="terminal", external_id=f"bench {next(numbers)}", author="ada", text="it happens again")
        return await conversation.say(lot.choice(cases), words, Standing.DEVELOPER) is not None

    try:
        return await _paced(send, _RATE)
    finally:
        await bell.drain()
        await store.close()
