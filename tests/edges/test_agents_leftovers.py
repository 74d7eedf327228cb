"""Attempt folders of workers that were killed: what the next worker removes, and what it must leave alone."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from caseworker.agents.process import AttemptFolder, attempt_folder, sweep_attempt_folders, until_gone

WORKER = """
import sys
from caseworker.agents.process import attempt_folder
with attempt_folder() as folder:
    (folder.config / "transcript.jsonl").write_text("a secret")
    print(folder.root, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def worker(temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """Another worker process, in the middle of an attempt."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", WORKER], env=environment, text=True, **pipes) as process:  # type: ignore[call-overload]  # pipes
        yield process
        process.kill()


def root_of(worker: subprocess.Popen[str]) -> Path:
    assert worker.stdout is not None
    return Path(worker.stdout.readline().strip())


def killed(worker: subprocess.Popen[str]) -> Path:
    root = root_of(worker)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert (root / "config" / "transcript.jsonl").exists()
    return root


def test_the_folder_of_a_killed_worker_is_removed(worker: subprocess.Popen[str]) -> None:
    root = killed(worker)
    assert sweep_attempt_folders() == 1
    assert not root.exists()
    assert sweep_attempt_folders() == 0


def test_folders_in_use_stay(worker: subprocess.Popen[str]) -> None:
    theirs = root_of(worker)
    with attempt_folder() as ours:
        assert sweep_attempt_folders() == 0
        assert theirs.exists()
        assert ours.root.exists()


def test_a_reused_pid_does_not_keep_a_folder(worker: subprocess.Popen[str]) -> None:
    owner = AttemptFolder(killed(worker)).owner
    machine, boot, _, started = owner.read_text().split(" ")
    owner.write_text(f"{machine} {boot} {os.getpid()} {started}")
    assert sweep_attempt_folders() == 1


def test_a_folder_from_before_the_last_boot_is_removed(worker: subprocess.Popen[str]) -> None:
    owner = AttemptFolder(root_of(worker)).owner
    machine, _, pid, started = owner.read_text().split(" ")
    owner.write_text(f"{machine} another-boot {pid} {started}")
    assert sweep_attempt_folders() == 1


@pytest.mark.parametrize("machine", ["another-host/1", "{host}/1"], ids=["another machine", "another container"])
def test_folders_of_owners_on_other_machines_or_containers_stay(worker: subprocess.Popen[str], machine: str) -> None:
    root = killed(worker)
    own, rest = AttemptFolder(root).owner.read_text().split(" ", 1)
    AttemptFolder(root).owner.write_text(f"{machine.format(host=own.partition('/')[0])} {rest}")
    assert sweep_attempt_folders() == 0
    assert root.exists()


def test_folders_that_may_not_be_ours_stay(worker: subprocess.Popen[str], temporary: Path) -> None:
    root = killed(worker)
    elsewhere = root.rename(temporary / "elsewhere")
    (temporary / "cw-abcdefg1").symlink_to(elsewhere)
    for name, mode in (("cw-net-abcdefgh", 0o700), ("cw-abcdefg2", 0o755), ("other-abcdefgh", 0o700)):
        (temporary / name).mkdir()
        (temporary / name / "owner").write_bytes((elsewhere / "owner").read_bytes())
        (temporary / name).chmod(mode)
    for name, owner in (("cw-abcdefg3", None), ("cw-abcdefg4", "torn"), ("cw-abcdefg5", "")):
        (temporary / name).mkdir(mode=0o700)
        if owner is not None:
            (temporary / name / "owner").write_text(owner)
    before = sorted(temporary.rglob("*"))
    assert sweep_attempt_folders() == 0
    assert sorted(temporary.rglob("*")) == before


def test_the_folder_of_another_user_stays(worker: subprocess.Popen[str]) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    root = killed(worker)
    os.chown(root, 12345, 12345)
    assert sweep_attempt_folders() == 0
    assert root.exists()


def test_the_owner_file_is_invisible_in_the_sandbox() -> None:
    with attempt_folder() as folder:
        shown = (folder.config, folder.home, folder.socket.parent)
        assert all(place not in folder.owner.parents for place in shown)


async def test_a_killed_agent_and_its_tools_hold_no_pipe_any_more(temporary: Path) -> None:
    with attempt_folder() as folder:
        folder.write_starter(["sh", "-c", "sleep 1000 & echo up >&9; wait"])
        agent = await asyncio.create_subprocess_exec(folder.starter, stdout=subprocess.PIPE)
        assert agent.stdout is not None
        assert await agent.stdout.readline() == b"up\n"
        killed = folder.end_processes()
        assert len(killed) == 2
        await until_gone(killed)
        assert agent.stdout.at_eof()
        await agent.wait()
