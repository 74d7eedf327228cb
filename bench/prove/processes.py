"""The separate processes of a proof: Temporal's server, the serving process, the worker. Each can be killed and is
restarted at once."""

import asyncio
import ctypes
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

import aiohttp

from bench.projects import make_shop
from bench.prove.people import Conversation
from bench.prove.slack import REPORTS, SUMMARIES, CountingSlack
from caseworker.chats.slack_app import PATH
from caseworker.core.base.errors import Transient
from caseworker.engine.payload_keys import keys_of
from caseworker.engine.server import TemporalServer
from caseworker.engine.temporal_address import Address

Target = Literal["worker", "temporal", "serving"]
_PR_SET_PDEATHSIG: Final = 1
_RESTART_SECONDS: Final = 0.2
"""Seconds before a process that ended by itself is started again."""
_SLOTS: Final = 8


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a stage is made of: the flow, and whether a reconciler rings."""

    seed: int
    flow: str = "real"
    reconciler: bool = True
    asks_only: bool = False
    """Whether the stand-in asks the reporter at once: for benchmarks."""
    serving: str = "bench.prove.serving"


class RestartedProcess:
    """A process that is started again whenever it ends."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._argv = argv
        self._environment = environment
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._killed = False

    def start(self) -> None:
        self._keeping = asyncio.create_task(self._keep())

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self._process.returncode is None else None

    def kill(self) -> bool:
        """False: it was not running at this moment."""
        if self.pid is None:
            return False
        self._killed = True
        os.kill(self.pid, signal.SIGKILL)
        return True

    async def stop(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeping
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def _keep(self) -> None:
        while True:
            self._killed = False
            with self._log.open("ab") as output:
                self._process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    env=self._environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    preexec_fn=_die_with_parent,
                )
            await self._process.wait()
            if not self._killed:
                await asyncio.sleep(_RESTART_SECONDS)


class RestartedTemporal:
    """Temporal's server, restarted on the same ports and data unless `down` is set."""

    def __init__(self, folder: Path) -> None:
        self.server = TemporalServer(folder)
        self.down = asyncio.Event()
        self._up = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.server.start()
        self._up.set()
        self._keeping = asyncio.create_task(self._keep())

    def kill(self) -> bool:
        if not self._up.is_set() or self.server.pid is None:
            return False
        os.kill(self.server.pid, signal.SIGKILL)
        return True

    async def away(self, seconds: float) -> None:
        self.down.set()
        self.kill()
        await asyncio.sleep(seconds)
        self.down.clear()

    async def stop(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
        await self.server.stop()

    async def _keep(self) -> None:
        while True:
            await self.server.wait()
            self._up.clear()
            while self.down.is_set():  # noqa: ASYNC110  # until somebody clears it: there is no event for that
                await asyncio.sleep(0.1)
            with suppress(Transient):
                await self.server.restart()
                self._up.set()


@dataclass(kw_only=True)
class Stage:
    """All running processes, and their addresses and files."""

    home: Path
    slack: CountingSlack
    temporal: RestartedTemporal
    worker: RestartedProcess
    serving: RestartedProcess
    url: str
    log: Path
    conversations: list[Conversation] = field(default_factory=list)
    """All that were begun here."""
    kills: dict[Target, int] = field(default_factory=lambda: {"worker": 0, "temporal": 0, "serving": 0})

    @property
    def address(self) -> Address:
        """Of Temporal, with the keys of this home: what comes without them is refused."""
        return replace(self.temporal.server.address, keys=keys_of(self.home))

    @property
    def database(self) -> Path:
        return self.home / "caseworker.db"

    def kill(self, target: Target) -> bool:
        named: dict[Target, RestartedProcess | RestartedTemporal] = {
            "worker": self.worker,
            "temporal": self.temporal,
            "serving": self.serving,
        }
        done = named[target].kill()
        self.kills[target] += done
        return done


def environment(home: Path, slack: CountingSlack, temporal: str, port: int) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
    return {
        **kept,
        "CASEWORKER_HOME": str(home),
        "CASEWORKER_TEMPORAL_ADDRESS": temporal,
        "CASEWORKER_REPORTS_REPOSITORY": str(home / "shop"),
        "CASEWORKER_SLACK_BOT_TOKEN": slack.bot_token,
        "CASEWORKER_SLACK_SIGNING_SECRET": slack.signing_secret,
        "CASEWORKER_SLACK_REPORTS_CHANNEL": REPORTS,
        "CASEWORKER_SLACK_SUMMARIES_CHANNEL": SUMMARIES,
        "CASEWORKER_SLACK_API_URL": slack.base_url,
        "CASEWORKER_ANTHROPIC_API_KEY": "none: the model has a stand-in",
        "CASEWORKER_SERVE_PORT": str(port),
        "CASEWORKER_SLOTS": str(_SLOTS),
        "CASEWORKER_DEVELOPERS": str(_SLOTS),
    }


@asynccontextmanager
async def open_stage(home: Path, setup: Setup) -> AsyncIterator[Stage]:
    await asyncio.to_thread(_make_home, home)
    slack, temporal, log = CountingSlack(), RestartedTemporal(home / "temporal"), home / "given.log"
    await slack.start()
    await temporal.start()
    port = free_port()
    env = environment(home, slack, temporal.server.address.target, port)
    options = ["no-reconciler"] * (not setup.reconciler) + ["asks-only"] * setup.asks_only
    worker = RestartedProcess(
        _python("bench.prove.worker", str(log), str(setup.seed), setup.flow, *options), env, home / "worker.log"
    )
    serving = RestartedProcess(_python(setup.serving), env, home / "serving.log")
    url = f"http://127.0.0.1:{port}{PATH}"
    stage = Stage(home=home, slack=slack, temporal=temporal, worker=worker, serving=serving, url=url, log=log)
    try:
        serving.start()
        await wait_for_answer(url, patience=30)  # this process makes the database's tables
        worker.start()
        slack.sends_events_to(url)
        yield stage
    finally:
        for part in (serving, worker, temporal, slack):
            await part.stop()


def _make_home(home: Path) -> None:
    home.mkdir()
    make_shop(home / "shop")


async def wait_for_answer(url: str, *, patience: float) -> None:
    async with asyncio.timeout(patience), aiohttp.ClientSession() as session:
        while True:
            with suppress(aiohttp.ClientError):
                async with session.post(url, data=b"{}"):
                    return
            await asyncio.sleep(0.05)


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
