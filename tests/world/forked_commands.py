"""Runs `caseworker` commands as processes that are forked from one with the program imported: importing takes a second.

The parent writes a request as a line of JSON and reads the exit code. What is not shown this way: the start of the
interpreter and the installed script. `Terminal.starts` and `Terminal.opens` run those.
"""

import atexit
import functools
import importlib
import json
import os
import pkgutil
import select
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class _Request:
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    files: list[str]
    """For the input and the two outputs."""


class ForkedCommands:
    def __init__(self) -> None:
        self.is_free = threading.Lock()
        """One command at a time."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.world.forked_commands"],
            cwd=_ROOT,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONPATH": f"{_ROOT / 'src'}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], *, stdin: str, timeout: float
    ) -> tuple[int, str, str]:
        """The exit code, and what was printed to the two outputs."""
        asks, tells = self._process.stdin, self._process.stdout
        assert asks is not None
        assert tells is not None
        with tempfile.TemporaryDirectory(prefix="cw-command-") as name:
            files = [Path(name) / stream for stream in ("in", "out", "err")]
            files[0].write_text(stdin)
            request = _Request(
                arguments=list(arguments),
                environment=dict(environment),
                folder=str(Path.cwd()),
                files=[str(file) for file in files],
            )
            asks.write(json.dumps(asdict(request)) + "\n")
            asks.flush()
            if not select.select([tells], [], [], timeout)[0]:
                self._process.kill()
                raise AssertionError(f"no end after {timeout} s: {arguments}; {files[1].read_text()}")
            return int(tells.readline()), files[1].read_text(), files[2].read_text()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


@functools.cache
def forked_commands() -> ForkedCommands:
    """The one of this test process."""
    commands = ForkedCommands()
    atexit.register(commands.end)
    return commands


def _serve() -> None:
    import caseworker.app.cli
    import caseworker.app.terminal

    for package in (caseworker.app.cli, caseworker.app.terminal):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    importlib.import_module("caseworker.app.desk")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become_command(_Request(**json.loads(line)))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become_command(request: _Request) -> NoReturn:
    try:
        for number, file in enumerate(request.files):
            os.dup2(os.open(file, os.O_CREAT | os.O_WRONLY if number else os.O_RDONLY), number)
        os.environ.clear()
        os.environ.update(request.environment)
        os.chdir(request.folder)
        sys.argv = ["caseworker", *request.arguments]
        from caseworker.app.cli.program import program

        program()
    except BaseException:  # noqa: BLE001  # the end of a forked process: nothing may return to the loop
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    _serve()
