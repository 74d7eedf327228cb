"""Options and fixtures of the whole suite."""

import gc
import logging
import os
import time
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.shared_caches import share

# On a busy machine one example may take long; no test asserts a time.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# structlog's default draws every traceback with rich, which takes longer than a surface waits for an answer.
structlog.configure(processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()])

# Times are shown in the zone of the machine; the tests know this one.
os.environ["TZ"] = "UTC"
time.tzset()

# Tests and modules stay until the end: without looking through them for garbage, collecting takes 5.5 s instead of 9.
gc.disable()

# New repositories get no sample hooks: that is half of the files that the tests write.
os.environ["GIT_TEMPLATE_DIR"] = ""
# And no commit of a test starts another program that looks whether there is garbage.
os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}

share()

pytest_plugins = ["tests.databases", "tests.shared_temporal"]


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """A command that a test calls sets its logs up, on a standard error that may be closed afterwards."""
    known, root = structlog.get_config(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.configure(**known)
    root.handlers, root.level = handlers, level


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-histories", default=None, help="a folder for the workflow histories of the scenarios")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first: then the short ones fill the gaps, and no worker is left alone at the end."""
    items.sort(key=lambda item: item.path.parent.name != "scenarios")


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()
