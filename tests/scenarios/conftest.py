"""One world per scenario; every history is replayed at the end."""

import gc
import json
import re
import shutil
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowHistory

from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.world.github_office import GitHubOffice, open_github_office
from tests.world.office import Office, open_office
from tests.world.world import World, open_world

FAILED = pytest.StashKey[bool]()


@pytest.fixture(autouse=True)
def warned_in_time() -> Iterator[None]:
    """Warnings about what a test left behind come at its own end, not in a later test."""
    yield
    gc.collect()


@pytest.fixture
def home(tmp_path: Path, migrated_file: Path) -> Path:
    """A home with an empty database: to copy it is faster than to migrate."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(migrated_file, home / "caseworker.db")
    return home


@pytest.fixture
async def world(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with open_world(home, await connect(temporal)) as world:
        yield world
        await end(world, request)


@pytest.fixture
async def office(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[Office]:
    async with open_office(home, await connect(temporal)) as office:
        yield office
        await end(office.world, request)


@pytest.fixture
async def github(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[GitHubOffice]:
    async with open_github_office(home, await connect(temporal)) as office:
        yield office
        await office.serving_stops()
        await end(office.world, request)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = report.failed or item.stash.get(FAILED, False)
    return report


async def end(world: World, request: pytest.FixtureRequest) -> None:
    """Replays and keeps the histories of a passed test. After a failure its cases may be in any state: skip them."""
    if request.node.stash[FAILED]:
        return
    histories = await world.end()
    folder = request.config.getoption("--keep-histories")
    if folder is not None:
        keep(Path(folder), request.node.name, histories)


def keep(folder: Path, name: str, histories: list[WorkflowHistory]) -> None:
    """Writes histories for `tests/replay`, without the machine's name and without runs that did nothing yet: those
    can't be replayed."""
    folder.mkdir(parents=True, exist_ok=True)
    begun = [history for history in histories if any(_is_done(event) for event in history.events)]
    for number, history in enumerate(reversed(begun), start=1):
        text = re.sub(r'"identity": "[^"]*"', '"identity": "worker"', history.to_json())
        text = re.sub(r'"\d+@[\w.-]+"', '"worker-sticky"', text)  # its sticky queue is named after the machine
        document = {"workflow_id": history.workflow_id, **json.loads(text)}
        path = folder / f"{name.removeprefix('test_')}-{number}.json"
        path.write_text(json.dumps(document, separators=(",", ":")) + "\n")


def _is_done(event: HistoryEvent) -> bool:
    return event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
