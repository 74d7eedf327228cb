"""Checks before anything is started: the disk, the sandbox, a rehearsal script."""

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


def read_rehearsal(path: Path | None) -> str | None:
    """Read and validate the script, so that a mistake is reported now, with its line, and not during a case."""
    if path is None:
        return None
    from caseworker.agents.rehearsal import load_rehearsal

    path = path.expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Refused(
            f"There is no rehearsal script at {path}.", todo="docs/rehearsal.md shows how to write one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} can't be read as text: {error}.") from error
    load_rehearsal(text, path.name)
    return text
