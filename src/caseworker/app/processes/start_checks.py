"""Checks before anything is started: the model, the disk and the sandbox."""

import shutil
from pathlib import Path

from caseworker.app.parts import make_sandbox
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.workspaces.sandbox_limits import DISK_RESERVE, size

_NEEDED_BYTES = 2 * DISK_RESERVE
"""A case that begins with less would be stopped by the first files that it writes."""


def check_disk(home: Path) -> None:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < _NEEDED_BYTES:
        raise Refused(
            f"Only {size(free)} are free where {home} lies; {size(_NEEDED_BYTES)} are needed.",
            todo="Free some space, or set CASEWORKER_HOME to a folder on another disk.",
        )


async def check_ready(rehearsal: str | None, settings: Settings) -> None:
    """Refuse a case that could not be worked on, before anything is created."""
    if rehearsal is None and settings.anthropic_api_key is None:
        raise Refused(
            "There is no model to work with: no key and no rehearsal.",
            todo="Set ANTHROPIC_API_KEY, or rehearse with `--rehearse SCRIPT.yaml` (`caseworker docs rehearsal`).",
        )
    check_disk(settings.home)
    if settings.is_embedded:
        await check_sandbox(settings)


async def check_sandbox(settings: Settings) -> None:
    problem = await make_sandbox(settings).probe()
    if problem is not None:
        raise Refused(problem)
