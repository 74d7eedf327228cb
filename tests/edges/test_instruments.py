"""Stress, profile and trace with the real sandbox: what they see, what they say, and that nothing is left behind."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.evidence.builds import Command, CommandRun
from caseworker.core.investigation.measurements import (
    InstrumentRequest,
    Measurement,
    ProfileRequest,
    StressRequest,
    TraceRequest,
)
from caseworker.ports import Workspace
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.instruments.sandboxed import SandboxedInstruments
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.prison import listening
from tests.edges.repositories import Repository, local_workspaces, new_repository

FILES = {
    "flaky.sh": 'test $(( $1 % 3 )) != 0 || { echo "Error: total $1 is wrong"; exit 3; }\n',
    "slow.py": "def slow(most):\n    return sorted(str(i) for i in range(most))\n\n\nslow(200_000)\n",
    "slow.js": "function hot() { let s = 0; for (let i = 0; i < 3e7; i++) s += Math.sqrt(i); return s }\nhot();\n",
    "add.c": "int add(int one) {\n  return one + 1;\n}\nint main(void) {\n  return add(2) - 3;\n}\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "shop", FILES)


@pytest.fixture
def workspaces(tmp_path: Path) -> GitWorkspaces:
    return local_workspaces(tmp_path / "home")


@pytest.fixture
async def workspace(workspaces: GitWorkspaces, repository: Repository) -> Workspace:
    return await workspaces.prepare(CaseId("local/shop#1"), repository.ref, None)


@pytest.fixture
def builder(tmp_path: Path) -> SandboxedBuilder:
    return SandboxedBuilder(Bubblewrap(tmp_path / "sandbox"))


class Instruments:
    def __init__(self, workspaces: GitWorkspaces, workspace: Workspace, builder: SandboxedBuilder) -> None:
        self._instruments = SandboxedInstruments(workspaces=workspaces, builder=builder, cores=2)
        self._workspace = workspace

    async def measure(self, request: InstrumentRequest, seconds: float = 60) -> Measurement:
        return await self._instruments.measure(self._workspace, self._workspace.base, request, seconds=seconds)


@pytest.fixture
def instruments(workspaces: GitWorkspaces, workspace: Workspace, builder: SandboxedBuilder) -> Instruments:
    return Instruments(workspaces, workspace, builder)


def left_behind(tmp_path: Path) -> list[str]:
    trees = [path.name for path in (tmp_path / "home/workspaces").glob("*/side/*")]
    return trees + [path.name for path in (tmp_path / "home/mirrors").glob("*/worktrees/*+*")]


async def test_a_stress_counts_failures_by_seed_in_clean_copies(
    instruments: Instruments, workspace: Workspace, tmp_path: Path
) -> None:
    request = StressRequest(command="test ! -e left && touch left && sh flaky.sh {seed} && test $SEED = {seed}", runs=6)
    found = await instruments.measure(request)
    assert (found.status, found.summary) == ("measured", "2 of 6 runs failed, 2 at a time.")
    assert "| 4 | exit code 0 | 1, 2, 4, 5 |" in found.report
    assert "| 2 | exit code 3: `Error: total 3 is wrong` | 3, 6 |" in found.report
    assert left_behind(tmp_path) == []
    assert not (workspace.path / "left").exists()


async def test_parallel_runs_of_a_stress_do_not_share_a_tree(instruments: Instruments) -> None:
    command = "echo {seed} > mine; sleep 0.3; test $(cat mine) = {seed}"
    found = await instruments.measure(StressRequest(command=command, runs=4, parallel=2))
    assert found.summary == "0 of 4 runs failed, 2 at a time."


@pytest.mark.slow
async def test_a_stress_ends_at_its_deadline_and_tells_what_was_done(instruments: Instruments, tmp_path: Path) -> None:
    found = await instruments.measure(StressRequest(command="test {seed} = 1 || sleep 50", runs=9, parallel=1), 3)
    assert found.summary == "0 of 1 runs failed, 1 at a time. 8 more were not begun or not done within 3 s."
    assert left_behind(tmp_path) == []


async def test_a_run_that_meets_its_own_limit_is_an_outcome(instruments: Instruments) -> None:
    found = await instruments.measure(StressRequest(command="echo waits; sleep 50", runs=1, seconds_each=1))
    assert "| 1 | time limit: `waits` | 1 |" in found.report


async def test_a_python_profile_names_the_hottest_places(instruments: Instruments, tmp_path: Path) -> None:
    found = await instruments.measure(ProfileRequest(command="python3 slow.py", top=3))
    assert (found.status, found.how) == ("measured", "cProfile"), found
    assert found.summary == "The hottest places of the command, by cProfile; it ended with exit code 0."
    assert "| slow.py:2 | <genexpr> |" in found.report
    assert len(found.report.splitlines()) == 5
    assert left_behind(tmp_path) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
async def test_a_node_profile_names_the_hottest_places(instruments: Instruments) -> None:
    found = await instruments.measure(ProfileRequest(command="node slow.js", top=5))
    assert (found.status, found.how) == ("measured", "node --cpu-prof"), found
    assert "slow.js:1 | hot |" in found.report


class WithoutPrograms(SandboxedBuilder):
    """A sandbox in which strace, perf and gdb can't be found."""

    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        hide = (
            "strace() { return 127; }; perf() { return 127; }; command() { return 1; }; export -f strace perf command\n"
        )
        hidden = [one.model_copy(update={"command": hide + one.command}) for one in commands]
        return await super().run(workspace, hidden, seconds=seconds)


