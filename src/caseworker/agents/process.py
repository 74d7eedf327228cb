"""The agent's process: its private folder, the script that starts it in the sandbox, and the end of its whole tree."""

import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SOCKET_PATH_LIMIT: Final = 107
"""Bytes of a Unix socket's path."""


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

    def write_starter(self, argv: Sequence[str]) -> None:
        """The SDK runs one executable, with the worker's environment, in the worker's process group. Hence:

        `env -i`, or the sandbox's first process would show the worker's environment (the key) in its /proc/1/environ;
        `setsid`, so that the tree is a process group of its own; `exec`, so that the noted id stays the right one.
        """
        script = f"""#!/bin/sh
echo $$ > {shlex.quote(str(self._pid))}
exec /usr/bin/env -i PATH=/usr/bin:/bin setsid {shlex.join(argv)} "$@"
"""
        self.starter.touch(mode=0o700)
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
    folder = AttemptFolder(Path(tempfile.mkdtemp(prefix="cw-", dir=_short_base())))
    try:
        for inner in (folder.config, folder.home, folder.socket.parent):
            inner.mkdir(mode=0o700)
        yield folder
    finally:
        folder.end_processes()
        shutil.rmtree(folder.root, ignore_errors=True)


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
