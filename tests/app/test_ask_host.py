"""What a command asks the host for, and what it leaves to itself."""

from pathlib import Path

import pytest

from caseworker.app.processes.ask_host import _shared_file, ask_to_open
from caseworker.app.settings import Settings


def test_no_host_is_asked_where_none_runs(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    asked = ask_to_open(settings, issue="3", repository=None, rehearsal=None, budget_usd=None, until=None)
    assert asked is None
    assert not settings.home.exists()


def test_the_host_is_told_of_files_by_their_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "issue.md").write_text("# It is broken\n")
    monkeypatch.chdir(tmp_path)
    assert _shared_file(Path("issue.md")) == tmp_path.resolve() / "issue.md"


def test_a_file_with_another_real_name_is_read_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "issue.json").write_text("{}")
    (tmp_path / "issue.md").symlink_to(tmp_path / "issue.json")
    for name in (tmp_path / "issue.md", tmp_path / "nowhere.md", tmp_path, Path("/dev/stdin")):
        with pytest.raises(FileNotFoundError):
            _shared_file(name)
