"""Fewer calls of git: facts about a commit are cached, and callers that come together share a call."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, Sha
from caseworker.forges.local_folders import look
from caseworker.workspaces.commits import Kept
from caseworker.workspaces.rounds import Rounds
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.counting import CountingGit
from tests.edges.repositories import Repository, local_workspaces, new_repository
from tests.edges.repositories import git as by_hand


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "calc")


@pytest.fixture
def git() -> CountingGit:
    return CountingGit()


@pytest.fixture
def workspaces(tmp_path: Path, git: CountingGit) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home", git=git)


async def test_cases_that_begin_together_share_a_fetch_and_later_ones_see_new_commits(
    workspaces: GitWorkspaces, repository: Repository, git: CountingGit
) -> None:
    cases = [CaseId(f"local/calc#{number}") for number in range(6)]
    made = await asyncio.gather(*(workspaces.prepare(case, repository.ref, None) for case in cases))
    assert {workspace.base for workspace in made} == {repository.head()}
    assert git.asked["fetch"] < len(cases)
    later = repository.commit({"later.txt": "later\n"})
    assert (await workspaces.prepare(CaseId("local/calc#9"), repository.ref, None)).base == later


@pytest.mark.parametrize(("checked_out", "branch"), [("main", "main"), ("--detach", "main"), ("other", "other")])
async def test_look_needs_two_calls_and_is_not_confused_by_files_named_like_refs(
    repository: Repository, git: CountingGit, checked_out: str, branch: str
) -> None:
    repository.commit({"HEAD": "1\n", "HEAD^{commit}": "1\n", "main": "1\n"})
    repository.git("branch", "other")
    repository.git("switch", "-q", checked_out)
    repository.git("tag", "main")
    found = await look(repository.path, git)
    assert (found.path, found.head.branch, found.head.commit) == (repository.path, branch, repository.head())
    assert git.asked["rev-parse"] == 2


async def test_git_is_asked_once_what_is_in_a_commit(
    workspaces: GitWorkspaces, repository: Repository, git: CountingGit
) -> None:
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    first = await workspaces.build_files(workspace, workspace.base)
    first["mine"] = "not kept"
    before = git.asked.copy()
    assert "mine" not in await workspaces.build_files(workspace, workspace.base)
    assert git.asked == before


async def test_a_worktree_whose_head_is_gone_is_made_anew_by_the_next_process(
    workspaces: GitWorkspaces, repository: Repository, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    assert workspace.git_dir is not None
    (workspace.git_dir / "HEAD").write_text("f" * 40 + "\n")
    again = await local_workspaces(tmp_path / "home").prepare(workspace.case, repository.ref, workspace.base)
    assert (workspace.git_dir / "HEAD").read_text().strip() == again.base


async def test_git_cleans_only_if_there_are_untracked_files(
    workspaces: GitWorkspaces, repository: Repository, git: CountingGit
) -> None:
    repository.commit({"inner/a.py": "a = 1\n", "inner/deep/b.py": "b = 1\n"})
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    (workspace.path / "calc.py").write_text("junk")
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert git.asked["clean"] == 0
    for left in ("inner/deep/left.py", "inner/empty/", "left.py", ".hidden/x/y"):
        path = workspace.path / left
        path.mkdir(parents=True) if left.endswith("/") else write(path)
        before = git.asked["clean"]
        await workspaces.reset(workspace, workspace.base, scrub=False)
        assert git.asked["clean"] == before + 1
        assert not path.exists()


def write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("left")


def with_a_submodule(folder: Path) -> Repository:
    new_repository(folder / "library", {"lib.py": "1\n"})
    repository = new_repository(folder / "odd", {"file": "1\n", "folder/in.py": "1\n", "gone.py": "1\n", "run": "1\n"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(folder / "library"), "vendored")
    repository.git("commit", "-qm", "Use the library")
    return repository


def change_oddly(tree: Path) -> None:
    for path in (tree / "file", tree / "gone.py", tree / "folder/in.py"):
        path.unlink()
    (tree / "folder").rmdir()
    (tree / "vendored").rmdir()
    odd = (
        "file/now a folder.py",
        "folder",
        "vendored/lib.py",
        "git~1/config",
        "n\u00e4me \u2028 'quoted'\n.py",
        ".caseworker/x",
    )
    for name in (*odd, os.fsdecode(b"no text \xff")):
        write(tree / name)
    (tree / "run").chmod(0o755)
    (tree / "link").symlink_to("run")


@pytest.mark.parametrize("refused_by_git", [True, False])
async def test_cached_facts_about_our_commits_equal_gits_answers(
    workspaces: GitWorkspaces, git: CountingGit, tmp_path: Path, refused_by_git: bool
) -> None:
    repository = with_a_submodule(tmp_path)
    workspace = await workspaces.prepare(CaseId("local/odd#1"), repository.ref, None)
    await workspaces.build_files(workspace, workspace.base)
    change_oddly(workspace.path)
    if not refused_by_git:
        shutil.rmtree(workspace.path / "git~1")
    made = await workspaces.commit(workspace, "Oddly", parent=workspace.base, name="turn-1")
    before = git.asked.copy()
    known = await workspaces.build_files(workspace, made), await workspaces.changed(workspace, workspace.base, made)
    assert (git.asked == before) != refused_by_git
    other = local_workspaces(tmp_path / "home")
    assert known[0] == await other.build_files(workspace, made)
    assert known[1] == await other.changed(workspace, workspace.base, made)
    assert "git~1/config" not in known[0]


async def test_a_commit_is_right_even_if_somebody_changed_the_index(
    workspaces: GitWorkspaces, repository: Repository, git: CountingGit
) -> None:
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    write(workspace.path / "new.py")
    first = await workspaces.commit(workspace, "As git left it", parent=workspace.base, name="turn-1")
    assert git.asked["read-tree"] == 0
    await workspaces.reset(workspace, first, scrub=False)
    write(workspace.path / "newer.py")
    by_hand(workspace.path, "rm", "-q", "--cached", "calc.py", "new.py")
    second = await workspaces.commit(workspace, "By hand", parent=first, name="turn-2")
    assert await workspaces.changed(workspace, first, second) == ["newer.py"]
    third = await workspaces.commit(workspace, "From further back", parent=workspace.base, name="turn-3")
    assert await workspaces.changed(workspace, workspace.base, third) == ["new.py", "newer.py"]
    assert git.asked["read-tree"] == 2


async def test_git_is_asked_for_authors_only_where_another_process_may_have_committed(
    workspaces: GitWorkspaces, repository: Repository, git: CountingGit, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    write(workspace.path / "new.py")
    first = await workspaces.commit(workspace, "First", parent=workspace.base, name="turn-1")
    write(workspace.path / "newer.py")
    second = await workspaces.commit(workspace, "Second", parent=first, name="turn-2")
    assert await workspaces.changed_by_people(workspace, workspace.base, second) == []
    assert git.asked["log"] == 0
    other = local_workspaces(tmp_path / "home")
    write(workspace.path / "newest.py")
    by_hand(workspace.path, "add", "newest.py")
    by_hand(workspace.path, "-c", "user.name=Ann", "-c", "user.email=ann@x.test", "commit", "-qm", "Hers")
    hers = Sha(by_hand(workspace.path, "rev-parse", "HEAD"))
    for asked in (workspaces, other):
        assert await asked.changed_by_people(workspace, workspace.base, hers) == ["newest.py"]


async def test_git_is_asked_once_for_a_file_of_a_commit(
    workspaces: GitWorkspaces, repository: Repository, git: CountingGit
) -> None:
    base = Sha(repository.commit({"a.py": "a\n", "b.py": "b\n", "large.txt": "x" * (513 << 10)}))
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    asked = ["a.py", "large.txt", "gone.py"]
    assert await workspaces.texts(workspace, base, asked) == {"a.py": "a\n", "large.txt": None}
    calls = git.asked["cat-file"]
    assert await workspaces.texts(workspace, base, ["a.py", "gone.py"]) == {"a.py": "a\n"}
    assert git.asked["cat-file"] == calls
    assert await workspaces.texts(workspace, base, ["b.py", "a.py"]) == {"b.py": "b\n", "a.py": "a\n"}
    assert git.asked["cat-file"] == calls + 1


def test_the_cache_forgets_the_least_recently_used_first() -> None:
    kept: Kept[str] = Kept(8, weigh=len)
    for name in ("a", "b"):
        kept.keep(Sha(name), "xyz")
    assert kept.get(Sha("a")) == "xyz"
    kept.keep(Sha("c"), "xyz")
    assert [kept.get(Sha(name)) for name in ("a", "b", "c")] == ["xyz", None, "xyz"]
    assert kept.keep(Sha("d"), "far too big to be kept") == "far too big to be kept"
    assert [kept.get(Sha(name)) for name in ("a", "c", "d")] == [None, None, None]


class Work:
    """Work whose rounds wait until the test says how they end."""

    def __init__(self) -> None:
        self.rounds: list[asyncio.Future[str]] = []

    async def __call__(self) -> str:
        self.rounds.append(asyncio.get_running_loop().create_future())
        return await self.rounds[-1]


async def _turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_caller_that_comes_during_a_round_gets_the_next_one() -> None:
    work = Work()
    rounds = Rounds(work)
    first = asyncio.create_task(rounds())
    await _turns()
    later = [asyncio.create_task(rounds()) for _ in range(3)]
    await _turns()
    assert len(work.rounds) == 1
    work.rounds[0].set_result("old")
    await _turns()
    work.rounds[1].set_result("new")
    assert [await first, *[await task for task in later]] == ["old", "new", "new", "new"]


async def test_a_round_survives_a_cancelled_caller_and_its_error_goes_to_the_others() -> None:
    work = Work()
    rounds = Rounds(work)
    tasks = [asyncio.create_task(rounds()) for _ in range(3)]
    await _turns()
    tasks[0].cancel()
    work.rounds[0].set_exception(Refused("It is gone.", todo="Bring it back."))
    told = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(answer) for answer in told] == [asyncio.CancelledError, Refused, Refused]
    again = asyncio.create_task(rounds())
    await _turns()
    work.rounds[1].set_result("back")
    assert await again == "back"


async def test_an_untouched_worktree_skips_one_reset_and_no_more(
    repository: Repository, git: CountingGit, tmp_path: Path
) -> None:
    workspaces = local_workspaces(tmp_path / "home", git=git, walls=True)
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    workspaces.untouched(workspace)
    (workspace.path / ".caseworker").mkdir()  # our folder, written for the agent
    before = git.asked.copy()
    await workspaces.reset(workspace, workspace.base, scrub=True)
    assert git.asked == before
    assert not (workspace.path / ".caseworker").exists()
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert git.asked["reset"] == before["reset"] + 1


async def test_a_worktree_is_not_untouched_after_a_reset_by_another_process(
    repository: Repository, tmp_path: Path
) -> None:
    mine = local_workspaces(tmp_path / "home", walls=True)
    workspace = await mine.prepare(CaseId("local/calc#1"), repository.ref, None)
    mine.untouched(workspace)
    await local_workspaces(tmp_path / "home", walls=True).reset(workspace, workspace.base, scrub=False)
    (workspace.path / "left").write_text("by a dead attempt of the other one")
    await mine.reset(workspace, workspace.base, scrub=False)
    assert not (workspace.path / "left").exists()


async def test_a_worktree_is_not_untouched_after_an_attempt_that_died(repository: Repository, tmp_path: Path) -> None:
    workspaces = local_workspaces(tmp_path / "home", walls=True)
    case = CaseId("local/calc#1")
    workspace = await workspaces.prepare(case, repository.ref, None)
    await workspaces.reset(workspace, workspace.base, scrub=False)
    (workspace.path / "left").write_text("by an attempt that died")
    workspaces.untouched(await workspaces.prepare(case, repository.ref, workspace.base))
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert not (workspace.path / "left").exists()


async def test_without_a_sandbox_a_worktree_is_never_untouched(
    workspaces: GitWorkspaces, repository: Repository
) -> None:
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    workspaces.untouched(workspace)
    (workspace.path / "left").write_text("by one who should only read")
    await workspaces.reset(workspace, workspace.base, scrub=False)
    assert not (workspace.path / "left").exists()
