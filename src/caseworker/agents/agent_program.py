"""The agent's program as it is started: an execute-only copy, so that its own tools can't write into its process.

The kernel makes a process non-dumpable if its user may not read the program's file. Then no process of the same user
can open its files in /proc, trace it, or read its memory. Tools run as the agent's user, in its process namespace:
without this, a test could print an outcome in the agent's name.
"""

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Refused

_EXECUTE_ONLY: Final = 0o111
_PRIVATE: Final = 0o700


def agent_binary() -> Path:
    """The program as the SDK brings it, readable by everybody."""
    import claude_agent_sdk

    return Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


def execute_only(source: Path) -> Path:
    """A copy of the program that can be run but not read. It is made once and kept in the user's cache folder."""
    found = source.stat()
    folder = _private_folder(f"agent-{found.st_size}-{found.st_mtime_ns}")
    copy = folder / source.name
    if not _is_ours(copy, _EXECUTE_ONLY) or copy.lstat().st_size != found.st_size:
        _copy(source, copy)
    return copy


def _private_folder(name: str) -> Path:
    """In the cache folder, or beside other temporary files for a user who has no home."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "caseworker"
    temporary = Path(tempfile.gettempdir()) / f"caseworker-{os.getuid()}"
    for base in (cache, temporary):
        folder = base / name
        try:
            base.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            folder.mkdir(mode=_PRIVATE, exist_ok=True)
        except OSError:
            continue
        # Anybody may have made the first one under /tmp, and could exchange what we put there.
        if base.lstat().st_uid == os.getuid() and _is_ours(folder, _PRIVATE):
            return folder
    raise Refused(
        f"There is no folder for a private copy of the agent's program: neither {cache} nor {temporary} will do.",
        todo="Set XDG_CACHE_HOME to a folder that this user can write to.",
    )


def _is_ours(path: Path, mode: int) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return not path.is_symlink() and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == mode


def _copy(source: Path, copy: Path) -> None:
    """Renames a complete copy into place: another worker may do the same at this moment."""
    with tempfile.NamedTemporaryFile(prefix=".", dir=copy.parent, delete=False) as target:
        fresh = Path(target.name)
        try:
            with source.open("rb") as original:
                shutil.copyfileobj(original, target, 1 << 20)
            fresh.chmod(_EXECUTE_ONLY)
            fresh.replace(copy)
        except BaseException:
            fresh.unlink()
            raise
