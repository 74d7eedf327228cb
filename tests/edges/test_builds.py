"""Builds in the sandbox: their output, how they end, and that nothing is left running."""

import asyncio
import os
from pathlib import Path
from time import monotonic, sleep

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.evidence.builds import OUTPUT_TAIL, Command, CommandRun, Purpose
from caseworker.core.evidence.failure_names import MAX_FAILURES, failures_named
from caseworker.ports import Workspace
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.output import FailureNames
from caseworker.workspaces.sandbox import Bubblewrap, Unconfined
from tests.patience import PATIENCE


@pytest.fixture
def builder(tmp_path: Path) -> SandboxedBuilder:
    return SandboxedBuilder(Bubblewrap(tmp_path / "sandbox"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "tree").mkdir()
    return Workspace(case=CaseId("local/calc#1"), path=tmp_path / "tree", base=Sha("0" * 40), base_branch="main")


@pytest.fixture
def marker(tmp_path: Path) -> str:
    """Seconds for `sleep` that no other test, and no other test run on this machine, uses."""
    return f"2718.{abs(hash(tmp_path)) % 10**12}"


async def run(
    builder: SandboxedBuilder, workspace: Workspace, command: str, *, seconds: float = 20, purpose: str = "test"
) -> CommandRun:
    return (await builder.run(workspace, [Command(purpose=Purpose(purpose), command=command)], seconds=seconds))[0]


def running(marker: str) -> bool:
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "cmdline").read_text() == f"sleep\0{marker}\0":
                return True
        except OSError:
            continue
    return False


async def until(marker: str, *, runs: bool) -> None:
    assert await asyncio.to_thread(seen, marker, runs=runs)


def seen(marker: str, *, runs: bool) -> bool:
    deadline = monotonic() + PATIENCE
    while running(marker) != runs:
        if monotonic() > deadline:
            return False
        sleep(0.02)
    return True


async def test_a_build_has_its_commands_with_their_results(builder: SandboxedBuilder, workspace: Workspace) -> None:
    began = monotonic()
    ended = await run(builder, workspace, "echo out; echo err >&2; pwd; exit 3")
    assert (ended.exit_code, ended.timed_out, ended.passed) == (3, False, False)
    assert ended.output == f"out\nerr\n{workspace.path}\n"
    assert 0 < ended.seconds <= monotonic() - began + 0.001  # it is rounded


async def test_paths_in_the_output_are_told_from_the_root_of_the_worktree(
    builder: SandboxedBuilder, workspace: Workspace
) -> None:
    told = await run(builder, workspace, 'echo "File $PWD/tests/test_cart.py, line 3"')
    assert told.output == "File tests/test_cart.py, line 3\n"


async def test_a_failed_part_of_a_pipe_fails_the_command(builder: SandboxedBuilder, workspace: Workspace) -> None:
    assert not (await run(builder, workspace, "false | cat")).passed


async def test_a_failed_setup_ends_the_list(builder: SandboxedBuilder, workspace: Workspace) -> None:
    commands = [
        Command(purpose=Purpose.SETUP, command="true"),
        Command(purpose=Purpose.SETUP, command="false"),
        Command(purpose=Purpose.TEST, command="true"),
    ]
    assert [ended.exit_code for ended in await builder.run(workspace, commands, seconds=20)] == [0, 1]
    commands = [Command(purpose=Purpose.TEST, command="false"), Command(purpose=Purpose.LINT, command="true")]
    assert [ended.exit_code for ended in await builder.run(workspace, commands, seconds=20)] == [1, 0]


async def test_only_the_readable_end_of_the_output_is_kept(builder: SandboxedBuilder, workspace: Workspace) -> None:
    script = r"head -c 300000000 /dev/zero | tr '\0' 'x'; printf '\033[31mred\033[0m \033]0;title\007\377 end'"
    ended = await run(builder, workspace, script)
    assert len(ended.output) == OUTPUT_TAIL
    assert ended.output.endswith("xxred \N{REPLACEMENT CHARACTER} end")


