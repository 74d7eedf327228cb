"""Bisects with the real git and sandbox: what is found, what is refused, and that nothing is left behind."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.evidence.builds import Command, CommandRun
from caseworker.core.investigation.bisection import BisectRequest
from caseworker.ports import Workspace
from caseworker.workspaces.bisector import GitBisector
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.prison import listening
from tests.edges.repositories import Repository, git, local_workspaces, new_repository
from tests.patience import PATIENCE

CASE = CaseId("local/calc#1")
BROKEN = 8
"""The number of the first commit with a wrong sum."""


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("history") / "calc"
    made = new_repository(folder, {"calc.sh": "echo $(($1 + $2))\n", "number": "1\n", ".gitignore": "*.o\n"})
    for number in range(2, 13):
        files = {"number": f"{number}\n"} | ({"calc.sh": "echo $(($1 - $2))\n"} if number == BROKEN else {})
        made.commit(files, f"Change {number}\n\nWith a reason.")
    return folder


@pytest.fixture
def repository(history: Path, tmp_path: Path) -> Repository:
    return Repository(shutil.copytree(history, tmp_path / "calc"))


@pytest.fixture
def workspaces(tmp_path: Path) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home")


@pytest.fixture
def bisector(workspaces: GitWorkspaces, tmp_path: Path) -> GitBisector:
    return GitBisector(workspaces=workspaces, builder=SandboxedBuilder(Bubblewrap(tmp_path / "sandbox")))


@pytest.fixture
async def workspace(workspaces: GitWorkspaces, repository: Repository) -> Workspace:
    return await workspaces.prepare(CASE, repository.ref, None)


SUM = 'test "$(sh calc.sh 2 3)" = 5'


def left_behind(tmp_path: Path) -> list[str]:
    trees = [path.name for path in (tmp_path / "home/workspaces").glob("*/side/*")]
    git_dirs = [path.name for path in (tmp_path / "home/mirrors").glob("*/worktrees/*+*")]
    refs = [str(path) for path in (tmp_path / "home/mirrors").glob("*/refs/bisect*")]
    return trees + git_dirs + refs


async def test_the_first_bad_commit_is_found(
    bisector: GitBisector, workspace: Workspace, repository: Repository, tmp_path: Path
) -> None:
    before = repository.state()
    (workspace.path / "half-done").write_text("kept")
    result = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=f"echo trying; {SUM}"), seconds=60)
    assert (result.status, result.culprit is not None) == ("found", True), result
    culprit = repository.head(f"HEAD~{12 - BROKEN}")
    assert result.culprit is not None
    assert (result.culprit.hash, result.culprit.author) == (culprit, "Ada")
    assert result.culprit.message == f"Change {BROKEN}\n\nWith a reason."
    assert result.culprit.date.startswith("20")
    assert [step.verdict for step in result.steps[:2]] == ["bad", "good"]
    assert all(step.runs == 1 for step in result.steps)
    assert f"{culprit[:12]} bad (exit code 1, 1 run): Change {BROKEN}\n    trying" in result.log
    assert result.reason.startswith(f"{culprit[:12]} (Change {BROKEN}) is the first bad commit")
    assert left_behind(tmp_path) == []
    assert (workspace.path / "half-done").exists()
    assert repository.state() == before


@pytest.mark.slow
async def test_head_is_the_cases_own_commit_and_its_commits_are_searched(
    bisector: GitBisector, workspaces: GitWorkspaces, workspace: Workspace
) -> None:
    (workspace.path / "late").write_text("1")
    ours = await workspaces.commit(workspace, "Ours", parent=workspace.base, name="turn-1")
    result = await bisector.find(workspace, BisectRequest(good="main", script="! test -e late"), seconds=60)
    assert result.culprit is not None
    assert result.culprit.hash == ours


@pytest.mark.slow
async def test_an_intermittent_bug_is_found_with_several_runs_per_commit(
    bisector: GitBisector, workspaces: GitWorkspaces, workspace: Workspace, repository: Repository
) -> None:
    # It fails in the third run only: it counts its runs in an ignored file, which stays as long as the commit does.
    script = f"echo x >> runs.o; {SUM} || test $(wc -l < runs.o) != 3"
    once = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=script), seconds=60)
    assert once.status == "refused"
    assert "or more runs" in once.reason
    often = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=script, runs=5), seconds=60)
    assert often.culprit is not None
    assert often.culprit.hash == repository.head(f"HEAD~{12 - BROKEN}")
    assert {(step.verdict, step.runs) for step in often.steps} == {("bad", 3), ("good", 5)}


@pytest.mark.slow
async def test_commits_that_can_not_be_judged_are_skipped(
    bisector: GitBisector, workspace: Workspace, repository: Repository
) -> None:
    result = await bisector.find(
        workspace, BisectRequest(good="HEAD~11", script=f"grep -qx 6 number && exit 125; {SUM}"), seconds=60
    )
    assert result.culprit is not None
    assert result.culprit.hash == repository.head(f"HEAD~{12 - BROKEN}")
    around = f"grep -qxE '{BROKEN - 1}|{BROKEN}' number && exit 125; {SUM}"
    vague = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=around), seconds=60)
    assert (vague.status, vague.culprit) == ("not_found", None)
    candidates = [repository.head(f"HEAD~{12 - number}")[:12] for number in (BROKEN + 1, BROKEN, BROKEN - 1)]
    assert vague.reason == (
        "The commits that are left can't be judged: the script skips them. Give one that can judge more of them. "
        f"The culprit is one of 3: {', '.join(candidates)}."
    )


@pytest.mark.parametrize(
    ("good", "bad", "script", "sentence"),
    [
        ("HEAD~2", "HEAD", SUM, "The script fails on `HEAD~2`"),
        ("HEAD~11", "HEAD~9", SUM, "The script passes on `HEAD~9`"),
        ("HEAD~11", "HEAD", "exit 125", "The script can't judge `HEAD`"),
        ("HEAD~11", "HEAD", "kill -9 $$", "The script ended with 137 on"),
        ("HEAD", "HEAD", SUM, "`HEAD` and `HEAD` are the same commit"),
        ("HEAD", "HEAD~3", SUM, "`HEAD~3` is older than `HEAD`"),
        ("HEAD~40", "HEAD", SUM, "`HEAD~40` names no commit"),
        ("HEAD~11", "deadbeef", SUM, "`deadbeef` names no commit"),
        ("refs/caseworker/local__calc__1/base", "HEAD", SUM, "`refs/caseworker/local__calc__1/base` names no commit"),
        ("origin/main", "HEAD", SUM, "`origin/main` names no commit"),
    ],
)
async def test_an_impossible_request_is_refused_with_what_to_do(
    bisector: GitBisector, workspace: Workspace, tmp_path: Path, good: str, bad: str, script: str, sentence: str
) -> None:
    result = await bisector.find(workspace, BisectRequest(good=good, bad=bad, script=script), seconds=60)
    assert (result.status, result.culprit) == ("refused", None)
    assert result.reason.startswith(sentence)
    assert left_behind(tmp_path) == []


async def test_a_good_commit_that_repaired_an_older_bug_is_reported(
    bisector: GitBisector, workspaces: GitWorkspaces, repository: Repository
) -> None:
    repository.git("branch", "later")
    repository.git("switch", "-q", "-c", "repaired", "HEAD~2")
    repaired = repository.commit({"calc.sh": "echo $(($1 + $2))\n"}, "Repair it")
    repository.git("switch", "-q", "later")
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    result = await bisector.find(workspace, BisectRequest(good=repaired, script=SUM), seconds=60)
    assert result.status == "not_found"
    assert "so it was repaired on the way" in result.reason


async def test_the_culprit_of_a_merged_branch_is_found(
    bisector: GitBisector, workspaces: GitWorkspaces, repository: Repository
) -> None:
    repository.git("switch", "-q", "-c", "side", "HEAD~11")
    culprit = repository.commit({"other": "bad\n"}, "On the side")
    repository.commit({"other2": "x\n"})
    repository.git("switch", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    workspace = await workspaces.prepare(CASE, repository.ref, None)
    result = await bisector.find(workspace, BisectRequest(good="main~11", script="! test -e other"), seconds=60)
    assert result.culprit is not None
    assert result.culprit.hash == culprit


async def test_the_script_reaches_neither_the_network_nor_anything_outside(
    bisector: GitBisector, workspace: Workspace, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with listening() as (port, _):
        script = _attempts(outside, workspace, port)
        result = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=script), seconds=60)
    assert result.reason.startswith("The script fails on `HEAD~11`"), result
    assert list(outside.iterdir()) == []


def _attempts(outside: Path, workspace: Workspace, port: int) -> str:
    """A script that calls the commit good if one of these commands works."""
    return f"""
