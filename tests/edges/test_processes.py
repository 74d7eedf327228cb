"""Child processes read by the event loop: their output, and that nothing of them is left behind."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from caseworker.workspaces.child_processes import Child, Program

MORE_THAN_A_PIPE_HOLDS = b"line\n" * 300_000


class Collector:
    def __init__(self) -> None:
        self.collected = b""
        self.first = asyncio.Event()

    def add(self, chunk: bytes) -> None:
        self.collected += chunk
        self.first.set()


def start(script: str, output: Collector, *, errors: Collector | None = None, stdin: bytes = b"") -> Child:
    program = Program(argv=["/bin/sh", "-c", script], environment={"PATH": os.defpath}, stdin=stdin)
    return Child(program, on_output=output.add, on_errors=errors.add if errors is not None else None)


def open_files() -> set[str]:
    return {link.name for link in Path("/proc/self/fd").iterdir()}


async def test_output_and_errors_are_read_separately_or_together() -> None:
    output, errors, both = Collector(), Collector(), Collector()
    apart, together = start("echo out; echo err >&2; exit 3", output, errors=errors), start("echo out; ls /no", both)
    assert (await apart.ended(), await together.ended()) == (3, 2)
    assert (output.collected, errors.collected) == (b"out\n", b"err\n")
    assert both.collected.startswith(b"out\nls: ")
    await asyncio.gather(apart.end(), together.end())


async def test_a_process_may_read_all_or_nothing_of_its_stdin() -> None:
    output, deaf = Collector(), Collector()
    all_of_it = start("cat", output, stdin=MORE_THAN_A_PIPE_HOLDS)
    nothing = start("true", deaf, stdin=MORE_THAN_A_PIPE_HOLDS)
    assert (await all_of_it.ended(), await nothing.ended()) == (0, 0)
    assert output.collected == MORE_THAN_A_PIPE_HOLDS
    await asyncio.gather(all_of_it.end(), nothing.end())


async def test_an_error_of_a_callback_is_raised_to_the_waiting_caller() -> None:
    class Enough(Exception):
        pass

    class Impatient(Collector):
        def add(self, chunk: bytes) -> None:
            raise Enough

    child = start("yes", Impatient())
    with pytest.raises(Enough):
        await child.ended()
    await child.end()


async def test_end_kills_all_child_processes_and_closes_every_file(tmp_path: Path) -> None:
    os.mkfifo(held := tmp_path / "held")
    before = open_files()
    output = Collector()
    child = start(f"exec 3>{held}; sleep 2718 & echo $$; wait", output)
    all_gone = asyncio.create_task(asyncio.to_thread(held.read_bytes))
    waiting = asyncio.create_task(child.ended())
    await output.first.wait()
    waiting.cancel()
    await child.end()
    assert not os.path.exists(f"/proc/{int(output.collected)}")  # noqa: PTH110, ASYNC240  # not even as a zombie
    assert await all_gone == b""
    assert open_files() <= before


async def test_a_process_that_can_not_be_started_leaves_no_file_open() -> None:
    before = open_files()
    for folder, program in ((Path("/nowhere"), "/bin/true"), (Path("/"), "/no/program")):
        with pytest.raises(FileNotFoundError) as missing:
            Child(Program(argv=[program], folder=folder, stdin=b"words"), on_output=print, on_errors=print)
        assert str(missing.value.filename) == (str(folder) if folder != Path("/") else program)
    assert open_files() <= before


async def test_without_pidfds_the_exit_is_waited_for_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "pidfd_open", unknown)
    output = Collector()
    short, long = start("echo out; exit 4", output), start("sleep 2718", Collector())
    assert (await short.ended(), output.collected) == (4, b"out\n")
    await asyncio.gather(short.end(), long.end())
    assert await long.ended() == -9
