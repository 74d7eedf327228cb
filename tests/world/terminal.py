"""A person at a terminal: the real command, a home of their own, and the host that it starts."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60.0
REHEARSAL = Path(__file__).with_name("greeting.yaml")


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

    def types(self, *arguments: str | Path, user: str | None = None) -> Answer:
        """Runs to its end."""
        done = subprocess.run(
            self._command(arguments), env=self.environment, capture_output=True, text=True, timeout=PATIENCE, user=user
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def starts(self, *arguments: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command(arguments), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
        """-9, and gone when this returns."""
        os.kill(pid, signal.SIGKILL)
        self.waits_until(lambda: not is_alive(pid), f"the end of {pid}")

    def waits_until(self, is_so: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come about; the host's log:\n{self.host_log()}")
            time.sleep(0.02)

    def entries(self, kind: str) -> list[dict[str, object]]:
        """The record as it is on disk, read from outside the program."""
        database = self.home / "caseworker.db"
        if not database.exists():
            return []
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            try:
                rows = connection.execute(
                    "select body from record where kind = ? order by sequence", (kind,)
                ).fetchall()
            except sqlite3.OperationalError:  # the tables are being made
                return []
        return [json.loads(row[0]) for row in rows]

    def host_log(self) -> str:
        log = self.home / "host.log"
        return "\n".join(log.read_text().splitlines()[-30:]) if log.exists() else "(none)"

    def _host(self, key: str) -> int:
        value = json.loads((self.home / "host.json").read_text())[key]
        assert isinstance(value, int)
        return value

    def _command(self, arguments: tuple[str | Path, ...]) -> list[str]:
        return [str(Path(sys.executable).parent / "caseworker"), *map(str, arguments)]


def is_alive(pid: int) -> bool:
    """A zombie is not: it only waits for its parent to hear of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def open_terminal(home: Path, **environment: str) -> Iterator[Terminal]:
    terminal = Terminal(home, **environment)
    try:
        yield terminal
    finally:
        terminal.types("host", "stop")
