"""An agent fills the worktree with traps; our git, outside the sandbox, must neither run them nor be misled."""

import asyncio
import multiprocessing
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from caseworker.core.base.errors import Defect, Refused, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import LocalRepository
from caseworker.ports import Workspace
from caseworker.workspaces import checkpoints, folders
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, local_workspaces, new_repository

CASE = CaseId("local/calc#1")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    files = {"calc.py": "x = 1\n", "src/deep/a.py": "a = 1\n", ".gitignore": "*.log\n"}
    return new_repository(tmp_path / "calc", files)


@pytest.fixture
def workspaces(tmp_path: Path) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home")


@pytest.fixture
async def workspace(workspaces: GitWorkspaces, repository: Repository) -> Workspace:
    return await workspaces.prepare(CASE, repository.ref, None)


def program(path: Path, touches: Path) -> str:
    path.write_text(f"#!/bin/sh\necho ran >> {touches}\ncat\n")
    path.chmod(0o755)
    return str(path)


def malicious_repository(folder: Path, trap: str) -> None:
    """A repository with every setting that makes git start a program."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    (folder / "inner.py").write_text("inner = 1\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Trap")
    for name in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv"):
        git(folder, "config", name, trap)
    for name in ("diff.external", "core.editor", "core.pager", "core.sshCommand", "gpg.program", "core.askPass"):
        git(folder, "config", name, trap)
    git(folder, "config", "core.worktree", "/")
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")
    for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-commit"):
        (folder / ".git/hooks").mkdir(exist_ok=True)
        (folder / ".git/hooks" / hook).write_text(f"#!/bin/sh\n{trap}\n")
        (folder / ".git/hooks" / hook).chmod(0o755)


def nested_in_a_new_folder(tree: Path, trap: str) -> None:
    malicious_repository(tree / "nested", trap)
    malicious_repository(tree / "nested/again", trap)


def nested_in_a_tracked_folder(tree: Path, trap: str) -> None:
    malicious_repository(tree / "src/deep", trap)


def in_place_of_the_git_file(tree: Path, trap: str) -> None:
    (tree / ".git").unlink()
    malicious_repository(tree, trap)


def a_git_file_that_points_elsewhere(tree: Path, trap: str) -> None:
    malicious_repository(tree.parent.parent / "elsewhere", trap)
    (tree / ".git").write_text(f"gitdir: {tree.parent.parent}/elsewhere/.git\n")
    (tree / "sub").mkdir()
    (tree / "sub/.git").write_text(f"gitdir: {tree.parent.parent}/elsewhere/.git\n")


def a_git_link(tree: Path, trap: str) -> None:
    malicious_repository(tree.parent.parent / "elsewhere", trap)
    (tree / ".git").unlink()
    (tree / ".git").symlink_to(tree.parent.parent / "elsewhere/.git")


def attributes_and_modules(tree: Path, trap: str) -> None:
    lines = "* filter=x diff=x merge=x text eol=crlf ident working-tree-encoding=UTF-16 export-subst\n*.py -diff\n"
    (tree / ".gitattributes").write_text(lines)
    (tree / ".gitmodules").write_text(f'[submodule "x"]\n\tpath = x\n\turl = ext::{trap}\n\tupdate = !{trap}\n')
    (tree / ".lfsconfig").write_text(f"[lfs]\n\turl = {trap}\n")
    (tree / "src/deep/bare").mkdir()
    git(tree / "src/deep/bare", "init", "-q", "--bare")


TRAPS = [
    nested_in_a_new_folder,
    nested_in_a_tracked_folder,
    in_place_of_the_git_file,
    a_git_file_that_points_elsewhere,
    a_git_link,
    attributes_and_modules,
]


@pytest.mark.parametrize("lay", TRAPS)
async def test_no_trap_is_run_and_the_commit_is_right(
    lay: Callable[[Path, str], None], workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    trap = program(tmp_path / "trap", ran)
    (workspace.path / "calc.py").write_text("x = 2\n")
    lay(workspace.path, trap)
    ran.unlink(missing_ok=True)  # making the trap may have run it already
    made = await workspaces.commit(workspace, "Do it", parent=workspace.base, name="turn-1")
    assert "calc.py" in await workspaces.changed(workspace, workspace.base, made)
    diff = await workspaces.diff(workspace, workspace.base, made)
    assert "+x = 2" in diff
    assert "Subproject commit" not in diff
    await workspaces.reset(workspace, made, scrub=False)
    await workspaces.reset(workspace, workspace.base, scrub=True)
    again = await workspaces.prepare(CASE, LocalRepository(path=tmp_path / "calc"), workspace.base)
    assert not ran.exists()
    assert (again.path / ".git").read_text() == f"gitdir: {workspace.git_dir}\n"
    assert (again.path / "calc.py").read_text() == "x = 1\n"
    assert not list(again.path.rglob("*/.git"))


async def test_a_nested_repository_is_committed_as_plain_files(
    workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path
) -> None:
    nested_in_a_new_folder(workspace.path, program(tmp_path / "trap", tmp_path / "ran"))
    made = await workspaces.commit(workspace, "Do it", parent=workspace.base, name="turn-1")
    changed = await workspaces.changed(workspace, workspace.base, made)
    assert {"nested/inner.py", "nested/again/inner.py"} <= set(changed)


async def test_links_are_kept_as_links_and_never_followed(
    workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep/a.py").write_text("secret\n")
    (outside / "keep.txt").write_text("keep")
    (workspace.path / "key").symlink_to(outside / "keep.txt")
    (workspace.path / "calc.py").unlink()
    (workspace.path / "calc.py").symlink_to(outside / "keep.txt")
    (workspace.path / "src").rename(tmp_path / "moved")
    (workspace.path / "src").symlink_to(outside)
    made = await workspaces.commit(workspace, "Do it", parent=workspace.base, name="turn-1")
    listing = git(workspace.path, "ls-tree", "-r", made)
    assert [line.split()[0] for line in listing.splitlines()] == ["100644", "120000", "120000", "120000"]
    assert "secret" not in await workspaces.diff(workspace, workspace.base, made)
    await workspaces.reset(workspace, workspace.base, scrub=True)
    assert (workspace.path / "src/deep/a.py").read_text() == "a = 1\n"
    assert (outside / "deep/a.py").read_text() == "secret\n"
    assert (outside / "keep.txt").read_text() == "keep"


async def test_a_huge_file_is_refused_with_a_sentence(workspaces: GitWorkspaces, workspace: Workspace) -> None:
    with (workspace.path / "big\n.bin").open("wb") as file:
        file.truncate(checkpoints.MAX_FILE_BYTES + (1 << 20))
    with pytest.raises(Refused) as refused:
        await workspaces.commit(workspace, "Do it", parent=workspace.base, name="turn-1")
    assert str(refused.value) == "big\\n.bin has 51 MB; a file may have 50 MB."


async def test_odd_files_do_no_harm(workspaces: GitWorkspaces, workspace: Workspace) -> None:
    tree = workspace.path
    os.mkfifo(tree / "pipe")
    os.mkfifo(tree / "src/pipe")
    names = ["-rf", "--force", ":(top)", "a\nb\tc", '"quoted"', "*", " ", "é", "\udcff\udcfe"]
    for name in names:
        (tree / name).write_text("1")
    made = await workspaces.commit(workspace, "-m --amend\n\n\x1b[31m", parent=workspace.base, name="turn-1")
    assert len(await workspaces.changed(workspace, workspace.base, made)) == len(names)
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert not (tree / "pipe").exists()
    assert sorted(path.name for path in tree.iterdir()) == [".git", ".gitignore", "calc.py", "src"]


async def test_folders_whose_path_is_too_long_are_removed(workspaces: GitWorkspaces, workspace: Workspace) -> None:
    here = os.open(workspace.path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    await workspaces.reset(workspace, workspace.base, scrub=True)
    assert sorted(path.name for path in workspace.path.iterdir()) == [".git", ".gitignore", "calc.py", "src"]
    await workspaces.remove(CASE)


@pytest.mark.parametrize("scrub", [True, False])
async def test_a_link_in_place_of_the_case_file_is_removed_before_we_write(
    workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path, scrub: bool
) -> None:
    (workspace.path / "issue-state.json").symlink_to(tmp_path / "somewhere")
    (workspace.path / ".caseworker").symlink_to(tmp_path)
    await workspaces.reset(workspace, workspace.base, scrub=scrub)
    assert sorted(path.name for path in workspace.path.iterdir()) == [".git", ".gitignore", "calc.py", "src"]


async def test_folders_are_removed_in_a_thread(
    workspaces: GitWorkspaces, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: dict[str, threading.Thread] = {}
    remove = folders.remove_folder

    def watched(folder: Path) -> None:
        removed[folder.name] = threading.current_thread()
        remove(folder)

    monkeypatch.setattr(folders, "remove_folder", watched)
    (workspace.path / ".git").unlink()
    for name in (".caseworker", ".git"):
        (workspace.path / name / "deep").mkdir(parents=True)
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert sorted(removed) == [".caseworker", ".git"]
    assert threading.main_thread() not in removed.values()


async def test_a_stale_lock_of_a_killed_git_does_not_stop_the_next_attempt(
    workspaces: GitWorkspaces, workspace: Workspace
) -> None:
    assert workspace.git_dir is not None
    (workspace.git_dir / "index.lock").touch()
    await workspaces.reset(workspace, workspace.base, scrub=True)


async def test_git_may_never_search_for_a_repository_by_itself() -> None:
    with pytest.raises(Defect, match="wherever we happen to be"):
        await SafeGit()("status")


async def test_git_that_hangs_or_prints_too_much_is_ended(workspace: Workspace) -> None:
    fifo = workspace.path.parent / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(Transient, match=r"git hash-object took longer than 0 s"):
        await SafeGit(seconds=0.3)("hash-object", "--no-filters", str(fifo), git_dir=workspace.git_dir)
    with pytest.raises(Refused, match="answered with more than 0 MB"):
        await SafeGit(output_bytes=10)("cat-file", "-p", workspace.base, git_dir=workspace.git_dir)


def as_nobody(work: Callable[[], None]) -> int | None:
    """Runs the work in a process that has given up root, and returns its exit code."""

    def give_up_root_and_work() -> None:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        work()

    process = multiprocessing.get_context("fork").Process(target=give_up_root_and_work)
    process.start()
    process.join()
    return process.exitcode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_folders_whose_permissions_were_taken_away_are_read_reset_and_removed() -> None:
    """Run as an ordinary user, because root can read everything."""
    with tempfile.TemporaryDirectory() as folder:
        repository = new_repository(Path(folder) / "calc")
        for path in (Path(folder), repository.path, *repository.path.rglob("*")):
            os.chown(path, 65534, 65534)

        def work() -> None:
            asyncio.run(take_permissions_away(local_workspaces(Path(folder) / "home"), repository))

        assert as_nobody(work) == 0


async def take_permissions_away(workspaces: GitWorkspaces, repository: Repository) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    locked = workspace.path / "locked"
    for act in ("commit", "reset", "remove"):
        locked.mkdir()
        (locked / "file.py").write_text("1\n")
        (locked / "file.py").chmod(0)
        locked.chmod(0)
        if act == "commit":
            made = await workspaces.commit(workspace, "Do it", parent=workspace.base, name="turn-1")
            assert await workspaces.changed(workspace, workspace.base, made) == ["locked/file.py"]
            locked.chmod(0)
        if act != "remove":
            await workspaces.reset(workspace, workspace.base, scrub=True)
            assert not locked.exists()
    await workspaces.remove(CASE)
    assert not workspace.path.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
async def test_a_repository_of_another_user_works(workspaces: GitWorkspaces, repository: Repository) -> None:
    for path in (repository.path, *repository.path.rglob("*")):
        os.chown(path, 65534, 65534)
    assert (await workspaces.prepare(CASE, repository.ref, None)).base_branch == "main"
