"""Checks before anything is started: the disk and the sandbox."""

import os
import shutil
from pathlib import Path

from caseworker.app.parts import make_sandbox
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused

_NEEDED_BYTES = 200 * 1024 * 1024


def check_disk(home: Path) -> None:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < _NEEDED_BYTES:
        raise Refused(
            f"Only {free // 1_000_000} MB are free where {home} lies; {_NEEDED_BYTES // 1_000_000} MB are needed.",
            todo="Free some space, or set CASEWORKER_HOME to a folder on another disk.",
        )


async def check_sandbox(settings: Settings) -> None:
    problem = await make_sandbox(settings).probe()
    if problem is not None:
        raise Refused(problem)


def home_problem(home: Path) -> str | None:
    """Why the home folder can't be used. Null: it can, or can be made."""
    try:
        if home.exists() and not home.is_dir():
            return f"The home folder {home} is a file."
        there = next(folder for folder in (home, *home.parents) if folder.exists())
    except OSError as error:
        return f"The home folder {home} can't be reached: {error.strerror}."
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return None
    if there == home:
        return f"The home folder {home} is read-only."
    return f"The home folder {home} can't be made: {there} is no folder that you can write to."
