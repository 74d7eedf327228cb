"""Submodules and files in Git LFS that are kept for cases: they count for the limit, and go when no case uses them."""

import hashlib
from pathlib import Path

import pytest

from caseworker.app.parts import make_builder, make_cache
from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.ports import Workspace
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, local_workspaces, new_repository

CASE = CaseId("local/calc#1")
FACE = "a face\n" * 4_000


class Bench:
    """A repository with a submodule and a file in LFS, as a checkout has them."""

    def __init__(self, folder: Path) -> None:
        self.repository: Repository = new_repository(folder / "calc")
        self._lay_in_lfs("face.bin", FACE)
        inner = new_repository(folder / "inner")
        inner.commit({"data.txt": "from the submodule\n"})
        self.repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "inner")
        self.repository.git("commit", "-q", "-m", "With a submodule")
        (folder / "real").mkdir()
        (folder / "home").symlink_to(folder / "real")
        self.settings = Settings(home=folder / "home", setup_hosts=[])
        self.workspaces: GitWorkspaces = local_workspaces(self.settings.home)
        self.builder = make_builder(self.settings, Bubblewrap(folder / "sandbox"), self.workspaces)

    def _lay_in_lfs(self, path: str, content: str) -> None:
        name = hashlib.sha256(content.encode()).hexdigest()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize {len(content)}\n"
        self.repository.commit({".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", path: pointer})
        kept = self.repository.path / ".git" / "lfs" / "objects" / name[:2] / name[2:4]
        kept.mkdir(parents=True)
        (kept / name).write_text(content)

    async def worktree(self) -> Workspace:
        return await self.workspaces.prepare(CASE, self.repository.ref, None)

    async def run(self, workspace: Workspace, line: str) -> str:
        command = Command(purpose=Purpose.TEST, command=line)
        return (await self.builder.run(workspace, [command], seconds=60))[0].output


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.slow
async def test_parts_that_a_case_uses_stay_and_then_go(bench: Bench) -> None:
    workspace = await bench.worktree()
    parts = make_cache(bench.settings).parts
    assert [part.in_use for part in parts.all()] == [True, True]
    assert parts.remove_unused() == (0, 0)
    await bench.workspaces.remove(CASE)
    assert parts.remove_unused()[0] == 2
    assert parts.all() == []
    workspace = await bench.worktree()
    assert await bench.run(workspace, "cat inner/data.txt; head -1 face.bin") == "from the submodule\na face\n"


@pytest.mark.slow
async def test_the_limit_counts_parts_and_removes_them_only_beyond_it(bench: Bench) -> None:
    await bench.worktree()
    await bench.workspaces.remove(CASE)
    make_cache(bench.settings).trim()
    assert len(make_cache(bench.settings).parts.all()) == 2
    make_cache(bench.settings.model_copy(update={"cache_gb": 0})).trim()
    assert make_cache(bench.settings).parts.all() == []


async def test_a_file_shared_with_the_checkout_takes_no_space_of_its_own(bench: Bench, tmp_path: Path) -> None:
    await bench.worktree()
    [kept] = [part for part in make_cache(bench.settings).parts.all() if part.path.is_file()]
    assert kept.size == 0
    [theirs] = (bench.repository.path / ".git" / "lfs").glob("objects/*/*/*")
    theirs.unlink()
    [kept] = [part for part in make_cache(bench.settings).parts.all() if part.path.is_file()]
    assert kept.size >= len(FACE)


async def test_a_part_that_is_lost_is_not_mounted_and_the_tests_run(bench: Bench) -> None:
    workspace = await bench.worktree()
    for part in make_cache(bench.settings).parts.all():
        part.path.rename(part.path.with_suffix(".lost"))
    workspace = await bench.workspaces.prepare(CASE, bench.repository.ref, workspace.base)
    assert (await bench.run(workspace, "head -1 face.bin; ls inner")).startswith("version https://git-lfs")


async def test_git_in_the_sandbox_calls_a_mounted_file_in_lfs_changed(bench: Bench) -> None:
    assert await bench.run(await bench.worktree(), "git status --porcelain --ignore-submodules") == " M face.bin\n"
