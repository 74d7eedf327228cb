"""Processes that the event loop listens to: what is heard of them, and that nothing of them stays."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from caseworker.workspaces.processes import Child

MORE_THAN_A_PIPE_HOLDS = b"line\n" * 300_000


class Ear:
    def __init__(self) -> None:
        self.heard = b""
        self.first = asyncio.Event()

    def hear(self, chunk: bytes) -> None:
        self.heard += chunk
        self.first.set()


def start(script: str, ear: Ear, *, errors: Ear | None = None, stdin: bytes = b"") -> Child:
    return Child(
        ["/bin/sh", "-c", script],
        folder=Path("/"),
        environment={"PATH": os.defpath},
        on_output=ear.hear,
        on_errors=errors.hear if errors is not None else None,
        stdin=stdin,
    )


def open_files() -> set[str]:
    return {link.name for link in Path("/proc/self/fd").iterdir()}


async def test_output_and_errors_are_heard_apart_or_together_and_the_exit_code_is_told() -> None:
    output, errors, both = Ear(), Ear(), Ear()
    apart, together = start("echo out; echo err >&2; exit 3", output, errors=errors), start("echo out; ls /no", both)
    assert (await apart.ended(), await together.ended()) == (3, 2)
    assert (output.heard, errors.heard) == (b"out\n", b"err\n")
    assert both.heard.startswith(b"out\nls: ")
    await asyncio.gather(apart.end(), together.end())


async def test_it_reads_what_it_is_given_as_far_as_it_wants_to() -> None:
    ear, deaf = Ear(), Ear()
    all_of_it = start("cat", ear, stdin=MORE_THAN_A_PIPE_HOLDS)
    nothing = start("true", deaf, stdin=MORE_THAN_A_PIPE_HOLDS)
    assert (await all_of_it.ended(), await nothing.ended()) == (0, 0)
    assert ear.heard == MORE_THAN_A_PIPE_HOLDS
    await asyncio.gather(all_of_it.end(), nothing.end())


async def test_what_a_listener_raises_is_told_to_who_waits() -> None:
    class Enough(Exception):
        pass

    class Impatient(Ear):
        def hear(self, chunk: bytes) -> None:
            raise Enough

    child = start("yes", Impatient())
    with pytest.raises(Enough):
        await child.ended()
    await child.end()


async def test_its_end_is_the_end_of_all_that_it_started_and_of_every_open_file(tmp_path: Path) -> None:
    os.mkfifo(held := tmp_path / "held")
    before = open_files()
    ear = Ear()
    child = start(f"exec 3>{held}; sleep 2718 & echo $$; wait", ear)
    all_gone = asyncio.create_task(asyncio.to_thread(held.read_bytes))
    waiting = asyncio.create_task(child.ended())
    await ear.first.wait()
    waiting.cancel()
    await child.end()
    assert not os.path.exists(f"/proc/{int(ear.heard)}")  # noqa: PTH110, ASYNC240  # not even as a zombie
    assert await all_gone == b""
    assert open_files() <= before


async def test_one_that_can_not_be_started_leaves_no_file_open() -> None:
    before = open_files()
    for folder, program in ((Path("/nowhere"), "/bin/true"), (Path("/"), "/no/program")):
        with pytest.raises(FileNotFoundError) as missing:
            Child([program], folder=folder, environment={}, on_output=print, on_errors=print, stdin=b"words")
        assert str(missing.value.filename) == (str(folder) if folder != Path("/") else program)
    assert open_files() <= before


async def test_where_the_kernel_does_not_tell_of_an_exit_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "pidfd_open", unknown)
    ear = Ear()
    short, long = start("echo out; exit 4", ear), start("sleep 2718", Ear())
    assert (await short.ended(), ear.heard) == (4, b"out\n")
    await asyncio.gather(short.end(), long.end())
    assert await long.ended() == -9
