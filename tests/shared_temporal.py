"""One Temporal server for all test processes of a run. Each world has a namespace of its own, so they never meet.

A server takes about a twentieth of a processor even while nobody asks it anything. With `pytest -n` the process that
hands out the tests starts one and tells its address to the others; without, the first scenario starts one.
"""

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]  # it has no types

from caseworker.engine.server import TemporalServer
from caseworker.engine.temporal_address import Address

_LIGHT = ("worker.perNamespaceWorkerCount=0",)
"""Turns off the server's own workers per namespace: 80 such workers take 125 MB."""
_TARGET = "temporal"


class SharedTemporal:
    """A server that a thread keeps: it ends with the thread that started it."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="cw-temporal-"))
        self._server = TemporalServer(self._folder, settings=_LIGHT)
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._keep()), name="temporal")
        self._thread.start()

    @property
    def target(self) -> str:
        self._ready.wait()
        return self._server.address.target

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _keep(self) -> None:
        try:
            await self._server.start()
        finally:
            self._ready.set()
        await asyncio.to_thread(self._over.wait)
        await self._server.stop()


_SHARED = pytest.StashKey[SharedTemporal]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    config.stash[_SHARED] = shared = SharedTemporal()
    config.add_cleanup(shared.stop)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    node.workerinput[_TARGET] = node.config.stash[_SHARED].target


@pytest.fixture(scope="session")
def temporal(request: pytest.FixtureRequest) -> Iterator[Address]:
    given: dict[str, str] = getattr(request.config, "workerinput", {})
    if _TARGET in given:
        yield Address(target=given[_TARGET])
        return
    shared = SharedTemporal()
    yield Address(target=shared.target)
    shared.stop()
