"""The host process, one per home: its lock, the file that says where it listens, and how to find, start or stop it."""

import fcntl
import hashlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict, ValidationError

import caseworker
from caseworker.core.base.errors import Refused
from caseworker.engine.identity import started_at

_START_SECONDS = 40.0
_STOP_SECONDS = 20.0
WAITING = "--waiting"


class HostFile(BaseModel):
    """`host.json`: the host's process, where it listens, and its version."""

    model_config = ConfigDict(frozen=True)
    pid: int
    process_started: str | None
    """In clock ticks: shows whether the pid still belongs to the same process."""
    target: str
    ui: str
    """Where Temporal's web UI answers; empty if it is off."""
    version: str
    code: str
    settings: str
    started_at: datetime
    temporal_pid: int | None = None


def code_fingerprint() -> str:
    """A hash of the program's files: tells apart two states of a checkout with the same version number."""
    root = str(Path(caseworker.__file__).parent)
    digest = hashlib.sha256(caseworker.__version__.encode())
    for path, size, changed in sorted(_own_files(root)):
        digest.update(f"{path} {size} {changed}".encode())
    return digest.hexdigest()[:16]


def _own_files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The path, size and time of each file. Every command looks at them all, so this doesn't use `Path`, which takes
    three times as long."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _own_files(entry.path)
            elif entry.name.endswith((".py", ".md")):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns


class HostPlace:
    """The files of a host under `$CASEWORKER_HOME`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.lock = home / "host.lock"
        self.file = home / "host.json"
        self.failure = home / "host.failed"
        self.door = home / "host.socket"
        """Where commands ask the host to open cases."""
        self.log = home / "host.log"
        self.touched = home / "host.touched"
        self.stopped = home / "host.stopped"
        """Exists after somebody stopped the host on purpose: a command that only watches must not start it again."""

    def read(self) -> HostFile | None:
        try:
            return HostFile.model_validate_json(self.file.read_text())
        except (OSError, ValidationError):
            return None

    def is_strange(self) -> bool:
        """Whether the host file was written by another version, so that we can't read it."""
        try:
            HostFile.model_validate_json(self.file.read_text())
        except OSError:
            return False
        except ValidationError:
            return True
        return False

    def write(self, host: HostFile) -> None:
        """Writes the host file atomically: a reader never sees half a file."""
        draft = self.file.with_suffix(".new")
        draft.write_text(host.model_dump_json(indent=2))
        draft.rename(self.file)

    def running(self) -> HostFile | None:
        """The host that holds the lock, once it has written its file. The file of a dead host is ignored."""
        host = self.read() if self.is_locked() else None
        return host if host is not None and started_at(host.pid) == host.process_started else None

    def holder(self) -> int | None:
        """The pid of the process that holds the lock, also before it has written its host file."""
        try:
            pid, started = self.lock.read_text().split()
        except (OSError, ValueError):
            return None
        return int(pid) if started_at(int(pid)) == started else None

    def is_locked(self) -> bool:
        """Whether a host holds the lock. The kernel frees it when the host dies, so it can't be stale."""
        if not self.lock.exists():
            return False
        with self.lock.open("a") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            fcntl.flock(handle, fcntl.LOCK_UN)
            return False

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Holds the lock for the life of the host. Yields False if another host has it."""
        handle: IO[str] = self.lock.open("a")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            yield False
            return
        self.file.unlink(missing_ok=True)  # left by a host that was killed
        handle.truncate(0)
        handle.write(f"{os.getpid()} {started_at(os.getpid())}")
        handle.flush()
        try:
            yield True
        finally:
            self.file.unlink(missing_ok=True)
            handle.close()

    def touch(self) -> None:
        """Records that a command was run: the host's idle time starts anew."""
        self.touched.touch()


def spawn(place: HostPlace, command: list[str]) -> "subprocess.Popen[bytes]":
    """Starts a host, detached: it outlives the command and the terminal."""
    place.failure.unlink(missing_ok=True)
    with place.log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=place.home,
            start_new_session=True,
        )


def spawn_waiting(command: list[str]) -> "subprocess.Popen[bytes]":
    """Starts a host that only loads its code until it is called in. If the command that started it ends before, it
    ends, too, and has touched nothing."""
    return subprocess.Popen(
        [sys.executable, *command, WAITING],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )


def call_in(waiting: "subprocess.Popen[bytes]", place: HostPlace) -> None:
    """From here on it is like a host that was spawned."""
    place.failure.unlink(missing_ok=True)
    if waiting.stdin is not None:
        with suppress(BrokenPipeError), waiting.stdin as pipe:  # it died: its waiting caller sees that
            pipe.write(os.fsencode(place.home))


def send_away(waiting: "subprocess.Popen[bytes]") -> None:
    if waiting.stdin is not None:
        waiting.stdin.close()


def is_called() -> bool:
    """In a waiting host: whether it was called in or sent away, so that `wait_to_be_called` returns at once."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def wait_to_be_called() -> bool:
    """The other side of `call_in`, in the host: False if nobody called."""
    home = sys.stdin.buffer.read()
    if not home:
        return False
    os.chdir(home)
    with HostPlace(Path(os.fsdecode(home))).log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    return True


def find_or_start(place: HostPlace, start: Callable[[], "subprocess.Popen[bytes]"]) -> HostFile:
    """Returns the running host, or starts one and waits until it listens.

    If several are started at once, one gets the lock and everybody waits for that one. If a host is just ending, we
    wait for its end and then start the next.
    """
    deadline = time.monotonic() + _START_SECONDS
    child: subprocess.Popen[bytes] | None = None
    while time.monotonic() < deadline:
        host = place.running()
        if host is not None:
            return host
        if place.is_locked():
            if place.is_strange():
                raise Refused(
                    f"A host of another version runs: its file {place.file} can't be read.",
                    todo="`caseworker host stop` ends it; a turn under way is then begun again.",
                )
        elif child is None or child.poll() == 0:
            child = start()
        elif child.poll() is not None:
            raise Refused(_failure(place))
        time.sleep(0.01)
    raise Refused(f"The host process did not start within {_START_SECONDS:.0f} s.", todo=f"Its log is {place.log}.")


def _failure(place: HostPlace) -> str:
    if place.failure.exists():
        return place.failure.read_text().strip()
    return f"The host process ended at once. Its log is {place.log}."


def stop(place: HostPlace) -> bool:
    """Asks the host to end, even one that is still starting, and waits until it has. False if none was running."""
    if not place.is_locked():
        return False
    place.stopped.touch()
    deadline = time.monotonic() + _STOP_SECONDS
    asked: int | None = None
    while place.is_locked() or (asked is not None and started_at(asked) is not None):
        if asked is None and (asked := place.holder()) is not None:
            with suppress(ProcessLookupError):
                os.kill(asked, signal.SIGTERM)
        if time.monotonic() > deadline:
            raise Refused(
                f"The host process {asked} did not end within {_STOP_SECONDS:.0f} s.",
                todo=f"`kill -9 {asked}` ends it; no work is lost, only the turn under way is begun again.",
            )
        time.sleep(0.02)
    return True
