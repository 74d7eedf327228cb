"""Limits the time of a step, and shows what the process was doing when the step is late."""

import asyncio
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Collection, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeAlias

Tasks: TypeAlias = Collection[asyncio.Task[Any]]

_FRAMES = 12
_CANCELS = 3


@asynccontextmanager
async def in_time(what: str, seconds: float) -> AsyncIterator[None]:
    """Fails if the block takes longer. The failure shows what ran shortly before the limit: later it may be gone."""
    seen: list[str] = []
    look = asyncio.get_running_loop().call_later(0.9 * seconds, lambda: seen.append(what_runs()))
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise AssertionError(f"{what} took more than {seconds:.0f} s\n{''.join(seen)}") from None
    finally:
        look.cancel()


async def end_in_time(what: str, ending: Coroutine[None, None, None], seconds: float, *, since: Tasks) -> None:
    """Like `in_time`, for a coroutine that may ignore its cancellation, such as the end of a worker with a stuck
    activity. If it is late, cancels all tasks that are not in `since`."""
    task = asyncio.create_task(ending)
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if not done:
        seen = what_runs()
        await _cancel_all(since)
        raise AssertionError(f"{what} took more than {seconds:.0f} s\n{seen}")
    task.result()


async def _cancel_all(since: Tasks) -> None:
    """Cancels the tasks more than once, as a task may ignore the first cancellation."""
    for _ in range(_CANCELS):
        left = asyncio.all_tasks() - set(since) - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=1)


def what_runs() -> str:
    """Lists every task of the event loop, every thread and every child process: one line each, innermost first."""
    tasks = [f"{task.get_name()}: {_chain(task.get_coro())}" for task in asyncio.all_tasks()]
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    threads = [f"{names.get(ident)}: {_stack(frame)}" for ident, frame in sys._current_frames().items()]
    processes = [f"{pid} {command}" for pid, command in children().items()]
    return "\n".join(["--- tasks", *sorted(tasks), "--- threads", *sorted(threads), "--- processes", *processes, ""])


def children() -> dict[int, str]:
    """The child processes of this process that still run, with their commands."""
    lists = Path("/proc/self/task").glob("*/children")
    pids = {int(pid) for children in lists for pid in _read(children).split()}
    return {pid: command for pid in sorted(pids) if (command := _command(pid))}


def _read(file: Path) -> str:
    """Returns an empty text for a thread that has ended meanwhile."""
    try:
        return file.read_text()
    except OSError:
        return ""


def _command(pid: int) -> str:
    """Returns an empty text for a process that has ended, also for a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    except OSError:
        return ""


def _chain(awaited: object) -> str:
    """Lists the awaits of a task. `Task.get_stack` has only the outermost one."""
    places: list[str] = []
    while awaited is not None:
        kind = next((kind for kind in ("cr", "gi", "ag") if hasattr(awaited, f"{kind}_frame")), None)
        frame = getattr(awaited, f"{kind}_frame") if kind else None
        if frame is None:
            places.append(repr(awaited)[:200])
            break
        places.append(_place(frame.f_code, frame.f_lineno))
        awaited = getattr(awaited, "gi_yieldfrom" if kind == "gi" else f"{kind}_await")
    return " < ".join(reversed(places))


def _stack(frame: FrameType) -> str:
    frames = list(traceback.walk_stack(frame))[:_FRAMES]
    return " < ".join(_place(inner.f_code, line) for inner, line in frames)


def _place(code: CodeType, line: int) -> str:
    return f"{'/'.join(Path(code.co_filename).parts[-2:])}:{line} {code.co_qualname}"
