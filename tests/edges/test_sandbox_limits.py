"""Attacks on the machine from inside the sandbox: memory, processes, disk. Each ends its own command, with a sentence.

The attackers stop by themselves a little above the limits, so that a missing wall costs no machine its memory.
"""

import asyncio
import os
import pwd
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.core.record.entries import ToolReturned
from caseworker.ports import AgentFailed, AgentFinished, Enclosure, Workspace
from caseworker.workspaces import guard
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.control_groups import find_parent
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.sandbox_limits import SandboxLimits
from tests.edges.agents_world import DONE, AgentWorld, bash, script
from tests.patience import LOOK, PATIENCE
from tests.permutations import mostly_slow
from tests.world.lateness import in_time

LIMITS = SandboxLimits(sandbox_memory_gb=0.2, sandbox_processes=40, sandbox_disk_gb=0.05)

MEMORY = {
    "memory of one process": "kept = b'x' * (300 << 20)",
    "memory of many processes": """
for _ in range(5):
    if os.fork() == 0: kept = b'x' * (70 << 20); time.sleep(600)
""",
    "memory that processes share": "import mmap; kept = mmap.mmap(-1, 300 << 20); kept.write(b'x' * (300 << 20))",
    "files in /tmp and /dev/shm": """
for name in ("/tmp/a", "/dev/shm/b", "/home/agent/c"):
    with open(name, "wb") as file: file.write(b'x' * (90 << 20))
""",
    "files without a name": """
kept = [os.memfd_create(str(n)) for n in range(5)]
for file in kept: os.write(file, b'x' * (70 << 20))
""",
}
PROCESSES = {
    "a fork bomb": """
for _ in range(3):
    os.fork()
for _ in range(12):
    if os.fork() == 0: time.sleep(600)
""",
    "processes that leave their parent": """
for _ in range(80):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(600)
        os._exit(0)
""",
    "threads": """
import threading
for _ in range(400): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
""",
}
DISK = {
    "one large file": "open('filler', 'wb').write(b'x' * (120 << 20))",
    "many small files": """
os.mkdir("many")
for n in range(20_000): open(f"many/{n}", "w").close()
""",
    "a file that was removed": """
kept = open('gone', 'wb')
os.unlink('gone')
kept.write(b'x' * (120 << 20))
kept.flush()
""",
}


def attack(code: str) -> Command:
    script = f"import os, time\n{code}\ntime.sleep(600)\n"
    return Command(purpose=Purpose.TEST, command=f"python3 - <<'END'\n{script}END")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "tree").mkdir()
    return Workspace(case=CaseId("local/calc#1"), path=tmp_path / "tree", base=Sha("0" * 40), base_branch="main")


@pytest.fixture
def builder(tmp_path: Path) -> SandboxedBuilder:
    return SandboxedBuilder(Bubblewrap(tmp_path / "sandbox", limits=LIMITS))


async def ended(builder: SandboxedBuilder, workspace: Workspace, command: Command) -> CommandRun:
    return (await builder.run(workspace, [command], seconds=PATIENCE))[0]


@pytest.mark.parametrize("code", mostly_slow([(code,) for code in MEMORY.values()], always=2, ids=list(MEMORY)))
async def test_a_memory_hog_ends_its_own_command(builder: SandboxedBuilder, workspace: Workspace, code: str) -> None:
    run = await ended(builder, workspace, attack(code))

    assert "of memory, and 205 MB are allowed; the setting `sandbox_memory_gb` allows more" in run.over_limit
    assert run.output.endswith(f"Caseworker ended this command: {run.over_limit}.\n")


@pytest.mark.parametrize("code", PROCESSES.values(), ids=PROCESSES)
async def test_a_fork_bomb_ends_its_own_command(builder: SandboxedBuilder, workspace: Workspace, code: str) -> None:
    run = await ended(builder, workspace, attack(code))

    assert "are allowed; the setting `sandbox_processes` allows more" in run.over_limit
    assert not run.passed


@pytest.mark.parametrize("code", mostly_slow([(code,) for code in DISK.values()], always=1, ids=list(DISK)))
async def test_a_full_worktree_ends_its_own_command(builder: SandboxedBuilder, workspace: Workspace, code: str) -> None:
    run = await ended(builder, workspace, attack(code))

    assert "and 51 MB are allowed; the setting `sandbox_disk_gb` allows more" in run.over_limit


