"""Locks of refs that a killed git left behind: ours are cleared for the next try, those of people are not touched."""

import os
from pathlib import Path

import pytest

from caseworker.core.base.errors import Transient
from caseworker.workspaces.git import SafeGit

OURS = ["refs/caseworker/acme__shop__7/base", "refs/bases/abc", "refs/heads/agent/issue-7"]


@pytest.fixture
async def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "mirror.git"
    await SafeGit()("init", "--quiet", "--bare", str(folder))
    return folder


async def update(repository: Path, ref: str) -> None:
    git = SafeGit()
    tree = (await git("mktree", git_dir=repository)).output.decode().strip()
    commit = (await git("commit-tree", tree, "-m", "One", git_dir=repository)).output.decode().strip()
    await git("update-ref", ref, commit, git_dir=repository)


def locked(repository: Path, ref: str, *, seconds: float) -> Path:
    """As git leaves it when it is killed."""
    lock = repository / f"{ref}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    then = lock.stat().st_mtime - seconds
    os.utime(lock, (then, then))
    return lock


@pytest.mark.parametrize("ref", OURS)
async def test_a_lock_that_a_killed_git_left_stops_one_try_only(repository: Path, ref: str) -> None:
    locked(repository, ref, seconds=60)
    with pytest.raises(Transient, match="cannot lock ref"):
        await update(repository, ref)
    await update(repository, ref)


async def test_a_lock_that_a_git_may_hold_now_is_left(repository: Path) -> None:
    lock = locked(repository, OURS[0], seconds=0)
    with pytest.raises(Transient, match="cannot lock ref"):
        await update(repository, OURS[0])
    assert lock.exists()


async def test_the_lock_of_a_persons_branch_is_left(repository: Path) -> None:
    lock = locked(repository, "refs/heads/main", seconds=6_000)
    with pytest.raises(Transient, match="cannot lock ref"):
        await update(repository, "refs/heads/main")
    assert lock.exists()
