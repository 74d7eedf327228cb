"""git inside the sandbox: it works, and shows this case only."""

import subprocess
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import LocalRepository
from caseworker.ports import Enclosure, Workspace
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, local_workspaces, new_repository

CASE = CaseId("local/calc#1")
OTHER = CaseId("local/calc#2")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = new_repository(tmp_path / "calc")
    made.commit({"calc.py": "def add(a, b):\n    return a - b - 0\n"}, "Make it worse")
    return made


@pytest.fixture
def workspaces(tmp_path: Path) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home")


def inside(tmp_path: Path, workspace: Workspace, script: str) -> str:
    enclosure = Enclosure(
        workspace=workspace.path,
        writable=True,
        environment={},
        read_only=workspace.read_only,
        overlays=workspace.overlays,
    )
    argv = Bubblewrap(tmp_path / "sandbox").command(enclosure, ["/bin/sh", "-c", script])
    done = subprocess.run(argv, env={}, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


async def test_log_status_diff_and_blame_work_inside(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    (workspace.path / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    assert inside(tmp_path, workspace, "git log --format=%s; git log -1 --format=%s main") == (
        "Make it worse\nStart\nMake it worse\n"
    )
    assert inside(tmp_path, workspace, "git status --porcelain") == " M calc.py\n"
    assert "+    return a + b" in inside(tmp_path, workspace, "git diff")
    assert "Ada" in inside(tmp_path, workspace, "git blame calc.py")
    made = await workspaces.commit(workspace, "Fix", parent=workspace.base, name="turn-1")
    assert inside(tmp_path, workspace, "git rev-parse HEAD; git status --porcelain").strip() == made
    assert "+    return a + b" in inside(tmp_path, workspace, f"git diff {workspace.base[:10]} HEAD")


async def test_a_shallow_repository_works_inside(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository.path}", "shallow")
    workspace = await workspaces.prepare(CASE, LocalRepository(path=tmp_path / "shallow"), None)
    assert inside(tmp_path, workspace, "git log --format=%s; git status --porcelain") == "Make it worse\n"


async def test_other_cases_are_not_there(workspaces: GitWorkspaces, repository: Repository, tmp_path: Path) -> None:
    repository.git("branch", "private-idea")
    other = await workspaces.prepare(OTHER, repository.ref, None)
    (other.path / "secret.py").write_text("secret\n")
    theirs = await workspaces.commit(other, "Theirs", parent=other.base, name="turn-1")
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    said = inside(tmp_path, workspace, "git for-each-ref; git log --all --format=%s; git worktree list; git branch -a")
    assert "refs/heads/main" in said
    for word in ("Theirs", theirs, "private-idea", "calc__2", "refs/remotes"):
        assert word not in said
    mirror = workspace.overlays[0][1]
    assert (
        inside(tmp_path, workspace, f"ls {mirror}/worktrees {mirror}/refs/heads").split().count("local__calc__2") == 0
    )


async def test_the_repository_can_not_be_changed_from_inside(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    mirror = workspace.overlays[0][1]
    script = f"""
git commit -qam x --allow-empty && echo GOT commit
git update-ref refs/heads/main HEAD~1 && echo GOT ref
git config core.fsmonitor evil && echo GOT config
git hash-object -w calc.py && echo GOT object
git checkout -q -b evil && echo GOT branch
git gc -q && echo GOT gc
cd {mirror}
for f in config info/attributes objects/x {workspace.git_dir}/HEAD {workspace.git_dir}/config; do
  (echo evil >> $f) && echo GOT $f
done
for f in {mirror}/objects/??/*; do rm -f $f && echo GOT $f; break; done
mkdir {mirror}/hooks && echo GOT hooks
ls {repository.path} && echo GOT the repository
echo TRIED
"""
    said = inside(tmp_path, workspace, script)
    assert "TRIED" in said
    assert "GOT" not in said
