"""What is installed beside Caseworker is never found by a repository's tests."""

import os
import sys
from pathlib import Path

import pytest

from caseworker.workspaces.own_programs import without_our_own
from caseworker.workspaces.sandbox import Bubblewrap
from tests.edges.test_system_files import inside


def test_our_own_folder_is_left_out_of_a_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/opt/caseworker")
    assert without_our_own("/opt/caseworker/bin:/usr/bin:/home/ada/.venv/bin") == "/usr/bin:/home/ada/.venv/bin"
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert without_our_own(f"{sys.base_prefix}/bin:/usr/bin") == f"{sys.base_prefix}/bin:/usr/bin"


def test_an_activated_environment_of_ours_is_not_in_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}")
    argv = Bubblewrap(tmp_path / "made").command(inside(tmp_path), ["true"])
    assert not [word for word in argv if word == sys.prefix or word.startswith(f"{sys.prefix}/bin")]
