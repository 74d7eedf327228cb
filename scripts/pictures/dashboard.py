"""Pictures of the dashboard: every page in light and dark after three demos, and two of them on a phone."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from scripts.pictures.browser import Browser, chromium

_DEMOS: Final = (("demo",), ("demo", "bug"), ("demo", "unclear", "--yes"))
_PAGES: Final = {
    "board": "/",
    "needs": "/needs-you",
    "deliveries": "/deliveries",
    "sla": "/sla",
    "learnings": "/learnings",
    "repositories": "/repositories",
    "costs": "/costs",
    "health": "/status",
}
_PHONE: Final = ("board", "case")


async def make_dashboard_pictures(folder: Path) -> None:
    async with _deployment() as environment:
        link = json.loads(await _runs(environment, "open", "--no-browser", "--json"))["link"]
        address = str(link).partition("/enter/")[0]
        async with chromium() as browser:
            await browser.open(link)
            await browser.open(f"{address}/?kind=issue")
            case = await browser.run("document.querySelector('.board .title').getAttribute('href')")
            pages = {**_PAGES, "case": str(case)}
            for dark in (False, True):
                await browser.looks_like(width=1000, height=640, dark=dark)
                for name, path in pages.items():
                    await _shot(browser, f"{address}{path}", folder / f"dashboard-{name}{'-dark' * dark}.png")
            await browser.looks_like(width=390, height=780)
            for name in _PHONE:
                await _shot(browser, f"{address}{pages[name]}", folder / f"dashboard-{name}-phone.png")


async def _shot(browser: Browser, address: str, file: Path) -> None:
    await browser.open(address)
    await browser.until("!!document.querySelector('main') && document.fonts.status === 'loaded'")
    await browser.screenshot(file)


@asynccontextmanager
async def _deployment() -> AsyncIterator[dict[str, str]]:
    """A home in which three demos have run. Its processes are ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="caseworker-pictures-", ignore_cleanup_errors=True) as home:
        environment = {**os.environ, "CASEWORKER_HOME": home, "CASEWORKER_REHEARSAL_PACE": "0"}
        environment["CASEWORKER_SERVE_PORT"] = "0"
        try:
            for demo in _DEMOS:
                await _runs(environment, *demo)
            yield environment
        finally:
            served = Path(home) / "serve.json"
            if served.exists():
                os.kill(json.loads(served.read_text())["pid"], 15)
            await _runs(environment, "host", "stop")


async def _runs(environment: dict[str, str], *command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("caseworker")),
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    if process.returncode:
        raise SystemExit(f"caseworker {' '.join(command)} ended with {process.returncode}: {errors.decode()}")
    return out.decode()