async def test_failures_are_found_in_the_whole_output_not_only_in_its_end(
    builder: SandboxedBuilder, workspace: Workspace
) -> None:
    script = (
        r"printf '\033[31mFAILED\033[0m first - 12 ms\r\n'; seq 100000; echo FAILED x; echo FAILED x; printf 'FAIL: y'"
    )
    ended = await run(builder, workspace, f"{script}; exit 1")
    assert ended.failures == ("first - 0 ms", "x", "x", "y")
    assert "first" not in ended.output


async def test_a_run_that_passed_or_was_stopped_has_no_failures(
    builder: SandboxedBuilder, workspace: Workspace
) -> None:
    assert (await run(builder, workspace, "echo FAILED x")).failures is None
    assert (await run(builder, workspace, "echo FAILED x; sleep 60", seconds=1)).failures is None


def test_failures_are_the_same_in_chunks_of_any_size() -> None:
    line = "FAILED tests/täst.py::test_1 - assert 3 == 4"
    output = "\n".join([line, "ok", line, f"FAILED {'long' * 50_000}", "", "error: at 0x7f", "FAILED last"]).encode()
    heard = set()
    for size in (1, 7, 1000, 1 << 16):
        names = FailureNames()
        for start in range(0, len(output), size):
            names.add(output[start : start + size])
        heard.add(names.all())
    assert len(heard) == 1
    first, again, *others, last = heard.pop()
    assert first == again == next(iter(failures_named(line)))
    assert (len(others), last) == (2, "last")


def test_too_many_failures_to_keep_count_as_none() -> None:
    names = FailureNames()
    for number in range(MAX_FAILURES):
        names.add(f"FAILED test_{number}\n".encode())
    assert len(names.all()) == MAX_FAILURES
    names.add(b"FAILED one more\n")
    assert names.all() == ()


async def test_the_time_limit_ends_the_whole_process_tree(
    builder: SandboxedBuilder, workspace: Workspace, marker: str
) -> None:
    script = f"echo begun; trap '' TERM; setsid sleep {marker} & sleep {marker}"
    ended = await run(builder, workspace, script, seconds=1)
    assert (ended.exit_code, ended.timed_out, ended.output) == (124, True, "begun\n")
    await until(marker, runs=False)


async def test_cancelling_ends_the_whole_process_tree(
    builder: SandboxedBuilder, workspace: Workspace, marker: str
) -> None:
    task = asyncio.create_task(run(builder, workspace, f"setsid sleep {marker} & sleep {marker}; true"))
    await until(marker, runs=True)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(marker, runs=False)


async def test_a_background_process_does_not_keep_the_build_open(
    builder: SandboxedBuilder, workspace: Workspace, marker: str
) -> None:
    ended = await run(builder, workspace, f"sleep {marker} & echo done")
    assert (ended.exit_code, ended.output) == (0, "done\n")
    await until(marker, runs=False)


async def test_a_build_has_its_own_home_and_nothing_of_the_workers_environment(
    builder: SandboxedBuilder, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-planted")
    ended = await run(builder, workspace, "cat /proc/*/environ | tr '\\0' '\\n'; touch ~/x && echo home; env")
    assert "sk-planted" not in ended.output
    assert "PYTHONDONTWRITEBYTECODE=1" in ended.output
    assert "home" in ended.output
    assert os.environ["ANTHROPIC_API_KEY"] == "sk-planted"
    assert (await run(builder, workspace, "test ! -e ~/x")).passed


async def test_python_tests_run_and_leave_no_bytecode(builder: SandboxedBuilder, workspace: Workspace) -> None:
    (workspace.path / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (workspace.path / "test_calc.py").write_text(
        "import unittest, calc\n"
        "class T(unittest.TestCase):\n"
        "    def test_add(self):\n"
        "        self.assertEqual(calc.add(1, 2), 3)\n"
    )
    ended = await run(builder, workspace, "python3 -m unittest discover")
    assert ended.exit_code == 1
    assert "FAIL: test_add" in ended.output
    assert sorted(path.name for path in workspace.path.iterdir()) == ["calc.py", "test_calc.py"]


async def test_without_a_sandbox_a_build_runs_with_a_clean_environment(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-planted")
    ended = await run(SandboxedBuilder(Unconfined(tmp_path / "u")), workspace, "env; pwd; exit 4")
    assert ended.exit_code == 4
    assert ended.output.endswith(f"{workspace.path}\n")
    assert "sk-planted" not in ended.output
