"""Worktrees beside the first one of a case: as safe as it is, made anew each time, and gone when they are dropped."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId, Sha
from caseworker.ports import Enclosure, GitAnswer, Workspace
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, local_workspaces, new_repository

CASE = CaseId("local/calc#1")
OTHER = CaseId("local/calc#11")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "calc")


@pytest.fixture
def workspaces(tmp_path: Path) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home")


@pytest.fixture
async def first(workspaces: GitWorkspaces, repository: Repository) -> Workspace:
    return await workspaces.prepare(CASE, repository.ref, None)


def mirror_of(tmp_path: Path) -> Path:
    return next((tmp_path / "home/mirrors").glob("*.git"))


def inside(tmp_path: Path, workspace: Workspace, script: str) -> str:
    enclosure = Enclosure(workspace=workspace.path, writable=True, environment={}, overlays=workspace.overlays)
    argv = Bubblewrap(tmp_path / "sandbox").command(enclosure, ["/bin/sh", "-c", script])
    done = subprocess.run(argv, env={}, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


async def test_a_side_tree_is_a_worktree_of_its_own(
    workspaces: GitWorkspaces, repository: Repository, first: Workspace, tmp_path: Path
) -> None:
    before = repository.state()
    (first.path / "calc.py").write_text("half done\n")
    side = await workspaces.branch_off(first, "diagnostic-1", first.base)
    assert (side.case, side.base, side.base_branch) == (CASE, first.base, "main")
    assert side.path != first.path
    (side.path / "calc.py").write_text("def add(a, b):\n    print(a, b)\n    return a - b\n")
    made = await workspaces.commit(side, "Watch", parent=first.base, name="turn-1")
    assert await workspaces.changed(side, first.base, made) == ["calc.py"]
    assert "+    print(a, b)" in await workspaces.diff(side, first.base, made)
    assert (await workspaces.build_files(side, made)).keys() == {"README.md", "calc.py"}
    await workspaces.reset(side, first.base, scrub=True)
    assert "print" not in (side.path / "calc.py").read_text()
    assert (first.path / "calc.py").read_text() == "half done\n"
    assert git(first.path, "rev-parse", "HEAD") == first.base
    refs = git(mirror_of(tmp_path), "for-each-ref", "--format=%(refname)", "refs/caseworker").splitlines()
    prefix = "refs/caseworker/local__calc__1"
    assert refs == [f"{prefix}/base", f"{prefix}/side/diagnostic-1/start", f"{prefix}/side/diagnostic-1/turn-1"]
    assert repository.state() == before


async def test_a_checkpoint_of_a_side_tree_never_takes_the_name_of_one_of_the_first(
    workspaces: GitWorkspaces, first: Workspace, tmp_path: Path
) -> None:
    (first.path / "x").write_text("first")
    ours = await workspaces.commit(first, "Ours", parent=first.base, name="turn-1")
    side = await workspaces.branch_off(first, "d", first.base)
    (side.path / "x").write_text("side")
    theirs = await workspaces.commit(side, "Theirs", parent=first.base, name="turn-1")
    assert git(mirror_of(tmp_path), "rev-parse", "refs/caseworker/local__calc__1/turn-1") == ours != theirs


async def test_a_dropped_tree_is_gone_and_its_commits_can_still_be_compared(
    workspaces: GitWorkspaces, first: Workspace, tmp_path: Path
) -> None:
    side = await workspaces.branch_off(first, "d", first.base)
    (side.path / "x").write_text("seen\n")
    made = await workspaces.commit(side, "Watch", parent=first.base, name="turn-1")
    await workspaces.drop(side)
    await workspaces.drop(side)
    assert not side.path.parent.exists()
    assert side.git_dir is not None
    assert not side.git_dir.exists()
    git(mirror_of(tmp_path), "gc", "-q", "--prune=now")
    assert "+seen" in await workspaces.diff(first, first.base, made)
    assert git(first.path, "status", "--porcelain") == ""


async def test_what_a_dead_attempt_left_is_destroyed_first(
    workspaces: GitWorkspaces, first: Workspace, repository: Repository
) -> None:
    dead = await workspaces.branch_off(first, "d", first.base)
    assert dead.git_dir is not None
    (dead.path / "junk").write_text("1")
    (dead.path / "calc.py").unlink()
    (dead.path / "calc.py").symlink_to(repository.path / "calc.py")
    (dead.path / ".git").unlink()
    git(dead.path, "init", "-q")
    for name in ("index.lock", "HEAD.lock", "BISECT_LOG"):
        (dead.git_dir / name).touch()
    again = await workspaces.branch_off(first, "d", first.base)
    assert again == dead
    assert sorted(path.name for path in again.path.iterdir()) == [".git", "README.md", "calc.py"]
    assert not (again.path / "calc.py").is_symlink()
    assert (again.path / ".git").is_file()
    assert not (dead.git_dir / "BISECT_LOG").exists()
    half = dead.path.parent
    shutil.rmtree(dead.git_dir)
    shutil.rmtree(half / "gitview")
    assert await workspaces.branch_off(first, "d", first.base) == dead
    assert (half / "gitview/HEAD").exists()


async def test_removing_a_case_removes_its_side_trees_and_no_others(
    workspaces: GitWorkspaces, first: Workspace, repository: Repository, tmp_path: Path
) -> None:
    other = await workspaces.prepare(OTHER, repository.ref, None)
    theirs = await workspaces.branch_off(other, "d", other.base)
    mine = await workspaces.branch_off(first, "d", first.base)
    await workspaces.remove(CASE)
    assert not mine.path.exists()
    assert sorted(path.name for path in (mirror_of(tmp_path) / "worktrees").iterdir()) == [
        "local__calc__11",
        "local__calc__11+d",
    ]
    refs = git(mirror_of(tmp_path), "for-each-ref", "--format=%(refname)", "refs/caseworker")
    assert "local__calc__1/" not in refs
    assert git(theirs.path, "status", "--porcelain") == ""


async def test_inside_git_works_and_shows_neither_the_first_tree_nor_others(
    workspaces: GitWorkspaces, first: Workspace, repository: Repository, tmp_path: Path
) -> None:
    await workspaces.branch_off(first, "hidden", first.base)
    side = await workspaces.branch_off(first, "d", first.base)
    (side.path / "calc.py").write_text("x = 1\n")
    said = inside(
        tmp_path, side, "git log --format=%s; git status --porcelain; git diff; git for-each-ref; git worktree list"
    )
    assert said.startswith("Start\n M calc.py\n")
    assert "+x = 1" in said
    for word in ("hidden", "refs/caseworker", f"{first.path}\n", "refs/remotes"):
        assert word not in said
    mirror = mirror_of(tmp_path)
    attempts = f"""
