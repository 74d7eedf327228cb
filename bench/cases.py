"""`cases`: measures 20 and then 200 issues at once on one worker, from the first ring to each pull request.

Only the agents are replaced, by a stand-in that answers at once (bench/cases_worker.py). Temporal's server, the
records, worktrees, sandboxed builds, pushes and pull requests are real.
"""

import asyncio
import os
import re
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from tests.world.project import make_project

from bench.home import NotMeasured, private_folder
from bench.prove.processes import RestartedProcess, RestartedTemporal
from bench.report import Report, Row
from caseworker.app.bell import make_doorbell
from caseworker.contract.names import workflow_id
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.issue.states import WORKING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.engine.client import connect
from caseworker.engine.payload_keys import keys_of
from caseworker.intake.new_cases import NewCases, new_trace
from caseworker.ports import NewIssue
from caseworker.store.store import Store, open_store

_SIZES: Final = "20 200"
"""`BENCH_CASES` in the environment overrides it, for work on the measurement itself."""
_SLOTS: Final = 8
_RATE_TARGET: Final = 150.0
_RATIO_TARGET: Final = 1.3
_MEMORY_TARGET: Final = 400.0
_LOOK_SECONDS: Final = 0.1
_GIVE_UP_SECONDS: Final = 60.0
"""With no new record entry for so long, something is wrong."""
_AT_ONCE: Final = 16
"""Histories fetched at the same time."""


@dataclass(frozen=True, kw_only=True)
class _Stage:
    """The server, one worker, and what opens cases."""

    home: Path
    temporal: RestartedTemporal
    worker: RestartedProcess
    client: Client
    store: Store
    new_cases: NewCases
    repository: RepositoryId

    def processor(self) -> "_Processor":
        if self.worker.pid is None or self.temporal.server.pid is None:
            raise NotMeasured("the worker is gone")
        own, children = _used_by(self.worker.pid)
        return _Processor(worker=own, children=children, temporal=_used_by(self.temporal.server.pid)[0])

    def memory(self) -> Mapping[str, float]:
        """Megabytes, by the kernel's names."""
        if self.worker.pid is None:
            raise NotMeasured("the worker is gone")
        status = Path(f"/proc/{self.worker.pid}/status").read_text()
        return {name: int(kilobytes) / 1024 for name, kilobytes in re.findall(r"(?m)^(Vm\w+):\s+(\d+) kB$", status)}


@dataclass(frozen=True, kw_only=True)
class _Processor:
    """Processor seconds used so far, without what the hypervisor or other programs take."""

    worker: float
    children: float
    temporal: float


@dataclass(frozen=True, kw_only=True)
class _Progress:
    waiting: int
    """Cases that wait for people: on the straight path, for the merge of their pull request."""
    written: int
    """Entries in all records. Cases advance side by side, so for a long time none waits."""


@dataclass(frozen=True, kw_only=True)
class _Run:
    size: int
    seconds: float
    used: _Processor
    memory: float
    peak: float
    failed: int
    timed_out: int

    @property
    def each(self) -> float:
        return self.seconds / self.size


def measure() -> Report:
    runs = [_run(int(size)) for size in os.environ.get("BENCH_CASES", _SIZES).split()]
    few, many = runs[0], runs[-1]
    failed, timed_out = sum(run.failed for run in runs), sum(run.timed_out for run in runs)
    rows = [
        *(_rate(run, _RATE_TARGET if run is many else None) for run in runs),
        *(Row(what=f"time for each, {run.size} at once", samples=[run.each], of=run.size) for run in runs),
        Row(what="their ratio", samples=[many.each / few.each], unit="times", target=_RATIO_TARGET),
        *_processor(many),
        *(row for run in runs for row in _memory(run, _MEMORY_TARGET if run is many else None)),
        Row(what="their ratio, most", samples=[many.peak / few.peak], unit="times"),
        Row(what="failed workflow tasks", samples=[failed], unit="", target=0),
        Row(what="workflow tasks that timed out", samples=[timed_out], unit=""),
    ]
    return Report(name="cases", title="many cases at once on one worker", rows=rows, notes=_NOTES)


def _rate(run: _Run, target: float | None) -> Row:
    what = f"cases a minute, {run.size} at once"
    return Row(what=what, samples=[60 / run.each], unit="/min", target=target, at_least=True, of=run.size)


def _processor(run: _Run) -> list[Row]:
    parts = {"its git and builds": run.used.children, "Temporal's server": run.used.temporal}
    return [
        Row(what=f"processor for each, {run.size} at once, worker", samples=[run.used.worker / run.size], of=run.size),
        *(Row(what=what, samples=[used / run.size], of=run.size, part=True) for what, used in parts.items()),
    ]


def _memory(run: _Run, target: float | None) -> list[Row]:
    what = f"memory of the worker, {run.size} at once, most"
    return [
        Row(what=what, samples=[run.peak], unit="MB", target=target),
        Row(what="at the end", samples=[run.memory], unit="MB", part=True),
    ]


_NOTES: Final = (
    "Each case: triage, analysis, a test that is seen to fail, the change, three builds, a review, a pushed branch and "
    "a pull request, in one repository of three files whose builds take milliseconds. The agents answer at once.",
    f"The worker has {_SLOTS} slots for agents and builds. It has taken one case to its pull request before the clock "
    "starts; the clock stops when the last case waits for its merge.",
    "Memory is that of the worker's process, without the git and the builds that it starts.",
)


def _run(size: int) -> _Run:
    with private_folder() as folder:
        return asyncio.run(_measure_run(folder / "h", size))


