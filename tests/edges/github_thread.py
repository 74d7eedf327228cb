"""Our own GitHub served from a thread, for judges that are programs of their own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caseworker.github_double.double_server import GitHubDouble


@contextmanager
def served(double: GitHubDouble, uds: Path) -> Iterator[GitHubDouble]:
    """Serves on TCP and on the Unix socket `uds` until the block ends."""
    is_up, is_over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with double.serving(uds=uds):
            is_up.set()
            await is_over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    try:
        assert is_up.wait(timeout=30)
        yield double
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join(timeout=30)
        loop.close()
