"""The dashboard in a process of its own, which a test can kill: `python -m tests.dashboard.served_site HOME PORT`."""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import uvicorn

from caseworker.app.processes.dashboard_server import forge_access
from caseworker.app.settings import Settings
from caseworker.dashboard.access_tokens import Rank, Token
from caseworker.dashboard.backend import Backend
from caseworker.dashboard.change_watch import ChangeWatch
from caseworker.dashboard.forge_access import ForgeAccess
from caseworker.dashboard.log_ins import Sessions
from caseworker.dashboard.request_wall import Place
from caseworker.dashboard.site import make_site
from caseworker.dashboard.viewers import Viewer
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.store.store import Store, open_store
from tests.intake.bell import RecordingBell
from tests.patience import PATIENCE


class ServedSite:
    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: asyncio.subprocess.Process | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, rank: Rank = Rank.OWNER) -> str:
        return f"{self.address}/enter/{Sessions(self.home).new_link(Viewer(name='ada', rank=rank))}"

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.dashboard.served_site", str(self.home), str(self.port)
        )
        async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
            while True:
                try:
                    await client.get(f"{self.address}/login")
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
                else:
                    return

    async def kill(self) -> None:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()


@asynccontextmanager
async def served_site(home: Path) -> AsyncIterator[ServedSite]:
    """On the database `caseworker.db` of this home, which is there already."""
    site = ServedSite(home)
    await site.start()
    try:
        yield site
    finally:
        await site.kill()


async def _serve(home: Path, port: int) -> None:
    store = await open_store(f"sqlite:///{home / 'caseworker.db'}")
    backend = Backend(
        store=store,
        conversation=Conversation(store=store, doorbell=RecordingBell()),
        new_cases=NewCases(store=store, doorbell=RecordingBell()),
        home=home,
        place=Place(port=port),
        sessions=Sessions(home, _tokens(home)),
        changes=ChangeWatch(store),
        forge=_forge(home, store),
    )
    looking = asyncio.create_task(backend.changes.run())
    await uvicorn.Server(uvicorn.Config(make_site(backend), port=port, log_level="warning")).serve()
    looking.cancel()


def _forge(home: Path, store: Store) -> ForgeAccess | None:
    file = home / "github.json"
    return forge_access(Settings.model_validate_json(file.read_text()), store) if file.exists() else None


def _tokens(home: Path) -> dict[str, Token]:
    file = home / "tokens.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    return {name: Token.model_validate(token) for name, token in found.items()}


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
