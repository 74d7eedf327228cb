"""Worktrees of cases: made, lost, rebuilt, committed and removed. The person's repository is never changed."""

import asyncio
import multiprocessing
import shutil
import threading
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.repositories import LocalRepository
from caseworker.forges.local_folders import look
from caseworker.ports import Workspace
from caseworker.workspaces.blocking_work import in_thread
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.inspection import change_between
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, local_workspaces, new_repository

CASE = CaseId("local/calc#1")
OTHER = CaseId("local/calc#2")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "calc")


@pytest.fixture
def workspaces(tmp_path: Path) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home", lock_seconds=0.2)


async def committed(
    workspaces: GitWorkspaces, workspace: Workspace, files: dict[str, str], *, parent: Sha, name: str = "turn-1"
) -> Sha:
    for path, text in files.items():
        (workspace.path / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace.path / path).write_text(text)
    return await workspaces.commit(workspace, "Do it", parent=parent, name=name)


async def test_a_case_gets_a_worktree_of_the_default_branch_as_it_is_now(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    assert workspace.base == repository.head()
    assert workspace.base_branch == "main"
    assert sorted(path.name for path in workspace.path.iterdir()) == [".git", "README.md", "calc.py"]


async def test_a_dirty_checkout_on_a_feature_branch_works_and_stays_dirty(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    repository.git("switch", "-q", "-c", "feature")
    head = repository.commit({"new.py": "1\n"})
    repository.write({"calc.py": "dirty\n", "untracked.txt": "mine\n"})
    before = repository.state()
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    assert (workspace.base, workspace.base_branch) == (head, "feature")
    assert (workspace.path / "calc.py").read_text().startswith("def add")
    assert repository.state() == before


async def test_a_detached_checkout_starts_from_that_commit(workspaces: GitWorkspaces, repository: Repository) -> None:
    first = repository.head()
    repository.commit({"later.py": "1\n"})
    repository.git("switch", "-q", "--detach", first)
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    assert (workspace.base, workspace.base_branch) == (first, "main")


async def test_a_shallow_checkout_works(workspaces: GitWorkspaces, repository: Repository, tmp_path: Path) -> None:
    repository.commit({"calc.py": "def add(a, b):\n    return a + b\n"})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository.path}", "shallow")
    workspace = await workspaces.prepare(CASE, LocalRepository(path=tmp_path / "shallow"), None)
    made = await committed(workspaces, workspace, {"x.py": "1\n"}, parent=workspace.base)
    assert await workspaces.changed(workspace, workspace.base, made) == ["x.py"]


async def test_a_bare_repository_works(workspaces: GitWorkspaces, repository: Repository, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository.path), "bare.git")
    workspace = await workspaces.prepare(CASE, LocalRepository(path=tmp_path / "bare.git"), None)
    assert (workspace.path / "calc.py").exists()


