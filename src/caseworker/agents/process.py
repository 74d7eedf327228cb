"""The agent's process: its private folder, the script that starts it in the sandbox, and how all of it is killed.

A killed worker leaves the folders of its attempts behind; the next worker removes those whose owner has ended.
"""

import asyncio
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SOCKET_PATH_LIMIT: Final = 107
"""Longest path of a Unix socket, in bytes."""
_PREFIX: Final = "cw-"
_OURS: Final = re.compile(_PREFIX + r"[a-z0-9_]{8}")
"""Names as `mkdtemp` makes them. Longer names with the same prefix are not ours to remove."""
_PRIVATE: Final = 0o700
_GONE_AFTER: Final = 5.0
"""Seconds; a process that waits for a disk may be killed later."""
_LOOK_AGAIN: Final = 0.005
_UNKNOWN: Final = "unknown"
"""For systems that look like Linux but lack some files in /proc."""


@dataclass(frozen=True)
class AttemptFolder:
    """The private files of one attempt. Paths are the same outside and inside the sandbox."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def socket(self) -> Path:
        """In its own folder: that folder is mounted in the sandbox."""
        return self.root / "s" / "model"

    @property
    def starter(self) -> Path:
        return self.root / "agent"

    @property
    def _pid(self) -> Path:
        return self.root / "pid"

    @property
    def owner(self) -> Path:
        """Names the worker of this attempt. Not mounted in the sandbox."""
        return self.root / "owner"

    def write_starter(self, argv: Sequence[str]) -> None:
        """Writes the script that the SDK runs, with the worker's environment and in the worker's process group.

        Hence `env -i`: otherwise the agent could read the worker's environment (the key) in /proc/1/environ; `setsid`:
        the process tree gets its own process group; `exec`: the pid that was written down stays the right one. Process
        1 of the sandbox keeps its input and output open, where every tool can reach them: it gets none, and
        `connected` gives the SDK's to the agent alone.
        """
        script = f"""#!/bin/sh
echo $$ > {shlex.quote(str(self._pid))}
exec /usr/bin/env -i PATH=/usr/bin:/bin setsid {shlex.join(argv)} "$@" 8<&0 9>&1 </dev/null >/dev/null
"""
        self.starter.touch(mode=_PRIVATE)
        self.starter.write_text(script, encoding="utf-8")

    def started(self) -> int | None:
        """The process that was started, as long as it is there: its pid may belong to another one later."""
        with suppress(FileNotFoundError, ValueError):
            pid = int(self._pid.read_text())
            return pid if (found := _stat(pid)) is not None and int(found[1]) == os.getpid() else None
        return None

    def end_processes(self) -> tuple[int, ...]:
        """Kills the agent and all processes that it started, if they still run. Never kills another process. Returns
        whom: see `until_gone`."""
        pid = self.started()
        if pid is None:
            return ()
        killed = (pid, *_descendants(pid, _parents()))
        for member in killed:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member, signal.SIGKILL)
        with suppress(ProcessLookupError, PermissionError):
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)
        return killed


async def until_gone(killed: Sequence[int]) -> None:
    """Killed processes end soon, not at once, and hold the agent's pipes open until then."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_GONE_AFTER):
            while killed:
                killed = [pid for pid in killed if _started_at(pid) is not None]
                await asyncio.sleep(_LOOK_AGAIN)  # also after the last: the event loop reads that the pipes have ended


def connected(program: Path) -> list[str]:
    """Runs the agent's program inside the sandbox with the input and output that the starter has put aside."""
    return ["/bin/sh", "-c", 'exec "$0" "$@" <&8 >&9 8<&- 9>&-', str(program)]


@contextmanager
def attempt_folder() -> Iterator[AttemptFolder]:
    """A temporary folder for one attempt (0700). At the end its processes are killed and it is removed."""
    folder = AttemptFolder(Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_short_base())))
    try:
        folder.owner.write_text(_own_identity(), encoding="utf-8")  # first: a folder without owner is never removed
        for inner in (folder.config, folder.home, folder.socket.parent):
            inner.mkdir(mode=_PRIVATE)
        yield folder
    finally:
        folder.end_processes()
        shutil.rmtree(folder.root, ignore_errors=True)


def sweep_attempt_folders() -> int:
    """Removes folders that killed workers left, which hold transcripts that are not redacted. Returns how many."""
    swept = 0
    for path in Path(_short_base()).iterdir():
        if _OURS.fullmatch(path.name) and _is_private(path) and _is_left(AttemptFolder(path)):
            shutil.rmtree(path, ignore_errors=True)
            swept += not path.exists()
    return swept


def _is_private(path: Path) -> bool:
    """Whether it is a real folder that only we can have made: in a shared place anybody may use our prefix."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == _PRIVATE


def _is_left(folder: AttemptFolder) -> bool:
    try:
        return _is_gone(folder.owner.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no owner, or an unreadable one: we can't be certain
        return False


def _own_identity() -> str:
    return f"{_machine()} {_boot()} {os.getpid()} {_started_at(os.getpid())}"


def _is_gone(identity: str) -> bool:
    """Whether the process has certainly ended. Always False for processes of other machines and containers."""
    machine, boot, pid, started = identity.split(" ")
    if machine.partition("/")[0] != socket.gethostname():
        return False
    if boot != _boot():
        return _UNKNOWN not in (boot, _boot())
    return machine == _machine() and _started_at(int(pid)) != started


def _machine() -> str:
    """The host name and pid namespace: containers may share a host's name and boot id, but not its pids."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()}/{namespace.stat().st_ino if namespace.exists() else _UNKNOWN}"


def _boot() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text(encoding="utf-8").strip() if path.exists() else _UNKNOWN


def _started_at(pid: int) -> str | None:
    """When a process started, in clock ticks; None if it has ended. With the pid this identifies one process."""
    fields = _stat(pid)
    return None if fields is None or fields[0] == "Z" else fields[19]


def _stat(pid: int) -> list[str] | None:
    """What the kernel says about a process, from its state on; None if it is not there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _short_base() -> str:
    usual = tempfile.gettempdir()
    return usual if len(usual.encode()) + len("/cw-12345678/s/model") < _SOCKET_PATH_LIMIT else "/tmp"


def _parents() -> dict[int, int]:
    """The parent of every process, by pid."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = (entry / "stat").read_text(errors="replace")
                found[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    return found


def _descendants(pid: int, parents: dict[int, int]) -> Iterator[int]:
    for child, parent in parents.items():
        if parent == pid:
            yield child
            yield from _descendants(child, parents)