ls {first.path} && echo GOT first
git commit -qam x && echo GOT commit
git update-ref refs/heads/main HEAD && echo GOT ref
for f in .git {side.git_dir}/HEAD {mirror}/config {mirror}/objects/x; do (echo evil >> $f) && echo GOT $f; done
ls {mirror}/worktrees/local__calc__1/HEAD && echo GOT worktree
echo TRIED
"""
    said = inside(tmp_path, side, attempts)
    assert "TRIED" in said
    assert "GOT" not in said


async def test_traps_in_a_side_tree_are_not_run(workspaces: GitWorkspaces, first: Workspace, tmp_path: Path) -> None:
    side = await workspaces.branch_off(first, "d", first.base)
    (tmp_path / "trap").write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n")
    (tmp_path / "trap").chmod(0o755)
    (side.path / ".git").unlink()
    git(side.path, "init", "-q")
    for name in ("core.fsmonitor", "filter.x.clean", "diff.external", "core.editor"):
        git(side.path, "config", name, str(tmp_path / "trap"))
    (side.path / ".gitattributes").write_text("* filter=x diff=x\n")
    (tmp_path / "ran").unlink(missing_ok=True)
    made = await workspaces.commit(side, "Watch", parent=first.base, name="turn-1")
    assert await workspaces.changed(side, first.base, made) == [".gitattributes"]
    await workspaces.reset(side, first.base, scrub=True)
    await workspaces.drop(side)
    assert not (tmp_path / "ran").exists()


async def test_a_commit_that_is_not_there_is_refused_and_nothing_is_made(
    workspaces: GitWorkspaces, first: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(Refused, match="has no commit 000000000000 to branch off from"):
        await workspaces.branch_off(first, "d", Sha("0" * 40))
    assert not list((tmp_path / "home/workspaces").glob("*/side/*"))


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "x.lock", "a+b", "ä"])
async def test_a_name_that_would_lead_elsewhere_is_our_mistake(
    workspaces: GitWorkspaces, first: Workspace, name: str
) -> None:
    with pytest.raises(Defect, match="can't name a side tree"):
        await workspaces.branch_off(first, name, first.base)


async def test_the_first_tree_can_not_be_dropped(workspaces: GitWorkspaces, first: Workspace) -> None:
    with pytest.raises(Defect, match="is no side tree"):
        await workspaces.drop(first)
    assert first.path.exists()


class _Stuck(SafeGit):
    """Begins to lay out a tree and never ends."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def __call__(self, *arguments: str, **options: object) -> GitAnswer:
        if arguments[0] == "reset":
            self.reached.set()
            await asyncio.Event().wait()
        return await super().__call__(*arguments, **options)  # type: ignore[arg-type]  # as they came


async def test_whoever_is_cancelled_while_branching_off_leaves_no_tree(first: Workspace, tmp_path: Path) -> None:
    stuck = _Stuck()
    making = asyncio.create_task(local_workspaces(tmp_path / "home", git=stuck).branch_off(first, "d", first.base))
    await stuck.reached.wait()
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert not list((tmp_path / "home/workspaces").glob("*/side/*"))
    assert [path.name for path in (mirror_of(tmp_path) / "worktrees").iterdir()] == ["local__calc__1"]