async def test_a_commit_has_the_whole_worktree_without_our_own_files(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    (workspace.path / "README.md").unlink()
    files = {"calc.py": "fixed\n", "deep/er/new\nline.py": "1\n", "issue-state.json": "{}", ".caseworker/PLAN.md": "x"}
    made = await committed(workspaces, workspace, files, parent=workspace.base)
    changed = await workspaces.changed(workspace, workspace.base, made)
    assert changed == ["README.md", "calc.py", "deep/er/new\nline.py"]
    diff = await workspaces.diff(workspace, workspace.base, made)
    assert "+fixed" in diff
    assert "issue-state" not in diff
    assert "PLAN.md" not in diff
    log = git(workspace.path, "log", "-1", "--format=%an <%ae> %s")
    assert log == "Caseworker <caseworker@localhost> Do it"
    assert git(workspace.path, "status", "--porcelain") == ""


async def test_without_changes_there_is_no_new_commit(workspaces: GitWorkspaces, repository: Repository) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    files = {"issue-state.json": "{}"}
    assert await committed(workspaces, workspace, files, parent=workspace.base) == workspace.base


async def test_a_file_may_become_a_folder_and_a_folder_a_file(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    first = await committed(workspaces, workspace, {"a": "1", "b/c": "2"}, parent=workspace.base)
    (workspace.path / "a").unlink()
    shutil.rmtree(workspace.path / "b")
    second = await committed(workspaces, workspace, {"a/x": "3", "b": "4"}, parent=first, name="turn-2")
    assert await workspaces.changed(workspace, first, second) == ["a", "a/x", "b", "b/c"]


async def test_reset_restores_the_commit_and_scrub_removes_ignored_files_too(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    made = await committed(workspaces, workspace, {".gitignore": "*.log\n"}, parent=workspace.base)
    for name in ("calc.py", "junk.py", "build.log"):
        (workspace.path / name).write_text("junk")
    await workspaces.reset(workspace, made, scrub=False)
    assert not (workspace.path / "junk.py").exists()
    assert (workspace.path / "build.log").exists()
    assert (workspace.path / "calc.py").read_text() != "junk"
    await workspaces.reset(workspace, made, scrub=True)
    assert not (workspace.path / "build.log").exists()
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert git(workspace.path, "rev-parse", "HEAD") == workspace.base


async def test_a_lost_worktree_is_rebuilt_and_its_checkpoints_are_still_there(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    made = await committed(workspaces, workspace, {"x.py": "1\n"}, parent=workspace.base)
    shutil.rmtree(tmp_path / "home" / "workspaces")
    shutil.rmtree(repository.path)
    repository.path.mkdir()  # the repository is gone, too
    with pytest.raises(Refused, match="is not a git repository"):
        await workspaces.prepare(CASE, repository.ref, workspace.base)
    repository.git("init", "-q")
    repository.commit({"unrelated": "1"})
    again = await workspaces.prepare(CASE, repository.ref, workspace.base)
    assert again.path == workspace.path
    await workspaces.reset(again, made, scrub=True)
    assert (again.path / "x.py").read_text() == "1\n"


async def test_an_existing_worktree_is_left_alone(workspaces: GitWorkspaces, repository: Repository) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    (workspace.path / "half-done.py").write_text("1")
    assert await workspaces.prepare(CASE, repository.ref, workspace.base) == workspace
    assert (workspace.path / "half-done.py").exists()


async def test_build_files_are_root_files_with_contents_and_all_paths(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    files = {"Makefile": "test:\n\ttrue\n", "sub/Makefile": "x"}
    made = await committed(workspaces, workspace, files, parent=workspace.base)
    found = await workspaces.build_files(workspace, made)
    assert found == {"Makefile": "test:\n\ttrue\n", "README.md": "", "calc.py": "", "sub/Makefile": ""}


async def test_removing_a_case_removes_all_of_it_and_nothing_of_others(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    mine = await workspaces.prepare(CASE, repository.ref, None)
    other = await workspaces.prepare(OTHER, repository.ref, None)
    await committed(workspaces, mine, {"x.py": "1\n"}, parent=mine.base)
    await committed(workspaces, other, {"y.py": "1\n"}, parent=other.base)
    await workspaces.remove(CASE)
    await workspaces.remove(CASE)
    assert [path.name for path in (tmp_path / "home" / "workspaces").iterdir()] == ["local__calc__2"]
    mirror = next((tmp_path / "home" / "mirrors").glob("*.git"))
    refs = git(mirror, "for-each-ref", "--format=%(refname)", "refs/caseworker").splitlines()
    assert refs == ["refs/caseworker/local__calc__2/base", "refs/caseworker/local__calc__2/turn-1"]
    assert [path.name for path in (mirror / "worktrees").iterdir()] == ["local__calc__2"]
    assert git(other.path, "status", "--porcelain") == ""


async def test_unmerged_work_of_a_removed_case_can_be_kept_and_read(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    made = await committed(workspaces, workspace, {"x.py": "1\n"}, parent=workspace.base)
    for _ in range(2):
        await workspaces.remove(CASE, keep=made)
    mirror = next((tmp_path / "home" / "mirrors").glob("*.git"))
    git(mirror, "gc", "--quiet", "--prune=now")
    refs = git(mirror, "for-each-ref", "--format=%(refname)", "refs/caseworker").splitlines()
    assert refs == ["refs/caseworker/local__calc__1/kept"]
    shown = await change_between(tmp_path / "home", repository.ref, workspace.base, made)
    assert "+++ b/x.py\n@@ -0,0 +1 @@\n+1\n" in shown
    again = await workspaces.prepare(CASE, repository.ref, workspace.base)
    await workspaces.reset(again, made, scrub=True)
    assert (again.path / "x.py").read_text() == "1\n"
    await workspaces.remove(CASE)
    assert git(mirror, "for-each-ref", "refs/caseworker") == ""
    with pytest.raises(Refused, match=r"There is no work of"):
        await change_between(tmp_path / "elsewhere", repository.ref, workspace.base, made)


def _prepare(home: Path, repository: LocalRepository, number: int) -> str:
    workspace = asyncio.run(local_workspaces(home).prepare(CaseId(f"local/calc#{number}"), repository, None))
    return str(workspace.path)


@pytest.mark.slow
async def test_processes_may_prepare_cases_of_one_repository_at_the_same_time(
    repository: Repository, tmp_path: Path
) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        jobs = [(tmp_path / "home", repository.ref, number) for number in range(1, 5)]
        paths = await asyncio.to_thread(pool.starmap, _prepare, jobs)
    assert len({(Path(path) / "calc.py").read_text() for path in paths}) == 1
    assert len(set(paths)) == 4


async def test_only_one_attempt_holds_a_case_and_the_next_has_to_retry(workspaces: GitWorkspaces) -> None:
    async with workspaces.hold(CASE):
        async with workspaces.hold(OTHER):
            pass
        with pytest.raises(Transient, match="another attempt at local/calc#1"):
            async with workspaces.hold(CASE):
                pass
    async with workspaces.hold(CASE):
        pass


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        ("true", "is not a git repository. Name one, or make it one"),
        ("git init -q", "has no commit yet. Make one"),
        ("rmdir ../place", "is not a folder"),
    ],
)
async def test_an_unusable_path_is_refused_with_what_to_do(make: str, sentence: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = await asyncio.create_subprocess_shell(make, cwd=place)
    assert await process.wait() == 0
    with pytest.raises(Refused) as refused:
        await look(place, SafeGit())
    assert sentence in str(refused.value)


async def test_look_finds_the_top_of_the_repository(repository: Repository) -> None:
    (repository.path / "deep").mkdir()
    found = await look(repository.path / "deep", SafeGit())
    assert (found.path, found.head.branch, found.head.commit) == (repository.path, "main", repository.head())
    with pytest.raises(Refused, match="is the inside of a repository"):
        await look(repository.path / ".git", SafeGit())


async def test_a_submodule_is_refused_and_a_repository_with_one_works(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    whole = new_repository(tmp_path / "whole")
    whole.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository.path), "part")
    whole.git("commit", "-q", "-m", "With a part")
    with pytest.raises(Refused, match="is a submodule of"):
        await look(whole.path / "part", SafeGit())
    workspace = await workspaces.prepare(CASE, whole.ref, None)
    made = await committed(workspaces, workspace, {"x.py": "1\n"}, parent=workspace.base)
    assert await workspaces.changed(workspace, workspace.base, made) == ["x.py"]


async def test_by_products_of_builds_are_not_committed(workspaces: GitWorkspaces, repository: Repository) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    files = {"__pycache__/a.cpython-311.pyc": "x", "node_modules/dependency.js": "1", "new.py": "x = 1\n"}
    commit = await committed(workspaces, workspace, files, parent=workspace.base)
    assert await workspaces.changed(workspace, workspace.base, commit) == ["new.py"]


async def test_commits_are_synced_to_the_disk(workspaces: GitWorkspaces, repository: Repository) -> None:
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    assert (await SafeGit()("config", "core.fsync", git_dir=workspace.git_dir)).text == "committed"


async def test_a_cancelled_caller_waits_for_its_thread() -> None:
    began, may_end, ended = asyncio.Event(), threading.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(began.set)
        may_end.wait(10)
        ended.set()

    task = asyncio.create_task(in_thread(work))
    await began.wait()
    for _ in range(2):  # cancelled twice, as an impatient caller does
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_results_and_errors_of_a_thread_are_passed_on() -> None:
    assert await in_thread(int, "12", base=8) == 10
    with pytest.raises(ValueError, match="invalid literal"):
        await in_thread(int, "x")
