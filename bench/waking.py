"""`waking`: measures from the commit of a message to its claim by a waiting case, with up to 2,000 of them."""

import asyncio
import json
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from bench.home import NotMeasured, private_folder
from bench.prove.processes import Setup, Stage, open_stage
from bench.report import Report, Row, percentiles
from caseworker.app.bell import make_doorbell
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId
from caseworker.core.base.policy import Policy, Severity
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.bug.moves import enter
from caseworker.core.people.commands import MessageKind, Say
from caseworker.core.people.messages import NewMessage, Standing
from caseworker.engine.client import TemporalDoorbell, connect
from caseworker.intake.conversation import Conversation, Words
from caseworker.intake.new_cases import new_trace
from caseworker.ports import NewBug
from caseworker.store.store import Store, open_store

_FEW: Final = 200
_MANY: Final = 2_000
_SAMPLE: Final = {_FEW: 60, _MANY: 240}
_RATE: Final = 3.0
_P95: Final = 500.0
_RATIO: Final = 1.5
_AT_ONCE: Final = 16
_IDLE: Final = 0.05
"""Of one core: less than this counts as idle."""
_MEGA: Final = 1_048_576


@dataclass(frozen=True, kw_only=True)
class _Waiting:
    """The waiting cases, and what is needed to write to them."""

    stage: Stage
    store: Store
    doorbell: TemporalDoorbell
    repository: RepositoryId
    cases: list[CaseId]


def measure() -> Report:
    with private_folder() as folder:
        times, memory = asyncio.run(_measure(folder / "h"))
    rows: list[Row] = []
    for size, (taken, ringing) in times.items():
        targets: dict[float, float | None] = {50: None, 95: _P95 if size == _MANY else None, 99.9: None, 100: None}
        rows += percentiles(f"from commit to claim, {size:,} cases waiting", taken, targets)
        rows += percentiles("of that, until the bell was rung", ringing, {50: None, 100: None})
    rows += [
        Row(what=f"memory of the worker, {size:,} cases waiting", samples=[m], unit="MB") for size, m in memory.items()
    ]
    rows.append(Row(what="their ratio", samples=[memory[_MANY] / memory[_FEW]], unit="times", target=_RATIO))
    return Report(name="waking", title="waking a case that sleeps", rows=rows, notes=_NOTES)


_NOTES: Final = (
    f"Words of the reporter to cases that wait for an answer, {_RATE:.0f} a second, each to another case; after the "
    "claim the case has its turn (a stand-in that asks again) and sleeps.",
    "The worker keeps 200 cases in memory: of 2,000 nine in ten are read again from their history first.",
    "Outliers: every 30 s the worker asks Temporal which of the 2,000 still run, which takes it most of a second; who "
    "speaks in it waits for 200 to 350 ms. The bell's own part is the same for all.",
)


async def _measure(home: Path) -> tuple[dict[int, tuple[list[float], list[float]]], dict[int, float]]:
    times: dict[int, tuple[list[float], list[float]]] = {}
    memory: dict[int, float] = {}
    async with open_stage(home, Setup(seed=1, asks_only=True)) as stage:
        store = await open_store(f"sqlite:///{stage.database}")
        try:
            doorbell = make_doorbell(await connect(stage.address), store)
            repository = await store.repositories.register(LocalRepository(path=home / "shop"))
            waiting = _Waiting(stage=stage, store=store, doorbell=doorbell, repository=repository, cases=[])
            for size, sample in _SAMPLE.items():
                await _make_waiting(waiting, size)
                await _idle(stage)
                times[size] = await _wake(waiting, sample)
                await _idle(stage)
                memory[size] = _memory(stage)
        finally:
            await store.close()
    return times, memory


async def _make_waiting(waiting: _Waiting, size: int) -> None:
    """Store cases as if they had asked their reporter: their flows load that, and wait."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one() -> None:
        async with turns:
            case = await _case_that_asked(waiting.store, waiting.repository, len(waiting.cases))
            waiting.cases.append(case)
            await waiting.doorbell.ring(case, MessageId(0), MessageKind.WORDS)

    await asyncio.gather(*(one() for _ in range(size - len(waiting.cases))))


async def _case_that_asked(store: Store, repository: RepositoryId, number: int) -> CaseId:
    trace = new_trace()
    bug = NewBug(
        title="Error 500", reporter="rita", repository=repository, policy=Policy(), rehearsal=None, trace=trace
    )
    first = NewMessage(
        case=CaseId(""),
        surface="terminal",
        external_id=f"report {number} {trace}",
        author="rita",
        standing=Standing.REPORTER,
        command=Say(),
        text="since 9:40 order 1182 ends in Error 500 when I click pay",
        trace=trace,
    )
    case, _ = await store.bugs.open(bug, first)
    claimed = await store.inbox.claim(case, 1)
    await store.inbox.settle([message.id for message in claimed], "read by the investigator, who asked the reporter")
    snapshot = BugCase(id=case).updated(turns=1, severity=Severity.P2, answered=claimed[0].id)
    until = datetime.now(UTC) + timedelta(hours=2)
    asked = enter(snapshot, BugState.AWAITING_REPORTER, "the reporter was asked", until=until)
    await store.bugs.save(asked, trace=trace)
    return case


async def _wake(waiting: _Waiting, sample: int) -> tuple[list[float], list[float]]:
    """Milliseconds from the commit to the claim, by the record; and of these, until the bell was rung."""
    conversation = Conversation(store=waiting.store, doorbell=waiting.doorbell)
    committed: dict[int, float] = {}
    rung: dict[int, float] = {}

    async def speak(case: CaseId) -> None:
        words = Words(surface="terminal", external_id=f"word {case} {sample}", author="rita", text="on checkout")
        said = await conversation.say(case, words, Standing.REPORTER)
        assert said is not None
        committed[said.id], rung[said.id] = said.received_at.timestamp(), time.time()

    begun = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number, case in enumerate(Random(sample).sample(waiting.cases, sample)):
            await asyncio.sleep(begun + number / _RATE - time.monotonic())
            group.create_task(speak(case))
    await _idle(waiting.stage)
    claims = _claims(waiting.stage.database)
    if lost := [message for message in committed if message not in claims]:
        raise NotMeasured(f"{len(lost)} of {sample} messages were not claimed")
    taken = [(claims[message] - at) * 1000 for message, at in committed.items()]
    return taken, [(rung[message] - at) * 1000 for message, at in committed.items()]


def _claims(database: Path) -> dict[int, float]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute("select at, body from record where kind = 'messages_claimed'").fetchall()
    return {message: _seconds(at) for at, body in rows for message in json.loads(body)["messages"]}


def _seconds(at: str) -> float:
    moment = datetime.fromisoformat(at)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


async def _idle(stage: Stage) -> None:
    """Wait until the worker has had nothing to do for two seconds."""
    for _ in range(300):
        used = await _usage(stage, 1.0)
        if used < _IDLE and await _usage(stage, 1.0) < _IDLE:
            return
    raise NotMeasured("the worker never came to rest")


async def _usage(stage: Stage, seconds: float) -> float:
    before = _cpu(stage)
    await asyncio.sleep(seconds)
    return (_cpu(stage) - before) / seconds


def _cpu(stage: Stage) -> float:
    fields = _proc(stage, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(stage: Stage) -> float:
    return int(_proc(stage, "statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MEGA


def _proc(stage: Stage, name: str) -> str:
    if stage.worker.pid is None:
        raise NotMeasured("the worker is gone")
    return Path(f"/proc/{stage.worker.pid}/{name}").read_text()
