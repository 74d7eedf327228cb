"""Git inside the sandbox: it works, and shows this case only."""

import subprocess
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId, Sha
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


async def test_other_cases_are_invisible_inside(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
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


LISTING = """
git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)'
git fsck --lost-found --no-progress 2>&1
git log --all --format='%H %s'
for store in $(git rev-parse --git-common-dir)/objects $(cat $(git rev-parse --git-common-dir)/objects/info/alternates)
do
  find $store -type f
  for index in $store/pack/*.idx; do git show-index < $index; done
done
git cat-file -p {theirs} && echo GOT their commit
git cat-file -p {blob} && echo GOT their file
grep -r {blob} $(git rev-parse --git-common-dir) && echo GOT their name
echo LISTED
"""


async def test_no_object_of_another_case_or_branch_is_there(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    repository.git("checkout", "-q", "-b", "private-idea")
    private = repository.commit({"idea.txt": "unshared\n"}, "An unshared idea")
    repository.git("checkout", "-q", "main")
    other = await workspaces.prepare(OTHER, repository.ref, None)
    (other.path / "secret.py").write_text("secret\n")
    theirs = await workspaces.commit(other, "Theirs", parent=other.base, name="turn-1")
    blob = repository.git("hash-object", str(other.path / "secret.py")).strip()
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    (workspace.path / "calc.py").write_text("mine\n")
    mine = await workspaces.commit(workspace, "Mine", parent=workspace.base, name="turn-1")

    said = inside(tmp_path, workspace, LISTING.format(theirs=theirs, blob=blob))

    assert "LISTED" in said
    assert mine in said
    for word in (private, theirs, blob, "GOT", "missing", "Theirs", "idea"):
        assert word not in said.replace(f"Not a valid object name {theirs}", "").replace(
            f"Not a valid object name {blob}", ""
        )


async def test_a_case_on_another_base_sees_that_bases_history_only(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    repository.git("checkout", "-q", "-b", "release", "HEAD~1")
    release = repository.commit({"notes.txt": "released\n"}, "Release")
    repository.git("checkout", "-q", "main")
    newest = repository.commit({"calc.py": "later\n"}, "Later on main")
    await workspaces.prepare(OTHER, repository.ref, None)

    workspace = await workspaces.prepare(CASE, repository.ref, Sha(release), base_branch="release")
    said = inside(tmp_path, workspace, "git log --format=%s; git cat-file --batch-all-objects --batch-check; git fsck")

    assert said.startswith("Release\nStart\n")
    assert newest not in said
    assert "missing" not in said


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
for f in $(find {mirror}/objects $(cat {mirror}/objects/info/alternates) -type f); do rm -f $f && echo GOT $f; done
mkdir {mirror}/hooks && echo GOT hooks
ls {repository.path} && echo GOT the repository
echo TRIED
"""
    said = inside(tmp_path, workspace, script)
    assert "TRIED" in said
    assert "GOT" not in said


async def test_what_a_worktree_lacks_is_found(workspaces: GitWorkspaces, repository: Repository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n"
    repository.write({".gitattributes": "*.bin filter=lfs\n", "tests/data.bin": pointer, "tests/small.txt": "x" * 130})
    (repository.path / "tests/outside").symlink_to("../../elsewhere")
    (repository.path / "tests/inside").symlink_to("small.txt")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{repository.head()},vendor/spec")
    repository.git("-c", "filter.lfs.clean=cat", "add", "tests", ".gitattributes")
    repository.git("commit", "-q", "-m", "Add parts")
    workspace = await workspaces.prepare(CASE, repository.ref, None)

    found = await workspaces.missing_parts(workspace)

    assert [(part.kind, part.path) for part in found] == [
        ("lfs", "tests/data.bin"),
        ("link", "tests/outside"),
        ("submodule", "vendor/spec"),
    ]