async def test_where_nothing_can_be_profiled_the_result_says_so(
    workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path
) -> None:
    bare = Instruments(workspaces, workspace, WithoutPrograms(Bubblewrap(tmp_path / "sandbox")))
    found = await bare.measure(ProfileRequest(command="sh flaky.sh 1"))
    assert (found.status, found.report) == ("unavailable", "")
    assert found.summary.startswith("Nothing could be profiled: no Python or Node process that ended by itself")
    assert "perf is not installed here" in found.summary


@pytest.mark.slow
async def test_without_strace_the_calls_of_python_are_traced(
    workspaces: GitWorkspaces, workspace: Workspace, tmp_path: Path
) -> None:
    bare = Instruments(workspaces, workspace, WithoutPrograms(Bubblewrap(tmp_path / "sandbox")))
    found = await bare.measure(TraceRequest(command="python3 slow.py | head -c 5"))
    assert (found.status, found.how) == ("measured", "sys.settrace"), found
    assert "MainThread  slow.py:1 slow  called\nMainThread  slow.py:2 <genexpr>  called, 200001 times" in found.report
    nothing = await bare.measure(TraceRequest(command="sh flaky.sh 1"))
    assert nothing.status == "unavailable"
    assert nothing.summary.startswith("Nothing could be traced: strace is not installed here, or not allowed")


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here")
async def test_a_trace_has_the_last_system_calls(instruments: Instruments) -> None:
    found = await instruments.measure(TraceRequest(command="cat missing.txt", calls="openat"))
    assert (found.status, found.how) == ("measured", "strace"), found
    assert 'openat(AT_FDCWD, "missing.txt", O_RDONLY) = -1 ENOENT' in found.report
    assert found.summary.endswith("it ended with exit code 1.")


async def test_a_trace_of_a_python_line_has_backtrace_and_values(instruments: Instruments) -> None:
    found = await instruments.measure(TraceRequest(command="python3 slow.py", at="slow.py:2"))
    assert found.summary == "The backtraces at slow.py:2, by sys.settrace; it ended with exit code 0."
    assert "\n  slow.py:2 slow\n    most = 200000\n  slow.py:5 <module>\n" in found.report
    nowhere = await instruments.measure(TraceRequest(command="python3 slow.py; exit 7", at="slow.py:3"))
    assert nowhere.status == "unavailable"
    assert nowhere.summary == "No Python process came to slow.py:3; it ended with exit code 7."


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("gdb") and shutil.which("gcc")), reason="there is no gdb or gcc here")
async def test_a_trace_of_a_compiled_line_is_by_gdb_after_the_set_up(instruments: Instruments) -> None:
    found = await instruments.measure(TraceRequest(setup="gcc -g add.c -o add", command="./add", at="add.c:2"))
    assert (found.status, found.how) == ("measured", "gdb"), found
    assert "#0  add (one=2) at add.c:2" in found.report


async def test_a_failed_set_up_is_told(instruments: Instruments) -> None:
    found = await instruments.measure(TraceRequest(setup="echo no compiler; false", command="true", at="slow.py:1"))
    assert found.status == "unavailable"
    assert "no compiler\nThe set-up failed." in found.summary


async def test_an_instrument_has_no_network_and_can_not_write_to_the_workspace(
    instruments: Instruments, workspace: Workspace
) -> None:
    with listening() as (port, _):
        dial = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)'"
        escape = f"echo x > {workspace.path}/escaped"
        found = await instruments.measure(StressRequest(command=f"{dial} || {escape} || exit 9", runs=1))
    assert "exit code 9" in found.report
    assert not (workspace.path / "escaped").exists()
