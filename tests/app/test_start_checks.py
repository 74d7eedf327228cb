"""What is refused before it begins: a disk without room, and a machine where the sandbox does not work."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from caseworker.app.cli.shared_options import make_console
from caseworker.app.cli.small_commands import start
from caseworker.app.processes.cluster_worker import run_worker
from caseworker.app.processes.start_checks import check_disk
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.workspaces.sandbox_limits import DISK_RESERVE


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def test_a_disk_on_which_agents_would_be_stopped_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def left(room: int) -> None:
        monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=room))

    left(DISK_RESERVE + (1 << 20))
    with pytest.raises(Refused, match=f"Only 257 MB are free where {tmp_path} lies; 512 MB are needed"):
        check_disk(tmp_path)
    left(2 * DISK_RESERVE)
    check_disk(tmp_path)


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