@pytest.mark.slow
async def test_a_neighbour_of_two_hogs_passes(builder: SandboxedBuilder, workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    honest = Command(purpose=Purpose.TEST, command="sleep 1; echo fine")
    hog, bomb = attack(MEMORY["memory of one process"]), attack(PROCESSES["a fork bomb"])

    hogged, bombed, passed = await asyncio.gather(
        ended(builder, workspace, hog),
        ended(builder, workspace, bomb),
        ended(builder, replace(workspace, path=tmp_path / "other"), honest),
    )

    assert hogged.over_limit
    assert bombed.over_limit
    assert passed.passed


@pytest.mark.slow
async def test_a_command_within_its_limits_is_left_alone(builder: SandboxedBuilder, workspace: Workspace) -> None:
    code = """
kept = b'x' * (100 << 20)
for _ in range(20):
    if os.fork() == 0: time.sleep(3); os._exit(0)
open("some", "wb").write(b"x" * (20 << 20))
time.sleep(3)
os._exit(0)
"""

    run = await ended(builder, workspace, attack(code))

    assert run.passed
    assert run.over_limit == ""


async def test_a_tool_that_uses_too_much_is_ended_and_its_agent_goes_on(tmp_path: Path) -> None:
    world = AgentWorld(tmp_path)
    world.sandbox = Bubblewrap(tmp_path / "sandbox", limits=SandboxLimits(sandbox_memory_gb=0.8))
    hog = "python3 -c \"import time; kept = b'x' * (1100 << 20); time.sleep(600)\"; echo ended with $?"

    result = await world.run(world.brief(script(bash(hog), bash("echo still here"), DONE)))

    assert isinstance(result, AgentFinished)
    assert "still here" in "".join(event.output for event in world.story.events if isinstance(event, ToolReturned))
    told = str(world.transcripts.entries)
    assert "Caseworker ended the commands that you had started: it used" in told


async def test_an_agent_on_a_disk_without_room_was_stopped_by_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "DISK_RESERVE", 1 << 60)
    monkeypatch.setattr(guard, "_GRACE", 0)
    monkeypatch.setattr(guard, "_end_tools", lambda *_: False)
    world = AgentWorld(tmp_path)
    world.sandbox = Bubblewrap(tmp_path / "sandbox", limits=SandboxLimits())

    result = await world.run(world.brief(script(bash("sleep 600"), DONE)))

    assert isinstance(result, AgentFailed)
    assert (result.why, result.retry) == ("machine", True)
    assert result.reason.endswith(" left; make room there")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_users_fork_bomb_meets_the_limit_of_the_kernel() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        account = pwd.getpwnam("nobody")
        os.chown(folder, account.pw_uid, account.pw_gid)
        sandbox = Bubblewrap(folder / "sandbox", limits=LIMITS, path="/usr/bin:/bin")
        count = "import os, time\nfor n in range(400):\n try:\n  if os.fork() == 0: time.sleep(5); os._exit(0)\n"
        count += " except OSError: print('refused at', n); break\n"
        enclosure = _enclosure(folder)
        done = subprocess.run(
            sandbox.command(enclosure, ["/usr/bin/python3", "-c", count]),
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )

    assert "refused at 1" in done.stdout  # about 160


@pytest.mark.skipif(find_parent() is None, reason="no control group can be made here")
async def test_the_kernel_holds_a_fork_bomb_that_is_faster_than_the_guard(
    builder: SandboxedBuilder, workspace: Workspace
) -> None:
    """Two thousand children, if nobody stops them, and all within less than a look of the guard."""
    code = """
try:
    for _ in range(2000):
        if os.fork() == 0: time.sleep(600)
except OSError as error:
    os.system("true"); print("refused", error, flush=True); os._exit(3)
"""

    run = await ended(builder, workspace, attack(code))

    assert "the setting `sandbox_processes` allows more" in run.over_limit
    async with in_time("the removal of every group whose process has ended", PATIENCE):
        while any(_is_left(group) for group in (find_parent() or Path("/none")).glob("caseworker-[0-9]*")):  # noqa: ASYNC110  # there is no event
            await asyncio.sleep(LOOK)


def _is_left(group: Path) -> bool:
    """Other tests have groups, too: theirs have a process that lives."""
    return not Path("/proc", group.name.rpartition("-")[2]).exists()


def _enclosure(folder: Path) -> Enclosure:
    (folder / "tree").mkdir()
    return Enclosure(workspace=folder / "tree", writable=False, environment={})
