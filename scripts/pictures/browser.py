"""Drives Debian's Chromium over its DevTools protocol: open a page, click, type, take a picture.

The few calls needed here are not worth a driver of 190 MB in every developer's environment.
"""

import asyncio
import base64
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

_PATIENCE: Final = 60.0
_WIDTH: Final = 1000


class Browser:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def open(self, url: str) -> None:
        await self._call("Page.navigate", url=url)
        await self.until("document.readyState === 'complete' && location.href.startsWith('http')")

    async def click(self, words: str) -> None:
        """Presses the button with these words, and waits for the page that follows."""
        button = f"[...document.querySelectorAll('button')].find(one => one.textContent === {json.dumps(words)})"
        await self.until(f"!!{button}")
        await self.run(f"window.leaving = true; {button}.click()")
        await self.until("!window.leaving && document.readyState === 'complete'")

    async def write(self, comment: str) -> None:
        await self.run(f"document.querySelector('form.say textarea').value = {json.dumps(comment)}")
        await self.click("Comment")

    async def run(self, script: str) -> object:
        answer = await self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer.get("result", {}).get("value")

    async def until(self, condition: str) -> None:
        async with asyncio.timeout(_PATIENCE):
            while await self.run(condition) is not True:  # noqa: ASYNC110  # the page has no event for it
                await asyncio.sleep(0.1)

    async def looks_like(self, *, width: int, height: int, dark: bool = False) -> None:
        """The size of the window, and whether the person prefers a dark page. Narrow: a phone."""
        await self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self._call("Emulation.setEmulatedMedia", features=[scheme])

    async def without_scripts(self) -> None:
        await self._call("Emulation.setScriptExecutionDisabled", value=True)

    async def before_every_page(self, script: str) -> None:
        await self._call("Page.enable")
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    async def key(self, key: str) -> None:
        """Presses and releases a key, named as JavaScript names it."""
        code = {"Enter": 13, "Tab": 9, "Escape": 27}.get(key, 0)
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        named = {"key": key, "windowsVirtualKeyCode": code}
        await self._call("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        await self._call("Input.dispatchKeyEvent", type="keyUp", **named)

    async def types(self, text: str) -> None:
        await self._call("Input.insertText", text=text)

    async def screenshot(self, file: Path) -> None:
        """What the window shows."""
        answer = await self._call("Page.captureScreenshot", format="png")
        await asyncio.to_thread(file.write_bytes, base64.b64decode(answer["data"]))

    async def picture(self, file: Path, *, top: str = "", height: int = 720) -> None:
        """`top`: a selector of the element at the upper edge."""
        y = (
            await self.run(f"document.querySelector({json.dumps(top)}).getBoundingClientRect().top + scrollY - 12")
            if top
            else 0
        )
        clip = {"x": 0, "y": y, "width": _WIDTH, "height": height, "scale": 1}
        answer = await self._call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        await asyncio.to_thread(file.write_bytes, base64.b64decode(answer["data"]))

    async def _call(self, method: str, **parameters: object) -> dict[str, Any]:  # JSON of the protocol
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        async with asyncio.timeout(_PATIENCE):
            while (answer := await self._socket.receive_json()).get("id") != self._number:
                pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("Chromium is missing: `apt-get install chromium` (`make pictures` does it).")
    with tempfile.TemporaryDirectory(prefix="caseworker-browser-", ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            program,
            "--headless=new",
            "--no-sandbox",  # it opens our own page only, and root has no other way
            "--disable-gpu",
            "--hide-scrollbars",
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
            f"--window-size={_WIDTH},800",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with aiohttp.ClientSession() as session:
                address = f"http://127.0.0.1:{await _port(Path(folder))}/json/list"
                async with session.get(address) as answer:
                    pages = [one for one in await answer.json() if one["type"] == "page"]
                async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    yield Browser(socket)
        finally:
            process.terminate()
            await process.wait()


async def _port(folder: Path) -> str:
    file = folder / "DevToolsActivePort"
    async with asyncio.timeout(_PATIENCE):
        while not file.exists() or not file.read_text():  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(0.05)
    return file.read_text().splitlines()[0]
