"""Commands are tested on SQLite: the suite of the store, `tests/edges/test_store_*`, holds PostgreSQL to the same."""

import pytest


@pytest.fixture
def backend() -> str:
    return "sqlite"