(echo x > {outside}/x) 2>/dev/null && exit 0
(echo x > {workspace.path}/x) 2>/dev/null && exit 0
(echo x >> .git) 2>/dev/null && exit 0
(echo x > $(git rev-parse --git-dir)/BISECT_LOG) 2>/dev/null && exit 0
(git update-ref refs/heads/x HEAD) 2>/dev/null && exit 0
grep -qE '^ *(eth|en|wl)' /proc/net/dev && exit 0
(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && exit 0
git log -1 --format=%s >/dev/null || exit 125
exit 1
"""


@pytest.mark.slow
async def test_files_of_the_script_are_removed_before_the_next_commit(
    bisector: GitBisector, workspace: Workspace, repository: Repository
) -> None:
    dirt = "touch junk kept.o; mkdir -p deep/.git; mkfifo pipe; echo 'exit 3' > calc.sh; rm -f number"
    clean = "test ! -e junk && test ! -e kept.o && test -s number || exit 200"
    script = f"{clean}; {SUM}; verdict=$?; {dirt}; exit $verdict"
    result = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=script), seconds=60)
    assert result.culprit is not None
    assert result.culprit.hash == repository.head(f"HEAD~{12 - BROKEN}")


class _Impatient(SandboxedBuilder):
    """Times out at the sixth commit, however fast the machine is."""

    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        is_sixth = (workspace.path / "number").read_text() == "6\n"
        return await super().run(workspace, commands, seconds=0.2 if is_sixth else seconds)


@pytest.mark.slow
async def test_a_script_that_hangs_ends_with_the_time(
    workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path
) -> None:
    bisector = GitBisector(workspaces=workspaces, builder=_Impatient(Bubblewrap(tmp_path / "sandbox")))
    script = f"grep -qx 6 number && exec sleep 1000; {SUM}"
    result = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=script), seconds=100)
    assert (result.status, len(result.steps)) == ("not_found", 2)
    assert result.reason.startswith(
        "The 100 s for bisecting were over after 2 commits. If the script may hang, let it run under `timeout 60`. "
        "Ask again with good and bad nearer to each other. The culprit is one of 11: "
    )
    assert left_behind(tmp_path) == []


async def test_a_bisect_without_any_time_ends_with_a_result(bisector: GitBisector, workspace: Workspace) -> None:
    result = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=SUM), seconds=0)
    assert (result.status, result.steps) == ("not_found", [])


def _begun(tmp_path: Path) -> bool:
    deadline = monotonic() + PATIENCE
    while not list((tmp_path / "home/workspaces").glob("*/side/bisect/tree/begun")):
        if monotonic() > deadline:
            return False
        sleep(0.02)
    return True


async def test_a_cancelled_bisect_leaves_nothing_behind(
    bisector: GitBisector, workspace: Workspace, workspaces: GitWorkspaces, tmp_path: Path
) -> None:
    script = "touch begun; exec sleep 1000"
    finding = asyncio.create_task(bisector.find(workspace, BisectRequest(good="HEAD~11", script=script), seconds=60))
    assert await asyncio.to_thread(_begun, tmp_path)
    finding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await finding
    assert left_behind(tmp_path) == []


@pytest.mark.slow
async def test_a_bisect_works_after_an_earlier_one_was_killed(
    bisector: GitBisector, workspaces: GitWorkspaces, workspace: Workspace, repository: Repository
) -> None:
    tree = await workspaces.branch_off(workspace, "bisect", workspace.base)
    assert tree.git_dir is not None
    git(tree.path, "bisect", "start", "HEAD~1", "HEAD~2")
    (tree.git_dir / "index.lock").touch()
    (tree.path / "junk").write_text("1")
    result = await bisector.find(workspace, BisectRequest(good="HEAD~11", script=SUM), seconds=60)
    assert result.culprit is not None
    assert result.culprit.hash == Sha(repository.head(f"HEAD~{12 - BROKEN}"))
