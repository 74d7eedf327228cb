"""The bot of `caseworker demo github`: the real `caseworker serve` in a home of its own, with a rehearsed model."""

import asyncio
import ctypes
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from caseworker.app.demos.own_github import OwnGitHub
from caseworker.app.load_settings import PREFIX
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.engine.host import HostPlace, stop

_PR_SET_PDEATHSIG: Final = 1
_START_SECONDS: Final = 180.0
_END_SECONDS: Final = 30.0
_SETTLE_SECONDS: Final = 10
"""CI of the demo begins at once. A pull request without checks after this long counts as unchecked."""

_BARRIER_SECONDS: Final = 20
"""People in the demo have this long to look at a push, instead of twenty minutes."""


@asynccontextmanager
async def serving_bot(github: OwnGitHub, home: Path, settings: Settings) -> AsyncIterator[asyncio.subprocess.Process]:
    """Listens to the demo's GitHub by webhooks until the block ends. Then no process is left."""
    _furnish(github, home, settings)
    process = await _start(home)
    reader: asyncio.Task[None] | None = None
    try:
        github.tell_app(await _listens_at(process))
        reader = asyncio.create_task(_keep_log(process, home))
        yield process
    finally:
        await _end(process)
        if reader is not None:
            await reader
        await asyncio.to_thread(stop, HostPlace(home))


def _furnish(github: OwnGitHub, home: Path, settings: Settings) -> None:
    """Write the home's settings into a file, so that other commands with this home have the same."""
    home.mkdir(mode=0o700)
    key = home / "github-app.pem"
    key.touch(mode=0o600)
    key.write_text(github.private_key, encoding="utf-8")
    script = home / "rehearsal.yaml"
    with as_file(files("caseworker.app") / "demos" / "samples" / "shop" / "github-rehearsal.yaml") as sample:
        shutil.copyfile(sample, script)
    wanted: dict[str, object] = {
        "github_app_id": str(github.app.id),
        "github_app_private_key": str(key),
        "github_webhook_secret": github.webhook_secret,
        "github_api_url": github.double.state.api_url,
        "reports_rehearsal": str(script),
        "checks_settle_seconds": _SETTLE_SECONDS,
        "checks_begin_seconds": _SETTLE_SECONDS,
        "review_barrier_seconds": _BARRIER_SECONDS,
        "serve_port": 0,
        "idle_minutes": 2,
        "sandbox": settings.sandbox,
        "expose": [str(path) for path in settings.expose],
    }
    if settings.rehearsal_pace is not None:
        wanted["rehearsal_pace"] = settings.rehearsal_pace
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in wanted.items()]  # JSON's values are TOML's, too
    (home / "caseworker.toml").write_text("".join(lines), encoding="utf-8")


async def _start(home: Path) -> asyncio.subprocess.Process:
    kept = {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "ANTHROPIC_"))}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from caseworker.app.cli.program import program; program()",
        "serve",
        env={**kept, f"{PREFIX}HOME": str(home), f"{PREFIX}LOG": "json"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=_end_with_parent,
        start_new_session=True,  # Ctrl-C is for the demo, which ends it in order
    )


def _end_with_parent() -> None:
    """Ends the bot also with a demo that is killed; its host then ends as idle."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _listens_at(process: asyncio.subprocess.Process) -> str:
    """The address for webhooks, as the bot's log names it."""
    assert process.stderr is not None
    lines: list[str] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(_START_SECONDS):
            while line := await process.stderr.readline():
                lines.append(line.decode(errors="replace"))
                if address := _address_in(lines[-1]):
                    return address
    why = "".join(lines[-3:]).strip().removeprefix("caseworker: ")
    raise Refused(
        f"The demo's bot did not start. {why or f'It said nothing in {_START_SECONDS:.0f} s: is the machine busy?'}"
    )


def _address_in(line: str) -> str | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict) or entry.get("event") != "listening by HTTP":
        return None
    return str(entry["at"])


async def _keep_log(process: asyncio.subprocess.Process, home: Path) -> None:
    """Its output goes into a file of its home: the demo's own words stay readable."""
    assert process.stderr is not None
    with (home / "serve.log").open("ab") as log:
        while chunk := await process.stderr.read(65_536):
            log.write(chunk)
            log.flush()


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(asyncio.shield(process.wait()), _END_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
