"""The files of /etc and /sys inside a sandbox: copies that are as the system's, and made anew when these change."""

import subprocess
from pathlib import Path

import pytest

from caseworker.ports import Enclosure
from caseworker.workspaces import system_files
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.system_files import lay_system_files


def inside(workspace: Path) -> Enclosure:
    return Enclosure(workspace=workspace, writable=False, environment={})


def test_a_changed_file_of_the_system_makes_another_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    etc = tmp_path / "etc"
    (etc / "fonts").mkdir(parents=True)
    (etc / "services").write_text("ssh 22/tcp\n")
    (etc / "fonts" / "a.conf").write_text("one")
    (etc / "fonts" / "b.conf").symlink_to("a.conf")
    monkeypatch.setattr(system_files, "_ETC", etc)
    first = lay_system_files(tmp_path / "made")
    assert lay_system_files(tmp_path / "made") == first
    (etc / "fonts" / "a.conf").write_text("another")
    second = lay_system_files(tmp_path / "made")
    assert second.folder != first.folder
    assert [(one.folder / "etc/fonts/b.conf").read_text() for one in (first, second)] == ["one", "another"]
    assert (second.folder / "etc/fonts/b.conf").is_symlink()


def test_what_not_everyone_may_read_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    etc = tmp_path / "etc"
    (etc / "php" / "secrets").mkdir(parents=True)
    (etc / "php" / "php.ini").write_text("")
    (etc / "php" / "password").write_text("s3cret")
    (etc / "php" / "password").chmod(0o600)
    (etc / "php" / "secrets").chmod(0o700)
    monkeypatch.setattr(system_files, "_ETC", etc)
    made = lay_system_files(tmp_path / "made").folder / "etc" / "php"
    assert sorted(path.name for path in made.iterdir()) == ["php.ini"]


def test_inside_they_are_as_outside_and_an_exposed_folder_of_etc_is_there(tmp_path: Path) -> None:
    shown = next(path for path in (Path("/etc/apt"), Path("/etc/dpkg"), Path("/etc/default")) if path.is_dir())
    sandbox = Bubblewrap(tmp_path / "made", expose=(shown,))
    question = f"cat /etc/ld.so.cache /etc/services /sys/devices/system/cpu/online; ls /etc/ssl/certs {shown}"
    told = subprocess.run(
        sandbox.command(inside(tmp_path), ["sh", "-c", question]), capture_output=True, env={}, check=True
    )
    same = subprocess.run(["sh", "-c", question], capture_output=True, env={"LANG": "C.UTF-8"}, check=True)
    assert told.stdout == same.stdout
