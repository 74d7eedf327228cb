"""`caseworker doctor` where nothing can be written: it tells that first, and ends in order."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.doctor import examine


async def test_a_full_disk_is_told_by_name_and_no_check_writes_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caseworker.app.processes.start_checks._NEEDED_BYTES", 10**18)
    console = Console(file=io.StringIO(), width=400)
    assert await examine(Settings(home=tmp_path / "home"), console, as_json=False) == 1
    said = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert f" are free where {tmp_path / 'home'} lies" in said
    assert "Free some space, or set CASEWORKER_HOME to a folder on another disk." in said
    assert "sandbox" not in said
