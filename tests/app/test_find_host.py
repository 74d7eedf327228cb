"""Which running host a command may use."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from caseworker.app.processes.find_host import fits, settings_fingerprint
from caseworker.app.settings import Settings
from caseworker.engine.host import HostFile, code_fingerprint


def host_of(settings: Settings) -> HostFile:
    return HostFile(
        pid=1,
        process_started=None,
        target="",
        ui="",
        version="",
        code=code_fingerprint(),
        settings=settings_fingerprint(settings),
        started_at=datetime(2026, 11, 16, tzinfo=UTC),
    )


def test_a_host_with_another_path_serves_while_it_is_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path)
    host = host_of(settings)
    assert fits(host, settings)
    monkeypatch.setenv("PATH", "/opt/tools:/usr/bin")
    assert (fits(host, settings), fits(host, settings, with_path=False)) == (False, True)


def test_a_host_with_other_settings_does_not_serve(tmp_path: Path) -> None:
    other = Settings(home=tmp_path, budget_usd=1)
    assert not fits(host_of(Settings(home=tmp_path)), other, with_path=False)
