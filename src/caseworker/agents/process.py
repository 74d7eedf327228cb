"""The agent's process: its private folder, the script that starts it in the sandbox, and the end of its whole tree.

A worker that is killed leaves its attempts' folders behind; the next one sweeps those whose owner is certainly gone.
"""

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
"""Bytes of a Unix socket's path."""
_PREFIX: Final = "cw-"
_OURS: Final = re.compile(_PREFIX + r"[a-z0-9_]{8}")
"""As `mkdtemp` names them. Others use longer names with the same beginning: those are not ours to remove."""
_PRIVATE: Final = 0o700
_UNKNOWN: Final = "unknown"
"""Some systems that look like Linux don't tell everything of it."""


@dataclass(frozen=True)
class AttemptFolder:
    """One attempt's private files. The same paths outside and inside the sandbox."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def socket(self) -> Path:
        """In a folder of its own, which is what the sandbox is shown."""
        return self.root / "s" / "model"

    @property
    def starter(self) -> Path:
        return self.root / "agent"

    @property
    def _pid(self) -> Path:
        return self.root / "pid"

    @property
    def owner(self) -> Path:
        """Whose attempt this is. Outside of what the sandbox is shown."""
        return self.root / "owner"

    def write_starter(self, argv: Sequence[str]) -> None:
        """The SDK runs one executable, with the worker's environment, in the worker's process group. Hence:

        `env -i`, or the sandbox's first process would show the worker's environment (the key) in its /proc/1/environ;
        `setsid`, so that the tree is a process group of its own; `exec`, so that the noted id stays the right one.
        """
        script = f"""#!/bin/sh
echo $$ > {shlex.quote(str(self._pid))}
exec /usr/bin/env -i PATH=/usr/bin:/bin setsid {shlex.join(argv)} "$@"
"""
        self.starter.touch(mode=_PRIVATE)
        self.starter.write_text(script, encoding="utf-8")

    def end_processes(self) -> None:
        """Kill the agent and all that it started. Nothing to do once it is gone, and never anybody else's process."""
        with suppress(FileNotFoundError, ValueError):
            pid = int(self._pid.read_text())
            parents = _parents()
            if parents.get(pid) != os.getpid():  # the number may belong to a stranger by now
                return
            for member in (pid, *_descendants(pid, parents)):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(member, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                if os.getpgid(pid) == pid:
                    os.killpg(pid, signal.SIGKILL)


@contextmanager
def attempt_folder() -> Iterator[AttemptFolder]:
    """Made (0700) and removed with all that is in it."""
    folder = AttemptFolder(Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_short_base())))
    try:
        folder.owner.write_text(_own_identity(), encoding="utf-8")  # first: what has no owner yet holds nothing
        for inner in (folder.config, folder.home, folder.socket.parent):
            inner.mkdir(mode=_PRIVATE)
        yield folder
    finally:
        folder.end_processes()
        shutil.rmtree(folder.root, ignore_errors=True)


def sweep_attempt_folders() -> int:
    """Remove what attempts of killed workers left: transcripts as the agent writes them, not redacted. How many."""
    swept = 0
    for path in Path(_short_base()).iterdir():
        if _OURS.fullmatch(path.name) and _is_private(path) and _is_left(AttemptFolder(path)):
            shutil.rmtree(path, ignore_errors=True)
            swept += not path.exists()
    return swept


def _is_private(path: Path) -> bool:
    """A real folder that only we can have made and filled: in a shared place anybody may use our prefix."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == _PRIVATE


def _is_left(folder: AttemptFolder) -> bool:
    try:
        return _is_gone(folder.owner.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no owner, or none that can be read: nothing is certain
        return False


def _own_identity() -> str:
    return f"{_machine()} {_boot()} {os.getpid()} {_started_at(os.getpid())}"


def _is_gone(identity: str) -> bool:
    """True only where it is certain; processes of other machines and containers are never judged."""
    machine, boot, pid, started = identity.split(" ")
    if machine.partition("/")[0] != socket.gethostname():
        return False
    if boot != _boot():
        return _UNKNOWN not in (boot, _boot())
    return machine == _machine() and _started_at(int(pid)) != started


def _machine() -> str:
    """Where a pid means the same: containers may share a host's name and boot, but not its processes."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()}/{namespace.stat().st_ino if namespace.exists() else _UNKNOWN}"


def _boot() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text(encoding="utf-8").strip() if path.exists() else _UNKNOWN


def _started_at(pid: int) -> str | None:
    """In clock ticks: with the pid it names one process, even after pids are used again. None: there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else fields[19]


def _short_base() -> str:
    usual = tempfile.gettempdir()
    return usual if len(usual.encode()) + len("/cw-12345678/s/model") < _SOCKET_PATH_LIMIT else "/tmp"


def _parents() -> dict[int, int]:
    """Every process and its parent."""
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
