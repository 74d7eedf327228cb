"""A lock between processes of one machine. Waiting for it does not block the event loop."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from caseworker.core.base.errors import Transient

_LOOK_AGAIN_SECONDS = 0.05


@asynccontextmanager
async def locked(path: Path, *, seconds: float, busy: str) -> AsyncIterator[None]:
    """Holds the lock; the kernel frees it when the process dies. After `seconds`, raises `Transient` with `busy`."""
    deadline = asyncio.get_running_loop().time() + seconds
    while (descriptor := _try_lock(path)) is None:
        if asyncio.get_running_loop().time() >= deadline:
            raise Transient(busy)
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    try:
        yield
    finally:
        os.close(descriptor)


def _try_lock(path: Path) -> int | None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The file may have been removed with its workspace while we opened it: then our lock would lock out nobody.
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
