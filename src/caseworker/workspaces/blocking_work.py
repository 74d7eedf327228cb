"""Runs blocking work in a thread, so that it does not block the event loop."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


async def in_thread(work: Callable[_P, _R], *arguments: _P.args, **options: _P.kwargs) -> _R:
    """Like `asyncio.to_thread`, but a cancelled caller waits for the thread, which can't be stopped.

    Otherwise the case's lock would be free while files of its worktree are still being removed.
    """
    doing = asyncio.get_running_loop().run_in_executor(None, partial(work, *arguments, **options))
    cancelled: asyncio.CancelledError | None = None
    while not doing.done():
        try:
            await asyncio.wait([doing])
        except asyncio.CancelledError as asked:
            cancelled = asked
    if cancelled is not None:
        doing.exception()  # retrieved: asyncio would log an error that nobody retrieved
        raise cancelled
    return doing.result()
