"""Whether the home folder can be used. Every command asks this, so nothing slow is imported."""

import os
from pathlib import Path


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
