"""The execute-only copy of the agent's program, from which the agent runs."""

import os
import stat
from pathlib import Path

import pytest

from caseworker.agents.agent_program import execute_only
from caseworker.agents.preload import preload
from caseworker.core.base.errors import Refused


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = tmp_path / "agent"
    source.write_text("#!/bin/sh\n")
    return source


def test_the_copy_can_be_run_but_not_read_and_is_made_once(program: Path) -> None:
    copy = execute_only(program)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o111
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    made = copy.stat().st_ino
    assert execute_only(program) == copy
    assert copy.stat().st_ino == made
    assert [path.name for path in copy.parent.iterdir()] == ["agent"]


def test_a_copy_that_can_be_read_is_replaced(program: Path) -> None:
    execute_only(program).chmod(0o755)
    assert stat.S_IMODE(execute_only(program).stat().st_mode) == 0o111


def test_a_new_program_has_a_new_copy(program: Path) -> None:
    before = execute_only(program)
    program.write_text("#!/bin/sh\nexit 1\n")
    assert execute_only(program) != before


def test_a_user_without_a_home_has_it_among_the_temporary_files(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    assert execute_only(program).is_relative_to(tmp_path / f"caseworker-{os.getuid()}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_the_folder_of_another_user_is_not_used(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    folder = tmp_path / f"caseworker-{os.getuid()}"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    with pytest.raises(Refused, match="no folder for a private copy"):
        execute_only(program)


def test_a_preloaded_worker_has_the_copy_before_its_first_turn(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caseworker.agents.preload.agent_binary", lambda: program)
    preload()
    assert [path.name for path in tmp_path.glob("cache/caseworker/agent-*/*")] == ["agent"]


def test_a_worker_without_a_folder_for_the_copy_starts_all_the_same(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caseworker.agents.preload.agent_binary", lambda: program)
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")
    monkeypatch.setattr("tempfile.tempdir", "/proc")
    preload()
