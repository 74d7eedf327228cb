"""A person at a terminal: runs the real command with its own home, and the host that it starts."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.engine.host import HostPlace, stop
from tests.patience import PATIENCE
from tests.world.forked_commands import forked_commands

_COMMAND_PATIENCE = 3 * PATIENCE
"""One command may start all processes and bring a whole case to its end."""
REHEARSAL = Path(__file__).with_name("greeting.yaml")
BUG_REHEARSAL = Path(__file__).with_name("bug.yaml")
EVERYWHERE = Path(__file__).with_name("everywhere.yaml")


def _restore_interrupts() -> None:
    """Makes the child react to Ctrl-C. Tests that run in the background ignore it, and children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


class Terminal:
    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "CASEWORKER_HOME": str(home),
            **environment,
        }

    def types(self, *arguments: str | Path, user: str | None = None, stdin: str = "") -> Answer:
        """Runs a command to its end: forked, or started afresh as another user or while a forked one runs."""
        forks = forked_commands()
        if user is None and forks.is_free.acquire(blocking=False):
            words = [str(argument) for argument in arguments]
            try:
                return Answer(*forks.run(words, self.environment, stdin=stdin, timeout=_COMMAND_PATIENCE))
            finally:
                forks.is_free.release()
        done = subprocess.run(
            self.command(arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_COMMAND_PATIENCE,
            user=user,
            input=stdin,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def opens(self, *arguments: str | Path) -> Iterator["Window"]:
        """Runs a command in a pseudo-terminal, where keys can be pressed."""
        window = Window(self.command(arguments), {**self.environment, "TERM": "xterm"})
        try:
            yield window
        finally:
            window.closes()

    def starts(self, *arguments: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(arguments),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_restore_interrupts,
        )

    def reads_json(self, *arguments: str | Path) -> dict[str, object]:
        answer = self.types(*arguments, "--json")
        assert answer.code == 0, answer.err
        value = json.loads(answer.out)
        assert isinstance(value, dict)
        return value

    @property
    def host_pid(self) -> int:
        return self._host("pid")

    @property
    def temporal_pid(self) -> int:
        return self._host("temporal_pid")

    def kills(self, pid: int) -> None:
        """Kills with -9 and waits until the process is gone."""
        os.kill(pid, signal.SIGKILL)
        self.waits_until(lambda: not is_alive(pid), f"the end of {pid}")

    def waits_until(self, is_so: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come about; the host's log:\n{self.host_log()}")
            time.sleep(0.02)

    def entries(self, *kinds: str) -> list[dict[str, object]]:
        """Reads entries of these kinds from the database file, without the program, in their order."""
        database = self.home / "caseworker.db"
        if not database.exists():
            return []
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            try:
                wanted = ", ".join("?" * len(kinds))
                rows = connection.execute(
                    f"select body from record where kind in ({wanted}) order by sequence", kinds
                ).fetchall()
            except sqlite3.OperationalError:  # the tables are not created yet
                return []
        return [json.loads(row[0]) for row in rows]

    def host_log(self) -> str:
        log = self.home / "host.log"
        return "\n".join(log.read_text().splitlines()[-30:]) if log.exists() else "(none)"

    def _host(self, key: str) -> int:
        value = json.loads((self.home / "host.json").read_text())[key]
        assert isinstance(value, int)
        return value

    def command(self, arguments: tuple[str | Path, ...]) -> list[str]:
        return [str(Path(sys.executable).parent / "caseworker"), *map(str, arguments)]


class Window:
    """A pseudo-terminal with a program in it."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._keys, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
        self.modes_before = termios.tcgetattr(inside)
        self._inside = inside
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=_restore_interrupts,
        )
        self._shown = b""

    def presses(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def shows(self, words: str, *, times: int = 1) -> None:
        """Waits until these words were shown."""
        self._reads_until(lambda: self.text().count(words) >= times, words)

    def keeps(self, words: str) -> None:
        """Waits until these words are in the input line, after whatever else was shown."""
        self._reads_until(lambda: words in self._shown.decode(errors="replace").rpartition("\x1b[2K")[2], words)

    def _reads_until(self, is_so: Callable[[], bool], words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            ready, _, _ = select.select([self._keys], [], [], 0.05)
            if ready:
                self._shown += os.read(self._keys, 65_536)
            elif self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{words!r} was not shown; this was:\n{self.text()}")

    def text(self) -> str:
        """Everything that was ever shown, without escape sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._shown.decode(errors="replace"))

    def ends(self) -> int:
        """Waits for the end, reads what is still shown, and returns the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.text()
            ready, _, _ = select.select([self._keys], [], [], 0.05)
            if ready:
                self._shown += os.read(self._keys, 65_536)
        while select.select([self._keys], [], [], 0)[0]:
            self._shown += os.read(self._keys, 65_536)
        return self.process.returncode

    def modes_now(self) -> list[object]:
        return list(termios.tcgetattr(self._inside))

    def closes(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._inside)
        os.close(self._keys)


def is_alive(pid: int) -> bool:
    """Tells whether the process runs. A zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_about(*words: str) -> list[int]:
    """Finds the processes whose command line has all of these words."""

    def started_with(process: Path) -> str:
        try:
            return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended
            return ""

    found = {int(process.name): started_with(process) for process in Path("/proc").glob("[0-9]*")}
    return [pid for pid, command in found.items() if all(word in command for word in words)]


@contextmanager
def open_terminal(home: Path, **environment: str) -> Iterator[Terminal]:
    terminal = Terminal(home, **environment)
    try:
        yield terminal
    finally:
        _end_host(HostPlace(home))


def _end_host(place: HostPlace) -> None:
    """Stops the host from this process: the command `host stop` would import the program once more for every test. A
    host that does not end is killed, so that it disturbs no other test."""
    try:
        stop(place)
    except Refused:
        if (pid := place.holder()) is not None:
            os.kill(pid, signal.SIGKILL)
        raise
