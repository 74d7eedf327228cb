"""Child processes whose output the event loop reads directly, without asyncio's own subprocesses.

Their transports, streams and tasks keep the loop busy for longer than the start of the process takes, and a case starts
dozens of processes.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_CHUNK = 1 << 16
OnOutput = Callable[[bytes], object]


@dataclass(frozen=True, kw_only=True)
class Program:
    """What to start, where, and with what."""

    argv: Sequence[str]
    folder: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""


class Child:
    """A process in its own session, so that its children can be killed with it. The caller must await `end`."""

    def __init__(self, program: Program, *, on_output: OnOutput, on_errors: OnOutput | None = None) -> None:
        """`on_output` gets each chunk of stdout, and of stderr unless `on_errors` is given. If one of them raises,
        `ended` raises that error."""
        self._loop = asyncio.get_running_loop()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        """Done when all pipes are closed."""
        self._gone: asyncio.Future[int] = self._loop.create_future()
        """Its exit code, when it has ended."""
        self._open: set[int] = set()
        self._process, pipes = _start(program, apart=on_errors is not None)
        for pipe, callback in zip(pipes, (on_output, on_errors or on_output), strict=False):
            self._open.add(pipe)
            self._loop.add_reader(pipe, self._read, pipe, callback)
        self._watch()

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ended(self) -> int:
        """Waits until the process has ended and its output is closed. Returns its exit code (negative: the signal)."""
        await self._closed
        return self._gone.result() if self._gone.done() else await asyncio.shield(self._gone)

    async def end(self) -> None:
        """Kills the process if it still runs, and reads no more of its output."""
        for pipe in tuple(self._open):
            self._close(pipe)
        if not self._gone.done():
            self.kill()
            await asyncio.shield(self._gone)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read(self, pipe: int, callback: OnOutput) -> None:
        chunk = os.read(pipe, _CHUNK)
        if not chunk:
            self._close(pipe)
            return
        try:
            callback(chunk)
        except Exception as error:  # noqa: BLE001  # raised by `ended`
            if not self._closed.done():
                self._closed.set_exception(error)

    def _close(self, pipe: int) -> None:
        self._open.remove(pipe)
        self._loop.remove_reader(pipe)
        os.close(pipe)
        if not self._open and not self._closed.done():
            self._closed.set_result(None)

    def _watch(self) -> None:
        """Reaps the process when it ends, also when nobody waits for it: otherwise it would stay a zombie."""
        try:
            pidfd = os.pidfd_open(self._process.pid)
        except OSError:  # the kernel has no pidfds
            waiting = self._loop.run_in_executor(None, self._process.wait)
            waiting.add_done_callback(lambda _: self._gone.set_result(self._process.wait()))
            return
        self._loop.add_reader(pidfd, self._reap, pidfd)

    def _reap(self, pidfd: int) -> None:
        self._loop.remove_reader(pidfd)
        os.close(pidfd)
        self._gone.set_result(self._process.wait())


def _start(program: Program, *, apart: bool) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Starts the process. Returns it and the pipes to read from: stdout, and with `apart` another one for stderr."""
    pipes = [os.pipe() for _ in range(1 + apart)]
    theirs = [writing for _, writing in pipes]
    try:
        if program.stdin:
            theirs.append(_memory_file(program.stdin))
        process = subprocess.Popen(
            program.argv,
            cwd=program.folder,
            env=program.environment,
            stdin=theirs[-1] if program.stdin else subprocess.DEVNULL,
            stdout=pipes[0][1],
            stderr=pipes[-1][1],
            start_new_session=True,
        )
    except BaseException:
        _close_all(reading for reading, _ in pipes)
        raise
    finally:
        _close_all(theirs)
    return process, [reading for reading, _ in pipes]


def _memory_file(stdin: bytes) -> int:
    """Puts stdin into a file in memory: unlike a pipe, nobody has to write to it, and the process need not read it."""
    file, left = os.memfd_create("stdin"), memoryview(stdin)
    while left:
        left = left[os.write(file, left) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _close_all(files: Iterable[int]) -> None:
    for file in files:
        os.close(file)
