"""Set-ups that attack the machine outside of their sandbox, by what they leave for the worker to handle."""

import os
import shutil
from pathlib import Path

import pytest

from caseworker.core.ecosystems.variables import CACHE
from caseworker.workspaces.report_files import small_file
from tests.edges.test_environments import OTHER, Bench

KEY = "a key of the user's\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A folder of the user's, which no sandbox has."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "key").write_text(KEY)
    return folder


async def test_a_link_that_set_up_leaves_shows_nothing_of_the_machine(bench: Bench, secrets: Path) -> None:
    links = f"ln -s {secrets} shown; ln -s {secrets}/key one"
    for workspace in (await bench.worktree(), await bench.worktree(OTHER)):
        runs = await bench.build(workspace, "cat shown/key; cat one; ls", set_up=links)
        assert [run.purpose for run in runs] == ["setup", "test"]
        assert KEY not in runs[1].output
        assert "calc.py" in runs[1].output


async def test_a_name_with_a_line_end_shows_nothing_of_the_machine(bench: Bench, secrets: Path) -> None:
    """Files that name the worktree are written again for each other one, by their names."""
    plant = f'd="$CASEWORKER_ENV/x\n{secrets}"; mkdir -p "$d"; echo "$PWD" > "$d/key"'
    await bench.build(await bench.worktree(), "true", set_up=plant)
    runs = await bench.build(await bench.worktree(OTHER), f"cat .{secrets}/key; ls", set_up=plant)
    assert KEY not in runs[1].output
    assert "calc.py" in runs[1].output


async def test_a_link_in_the_place_of_the_downloads_deletes_nothing(bench: Bench, secrets: Path) -> None:
    plant = f'rm -rf "$CASEWORKER_ENV/{CACHE}"; ln -s {secrets} "$CASEWORKER_ENV/{CACHE}"'
    runs = await bench.build(await bench.worktree(), "true", set_up=plant)
    assert runs[0].passed
    assert (secrets / "key").read_text() == KEY


async def test_a_link_on_the_way_to_a_mount_makes_no_file_elsewhere(bench: Bench, secrets: Path) -> None:
    bench.repository.commit({"pkg/a.py": "x = 1\n"})
    await bench.build(await bench.worktree(), "true", set_up="echo 1 > pkg/made.txt")
    workspace = await bench.worktree()
    shutil.rmtree(workspace.path / "pkg")
    (workspace.path / "pkg").symlink_to(secrets)
    change = await bench.workspaces.commit(workspace, "Link", parent=workspace.base, name="turn-1")
    await bench.workspaces.reset(workspace, change, scrub=True)
    assert os.listdir(secrets) == ["key"]  # noqa: PTH208  # of a folder in memory


def test_a_huge_or_endless_file_is_not_read_into_memory(tmp_path: Path) -> None:
    """As `package.json`, which is read outside of the sandbox, to know the runner."""
    (tmp_path / "plain").write_text("{}")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(8 << 30)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "plain")
    found = {name: small_file(tmp_path / name, 1 << 20) for name in ("plain", "sparse", "pipe", "link", "none")}
    assert found == {"plain": b"{}", "sparse": None, "pipe": None, "link": None, "none": None}


async def test_a_link_in_node_modules_shows_nothing_of_the_machine(bench: Bench, secrets: Path) -> None:
    plant = f"mkdir -p node_modules/left && echo 1 > node_modules/left/x && ln -s {secrets} node_modules/shown"
    for workspace in (await bench.worktree(), await bench.worktree(OTHER)):
        runs = await bench.build(workspace, "cat node_modules/left/x node_modules/shown/key", set_up=plant)
        assert runs[1].output.startswith("1\n")
        assert KEY not in runs[1].output
