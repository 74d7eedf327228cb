"""A temporary home of Caseworker for a measurement: the real command, its host, and the record on disk."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_COMMAND_SECONDS: Final = 180.0
_GONE_SECONDS: Final = 20.0
_MEMORY: Final = Path("/dev/shm")
_ROOM: Final = 1 << 30


class NotMeasured(Exception):
    """A measurement could not be made; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of a case's record."""

    kind: str
    at: float
    body: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One command that ran to its end. Times are of the wall clock, as in the record."""

    spawned: float
    ended: float
    out: str

    @property
    def seconds(self) -> float:
        return self.ended - self.spawned


class Home:
    def __init__(self, folder: Path, *, pace: float = 0) -> None:
        self.folder = folder
        # PYTHONPATH is passed on, so that another copy of the code can be measured.
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
        self.environment = {**kept, "CASEWORKER_HOME": str(folder), "CASEWORKER_REHEARSAL_PACE": str(pace)}

    def types(self, *arguments: str | Path) -> Ran:
        return timed([str(Path(sys.executable).parent / "caseworker"), *map(str, arguments)], self.environment)

    def runs_case(self, repository: Path, issue: Path, script: Path) -> Ran:
        """`caseworker run`, until the case needs a person or is over. A closed case ends with exit code 1."""
        return self.types("run", "--repo", repository, "--issue", issue, "--rehearse", script, "--json")

    def stops_host(self) -> None:
        """Stop the host and wait until its processes are gone, so that they don't disturb the next measurement."""
        host = self.host_processes()
        with suppress(NotMeasured):
            self.types("host", "stop")
        deadline = time.monotonic() + _GONE_SECONDS
        while any(Path(f"/proc/{pid}").exists() for pid in host) and time.monotonic() < deadline:
            time.sleep(0.02)

    def record(self, repository: str) -> list[Entry]:
        """The record of the repository's only case."""
        rows = self._rows("select kind, at, body from record where case_id like ? order by sequence", repository)
        return [Entry(kind=kind, at=_seconds(at), body=json.loads(body)) for kind, at, body in rows]

    def attempts(self, repository: str) -> list[float]:
        rows = self._rows("select started_at from attempts where case_id like ? order by turn, number", repository)
        return [_seconds(at) for (at,) in rows]

    def model_calls(self, repository: str) -> list[float]:
        rows = self._rows("select reserved_at from ledger where case_id like ? order by id", repository)
        return [_seconds(at) for (at,) in rows]

    def spent_micros(self, repository: str) -> int:
        ((micros,),) = self._rows("select sum(micros) from ledger where case_id like ?", repository)
        return int(micros)

    def host_log(self) -> dict[str, float]:
        """When the host last logged each event."""
        lines = [json.loads(line) for line in (self.folder / "host.log").read_text().splitlines() if line[:1] == "{"]
        return {line["event"]: datetime.fromisoformat(line["timestamp"]).timestamp() for line in lines}

    def _rows(self, query: str, repository: str) -> Sequence[tuple[str, ...]]:
        with sqlite3.connect(f"file:{self.folder / 'caseworker.db'}?mode=ro", uri=True) as connection:
            return connection.execute(query, (f"local/{repository}#%",)).fetchall()

    def host_processes(self) -> list[int]:
        try:
            said = json.loads((self.folder / "host.json").read_text())
        except (OSError, ValueError):
            return []
        return [said[key] for key in ("pid", "temporal_pid") if said.get(key)]


def timed(argv: Sequence[str], environment: Mapping[str, str], *, codes: Sequence[int] = (0, 1)) -> Ran:
    spawned = time.time()
    done = subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_COMMAND_SECONDS
    )
    ended = time.time()
    if done.returncode not in codes:
        raise NotMeasured(
            f"`{' '.join(argv)[:200]}` ended with {done.returncode}: {(done.stderr or done.stdout)[-800:]}"
        )
    return Ran(spawned=spawned, ended=ended, out=done.stdout)


def first_of(entries: Sequence[Entry], kind: str) -> Entry:
    """The first entry of its kind."""
    for entry in entries:
        if entry.kind == kind:
            return entry
    raise NotMeasured(f"the record has no {kind}; it has {', '.join(entry.kind for entry in entries) or 'nothing'}")


def _seconds(at: str) -> float:
    moment = datetime.fromisoformat(at)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


@contextmanager
def private_folder(*, in_memory: bool = False) -> Iterator[Path]:
    """A folder that is removed at the end. Its path is short, because socket paths must be."""
    base = _MEMORY if in_memory and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM else None
    with tempfile.TemporaryDirectory(prefix="cwb-", dir=base, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def open_home(folder: Path, *, pace: float = 0) -> Iterator[Home]:
    home = Home(folder, pace=pace)
    try:
        yield home
    finally:
        home.stops_host()
