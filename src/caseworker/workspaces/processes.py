"""A process that is heard while it speaks, by the event loop itself. What it is run for does not matter here.

Not by asyncio's own subprocesses: their transports, streams and tasks take the loop longer than the start of the
process, and a case starts dozens of them.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

_AT_ONCE = 1 << 16
Hear = Callable[[bytes], object]


class Child:
    """In a session of its own, so that what it starts can be ended with it. Whoever made one awaits its `end`."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        hear: Hear,
        hear_errors: Hear | None = None,
        stdin: bytes = b"",
    ) -> None:
        """`hear` is given each piece of what it says; without `hear_errors`, of its errors as well. What these raise is
        raised by `ended`."""
        self._loop = asyncio.get_running_loop()
        self._silent: asyncio.Future[None] = self._loop.create_future()
        self._gone: asyncio.Future[int] = self._loop.create_future()
        self._open: set[int] = set()
        self._process, pipes = _start(argv, folder, environment, stdin, apart=hear_errors is not None)
        for pipe, listener in zip(pipes, (hear, hear_errors or hear), strict=False):
            self._open.add(pipe)
            self._loop.add_reader(pipe, self._read, pipe, listener)
        self._watch()

    async def ended(self) -> int:
        """Its exit code (negative: the signal), once it is gone and nobody holds its output any more."""
        await self._silent
        return self._gone.result() if self._gone.done() else await asyncio.shield(self._gone)

    async def end(self) -> None:
        """However far it is. It is not listened to any more."""
        for pipe in tuple(self._open):
            self._close(pipe)
        if not self._gone.done():
            self.kill()
            await asyncio.shield(self._gone)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read(self, pipe: int, hear: Hear) -> None:
        chunk = os.read(pipe, _AT_ONCE)
        if not chunk:
            self._close(pipe)
            return
        try:
            hear(chunk)
        except Exception as error:  # noqa: BLE001  # whoever waits is told
            if not self._silent.done():
                self._silent.set_exception(error)

    def _close(self, pipe: int) -> None:
        self._open.remove(pipe)
        self._loop.remove_reader(pipe)
        os.close(pipe)
        if not self._open and not self._silent.done():
            self._silent.set_result(None)

    def _watch(self) -> None:
        """Until it is gone, also when nobody waits for that any more: otherwise it would stay a zombie."""
        try:
            exit_of_it = os.pidfd_open(self._process.pid)
        except OSError:  # a kernel that does not know how to tell
            waiting = self._loop.run_in_executor(None, self._process.wait)
            waiting.add_done_callback(lambda _: self._gone.set_result(self._process.wait()))
            return
        self._loop.add_reader(exit_of_it, self._reap, exit_of_it)

    def _reap(self, exit_of_it: int) -> None:
        self._loop.remove_reader(exit_of_it)
        os.close(exit_of_it)
        self._gone.set_result(self._process.wait())


def _start(
    argv: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes, *, apart: bool
) -> tuple[subprocess.Popen[bytes], list[int]]:
    """The process, and the reading ends of its output and, if they are to be heard apart, of its errors."""
    pipes = [os.pipe() for _ in range(1 + apart)]
    theirs = [writing for _, writing in pipes]
    try:
        if stdin:
            theirs.append(_laid_down(stdin))
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=environment,
            stdin=theirs[-1] if stdin else subprocess.DEVNULL,
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


def _laid_down(stdin: bytes) -> int:
    """In a file in memory: nobody has to feed it, and who does not read it all breaks nothing."""
    file, left = os.memfd_create("stdin"), memoryview(stdin)
    while left:
        left = left[os.write(file, left) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _close_all(files: Iterable[int]) -> None:
    for file in files:
        os.close(file)
