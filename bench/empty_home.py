"""What a measurement in this process needs: a home with an empty database, and Temporal's server while it runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from caseworker.engine.server import TemporalServer
from caseworker.engine.temporal_address import Address
from caseworker.store.store import open_store


async def make_empty_home(folder: Path) -> Path:
    folder.mkdir(parents=True)  # noqa: ASYNC240  # nothing else runs yet
    await (await open_store(f"sqlite:///{folder / 'caseworker.db'}")).close()
    return folder


@asynccontextmanager
async def running_temporal(folder: Path) -> AsyncIterator[Address]:
    server = TemporalServer(folder)
    await server.start()
    try:
        yield server.address
    finally:
        await server.stop()
