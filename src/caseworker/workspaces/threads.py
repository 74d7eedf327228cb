"""Work that blocks, done beside the event loop. What the work is does not matter here."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


async def in_thread(work: Callable[_P, _R], *arguments: _P.args, **options: _P.kwargs) -> _R:
    """Unlike `asyncio.to_thread` it leaves nothing running: a thread can't be stopped, so whoever is cancelled waits
    for its end. Otherwise the case's lock would be free while files of its worktree still vanish."""
    doing = asyncio.get_running_loop().run_in_executor(None, partial(work, *arguments, **options))
    cancelled: asyncio.CancelledError | None = None
    while not doing.done():
        try:
            await asyncio.wait([doing])
        except asyncio.CancelledError as asked:
            cancelled = asked
    if cancelled is not None:
        doing.exception()  # looked at, so that asyncio does not complain
        raise cancelled
    return doing.result()
