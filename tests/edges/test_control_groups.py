"""Control groups of version 2, delegated to the worker as systemd does it: to a service of root's, and to a user.

They need a kernel whose memory and pids controllers are not bound to version 1. There these tests are skipped;
`python -m scripts.own_kernel tests/edges/test_control_groups.py` runs them in a kernel of their own.
"""

import json
import multiprocessing
import os
import pwd
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from caseworker.ports import Enclosure
from caseworker.workspaces.control_groups import find_parent, group_of, read_events, sweep
from caseworker.workspaces.sandbox import Bubblewrap
from caseworker.workspaces.sandbox_limits import SandboxLimits
from tests.patience import LOOK, PATIENCE

LIMITS = SandboxLimits(sandbox_memory_gb=0.1, sandbox_processes=16)
NEEDED = {"memory", "pids"}
FORKS = """
import os, time
for n in range(200):
    try:
        if os.fork() == 0: time.sleep(60); os._exit(0)
    except OSError: print("refused at", n, flush=True); os._exit(3)
print("never refused")
"""
HOG = """
import os
if os.fork() == 0: kept = b'x' * (400 << 20); print("kept", len(kept), flush=True); os._exit(0)
print("ended by", os.WTERMSIG(os.wait()[1]))
"""
SWAPS = "print(open('/sys/fs/cgroup/memory.swap.max').read())"


def top_group() -> Path | None:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return next((Path(line.split(" ")[4]) for line in lines if " - cgroup2 " in line), None)


def why_not() -> str:
    if os.geteuid() != 0:
        return "only root can delegate a control group"
    top = top_group()
    if top is None:
        return "control groups of version 2 are not mounted"
    missing = NEEDED - {*(top / "cgroup.controllers").read_text().split()}
    return (
        f"version 1 holds the controllers {', '.join(sorted(missing))}: version 2 has none of them" if missing else ""
    )


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(params=["root", "nobody"])
def user(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def service(user: str) -> Iterator[Path]:
    """A delegated group with the worker's own inside, as with `Delegate=yes` and `DelegateSubgroup=worker`."""
    top = top_group() or Path("/none")
    (top / "cgroup.subtree_control").write_text("+memory +pids")
    group = top / f"service-{uuid.uuid4().hex}"
    (group / "worker").mkdir(parents=True)
    if user == "root":
        os.setxattr(group, "trusted.delegate", b"1")
    account = pwd.getpwnam(user)
    for name in ("", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads", "worker", "worker/cgroup.procs"):
        os.chown(group / name, account.pw_uid, account.pw_gid)
    yield group
    for folder in (*group.iterdir(), group):
        with suppress(OSError):
            folder.rmdir()


def as_worker(service: Path, user: str, code: str) -> dict[str, object]:
    """Runs code in a sandbox, as a worker in this service does. In a process of its own, which joins the group."""
    with tempfile.TemporaryDirectory() as name:
        folder, account = Path(name), pwd.getpwnam(user)
        (folder / "tree").mkdir()
        for path in (folder, folder / "tree"):
            os.chown(path, account.pw_uid, account.pw_gid)
        worker = multiprocessing.get_context("fork").Process(target=_work, args=(service, user, code, folder))
        worker.start()
        worker.join()
        assert worker.exitcode == 0
        return dict(json.loads((folder / "result").read_text()))


def _work(service: Path, user: str, code: str, folder: Path) -> None:
    (service / "worker" / "cgroup.procs").write_text(str(os.getpid()))
    account = pwd.getpwnam(user)
    os.setgroups([])
    os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    parent = find_parent()
    assert parent is not None
    sandbox = Bubblewrap(folder / "sandbox", limits=LIMITS, path="/usr/bin:/bin")
    enclosure = Enclosure(workspace=folder / "tree", writable=True, environment={})
    argv = sandbox.command(enclosure, ["/usr/bin/python3", "-c", code])
    running = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said, _ = running.communicate()
    group = group_of(parent, running.pid)
    events = read_events(group)
    swap = (group / "memory.swap.max").read_text() if (group / "memory.swap.max").exists() else "0\n"
    deadline = monotonic() + PATIENCE
    while [*parent.glob("caseworker-*")] and monotonic() < deadline:  # the kernel may still be at its last process
        sweep(parent)
        sleep(LOOK)
    left = [one.name for one in parent.glob("caseworker-*")]
    found = {"parent": str(parent), "said": said, "forks": events.forks, "killed": events.killed, "left": left}
    (folder / "result").write_text(json.dumps(found | {"swap": swap.strip()}))


def test_a_sandbox_has_its_group_in_what_is_delegated(service: Path, user: str) -> None:
    found = as_worker(service, user, "print('fine')")

    assert found == {"parent": str(service), "said": "fine\n", "forks": 0, "killed": 0, "left": [], "swap": "0"}


def test_the_kernel_refuses_more_processes_than_the_group_may_have(service: Path, user: str) -> None:
    found = as_worker(service, user, FORKS)

    assert "refused at " in str(found["said"])
    assert found["forks"]


def test_the_kernel_ends_what_takes_more_memory_than_the_group_may_have(service: Path, user: str) -> None:
    """Only the process that took it: what is around it goes on."""
    found = as_worker(service, user, HOG)

    assert found["said"] == "ended by 9\n"
    assert found["killed"]


def test_a_sandbox_can_not_see_its_group(service: Path, user: str) -> None:
    assert "No such file" in str(as_worker(service, user, SWAPS)["said"])
