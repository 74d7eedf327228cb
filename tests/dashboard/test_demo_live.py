"""A demo with everything real (host, Temporal, store, sandbox, agent program), watched in the browser."""

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from scripts.pictures.browser import Browser, chromium

from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="`make prove` installs Chromium"),
]
COMMAND = str(Path(sys.executable).with_name("caseworker"))
ENTRIES = "JSON.stringify([...document.querySelectorAll('#story > li[id]')].map(one => one.id))"


class Deployment:
    """`caseworker serve` in a home of its own, at an address that stays when it is started again."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        named = {"CASEWORKER_HOME": str(home), "CASEWORKER_SERVE_PORT": str(self.port)}
        self.environment = {**os.environ, **named, "CASEWORKER_REHEARSAL_PACE": "0.5"}
        self.address = f"http://127.0.0.1:{self.port}"
        self._log = home.parent / "log"
        self._server: asyncio.subprocess.Process | None = None

    async def begins(self, *command: str) -> asyncio.subprocess.Process:
        with self._log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                COMMAND, *command, env=self.environment, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log
            )

    async def asked(self, *command: str) -> str:
        process = await asyncio.create_subprocess_exec(
            COMMAND, *command, env=self.environment, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return out.decode()

    async def serves(self) -> None:
        self._server = await self.begins("serve")
        async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
            while True:
                try:
                    await client.get(f"{self.address}/health")
                except httpx.TransportError:
                    assert self._server.returncode is None, self._log.read_text()
                    await asyncio.sleep(0.1)
                else:
                    return

    async def serving_dies(self) -> None:
        assert self._server is not None
        if self._server.returncode is None:
            self._server.send_signal(signal.SIGKILL)
        await self._server.wait()


@asynccontextmanager
async def deployment(home: Path) -> AsyncIterator[Deployment]:
    made = Deployment(home)
    await made.serves()
    try:
        yield made
    finally:
        await made.serving_dies()
        await made.asked("host", "stop")


async def entries(browser: Browser) -> list[str]:
    listed: list[str] = json.loads(str(await browser.run(ENTRIES)))
    return listed


async def test_a_demo_is_watched_spoken_to_and_survives_the_death_of_the_server(tmp_path: Path) -> None:
    async with deployment(tmp_path / "home") as here, chromium() as browser:
        link = json.loads(await here.asked("open", "--no-browser", "--json"))["link"]
        await browser.looks_like(width=1280, height=900)
        await browser.open(link)
        demo = await here.begins("demo")
        await browser.until("!!document.querySelector('.board .title')")  # the board moves by itself
        page = await browser.run("document.querySelector('.board .title').href")
        await browser.open(str(page))
        await browser.until("!!document.querySelector('.steps .tool')")
        await browser.run("document.querySelector('#say').focus()")
        await browser.types("Please keep the na")
        await here.serving_dies()
        await browser.until("document.querySelector('#link-state').innerText.includes('not connected')")
        before = len(await entries(browser))
        await here.serves()
        await browser.until(f"document.querySelectorAll('#story > li[id]').length > {before + 2}")
        assert await browser.run("document.querySelector('#say').value") == "Please keep the na"
        await browser.types("mes as they are.")
        await browser.run("document.querySelector('.say button').click()")
        await browser.until("document.querySelector('#receipt').innerText.includes('Sent.')")
        await browser.until("document.querySelector('#talk').innerText.includes('seen by turn')")
        async with asyncio.timeout(4 * PATIENCE):
            await demo.wait()
        await browser.until("document.querySelector('#headline').innerText.includes('a person, to merge')")
        await browser.run("document.querySelector('[id$=-takeover] button').click()")
        await browser.until("document.querySelector('#headline').innerText.includes('has taken it over')")
        live = await entries(browser)
        await browser.open(str(page))
        assert live == await entries(browser), "no gap and no duplicate"
        assert len(set(live)) == len(live)