async def _measure_run(home: Path, size: int) -> _Run:
    async with _open_stage(home) as stage:
        cases = await _open(stage, 1)
        await _until_waiting(stage, 1)
        worker = stage.worker.pid
        before = stage.processor()
        begun = time.monotonic()
        cases += await _open(stage, size)
        await _until_waiting(stage, 1 + size)
        seconds = time.monotonic() - begun
        after, memory = stage.processor(), stage.memory()
        await _check_delivered(stage.store)
        failed, timed_out = await _failed_tasks(stage.client, cases)
        if stage.worker.pid != worker:
            raise NotMeasured(f"the worker died and was started again: {_end_of_log(home)}")
    return _Run(
        size=size,
        seconds=seconds,
        used=_Processor(
            worker=after.worker - before.worker,
            children=after.children - before.children,
            temporal=after.temporal - before.temporal,
        ),
        memory=memory["VmRSS"],
        peak=memory["VmHWM"],
        failed=failed,
        timed_out=timed_out,
    )


def _used_by(pid: int) -> tuple[float, float]:
    """Processor seconds of the process itself, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system, children_user, children_system = (int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in fields[11:15])
    return user + system, children_user + children_system


@asynccontextmanager
async def _open_stage(home: Path) -> AsyncIterator[_Stage]:
    project = await asyncio.to_thread(make_project, home / "greeting")
    temporal = RestartedTemporal(home / "temporal")
    await temporal.start()
    address = temporal.server.address
    store = await open_store(f"sqlite:///{home / 'caseworker.db'}")
    worker = RestartedProcess(
        [sys.executable, "-m", "bench.cases_worker"], _environment(home, address.target), home / "worker.log"
    )
    try:
        client = await connect(replace(address, keys=keys_of(home)))  # what comes without them is refused
        worker.start()
        yield _Stage(
            home=home,
            temporal=temporal,
            worker=worker,
            client=client,
            store=store,
            new_cases=NewCases(store=store, doorbell=make_doorbell(client, store)),
            repository=await store.repositories.register(LocalRepository(path=project)),
        )
    finally:
        await worker.stop()
        await store.close()
        await temporal.stop()


def _environment(home: Path, temporal: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
    return {
        **kept,
        "CASEWORKER_HOME": str(home),
        "CASEWORKER_TEMPORAL_ADDRESS": temporal,
        "CASEWORKER_SLOTS": str(_SLOTS),
        "CASEWORKER_DEVELOPERS": str(_SLOTS),
    }


async def _open(stage: _Stage, size: int) -> list[CaseId]:
    """Open all cases at once; each is committed and then rung, as when a person types it."""

    async def one() -> CaseId:
        text = f"The greeting misspells the world. Seen by {new_trace()}."  # the same text would be the same issue
        issue = await stage.store.repositories.new_issue(stage.repository, NewIssue(title="A greeting", body=text))
        opened = await stage.new_cases.open_case(issue, policy=Policy(), rehearsal=None, author="ada")
        return opened.case

    return list(await asyncio.gather(*(one() for _ in range(size))))


async def _until_waiting(stage: _Stage, size: int) -> None:
    """Wait until so many cases wait for people."""
    written, since = -1, time.monotonic()
    while True:
        now = await asyncio.to_thread(_look, stage.home / "caseworker.db")
        if now.waiting == size:
            return
        if now.written != written:
            written, since = now.written, time.monotonic()
        if time.monotonic() - since > _GIVE_UP_SECONDS:
            raise NotMeasured(
                f"{now.waiting} of {size} cases wait for people, and nothing happens: {_end_of_log(stage.home)}"
            )
        await asyncio.sleep(_LOOK_SECONDS)


def _look(database: Path) -> _Progress:
    """Read SQL directly, and only from indexes: parsing every case ten times a second would add to the load."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        states = dict(connection.execute("select state, count(*) from cases group by state").fetchall())
        ((written,),) = connection.execute("select count(*) from record").fetchall()
    waiting = states.get(IssueState.WAITING_FOR_HUMAN_INPUT, 0)
    if elsewhere := [state for state in states if state not in {*WORKING, IssueState.WAITING_FOR_HUMAN_INPUT}]:
        raise NotMeasured(f"a case left the straight path: it is {elsewhere[0]}")
    return _Progress(waiting=waiting, written=written)


async def _check_delivered(store: Store) -> None:
    for stored in await store.cases.list():
        if stored.case.waiting.wait is None or stored.case.waiting.wait.reason is not WaitingFor.MERGE:
            raise NotMeasured(f"{stored.case.id} left the straight path: {stored.case.reason}")


async def _failed_tasks(client: Client, cases: list[CaseId]) -> tuple[int, int]:
    """How many workflow tasks failed, and how many timed out, in every run of every case."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(case: CaseId) -> list[int]:
        async with turns:
            return await _events(client, workflow_id(case))

    events = [event for found in await asyncio.gather(*(one(case) for case in cases)) for event in found]
    failed = events.count(EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED)
    return failed, events.count(EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT)


async def _events(client: Client, workflow: str) -> list[int]:
    """The events of all its runs, once it rests: a case that waits for people continues as new."""
    while await _is_at_work(client, workflow):  # noqa: ASYNC110  # Temporal has no event for that
        await asyncio.sleep(_LOOK_SECONDS)
    events: list[int] = []
    run: str | None = None
    while run != "":
        history = await client.get_workflow_handle(workflow, run_id=run).fetch_history()
        events += [event.event_type for event in history.events]
        run = history.events[0].workflow_execution_started_event_attributes.continued_execution_run_id
    return events


async def _is_at_work(client: Client, workflow: str) -> bool:
    described = await client.get_workflow_handle(workflow).describe()
    return described.raw_description.HasField("pending_workflow_task")


def _end_of_log(home: Path) -> str:
    return (home / "worker.log").read_text(errors="replace")[-800:]
