"""`worker` and `host start` refuse to begin where the sandbox does not work, as `run` and `serve` do."""

import asyncio
from pathlib import Path

import pytest

from caseworker.app.cli.shared_options import make_console
from caseworker.app.cli.small_commands import start
from caseworker.app.processes.cluster_worker import run_worker
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("without_bubblewrap")
def test_host_start_is_refused_without_a_sandbox(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    with pytest.raises(Refused, match="bubblewrap"):
        start(settings, make_console(), fresh_engine=False, as_json=False)


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_worker_is_refused_without_a_sandbox(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", temporal_address="127.0.0.1:1", database_url="sqlite:///x.db")
    with pytest.raises(Refused, match="bubblewrap"):
        asyncio.run(run_worker(settings))
