"""Pages and API in one process with a real store. The dashboard is tested on SQLite: the store's own suite holds
PostgreSQL to the same."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.store.store import Store
from tests.dashboard.visitor import Visitor, visit


@pytest.fixture
def backend() -> str:
    return "sqlite"


@pytest.fixture
async def visitor(store: Store, tmp_path: Path) -> AsyncIterator[Visitor]:
    """Somebody who opened the link of `caseworker open`."""
    async with visit(store, tmp_path) as visitor:
        await visitor.enters()
        yield visitor
