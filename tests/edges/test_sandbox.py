"""The sandbox itself: its process tree, toolchains and mounts, and its messages where it can't work."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caseworker.core.base.errors import Refused
from caseworker.ports import Enclosure
from caseworker.workspaces.sandbox import Bubblewrap, Unconfined
from caseworker.workspaces.sandbox_probe import explain
from caseworker.workspaces.toolchains import find_toolchains, home_folders
from tests.patience import PATIENCE


@pytest.fixture
def sandbox(tmp_path: Path) -> Bubblewrap:
    return Bubblewrap(tmp_path / "sandbox")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


@pytest.fixture
def marker(tmp_path: Path) -> str:
    """Seconds for `sleep` that no other test, and no other test run on this machine, uses."""
    return f"3141.{abs(hash(tmp_path)) % 10**12}"


def run(sandbox: Bubblewrap | Unconfined, enclosure: Enclosure, *argv: str) -> str:
    done = subprocess.run(sandbox.command(enclosure, argv), env={}, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def processes(marker: str) -> list[int]:
    """Processes `sleep <marker>` on this machine: those inside the sandbox, not the bwrap that starts them."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "cmdline").read_text() == f"sleep\0{marker}\0":
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def eventually(count: int, marker: str) -> bool:
    deadline = time.monotonic() + PATIENCE
    while len(found := processes(marker)) != count or not all(is_guarded(pid) for pid in found):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_guarded(pid: int) -> bool:
    """Whether bwrap already ends when the worker dies: it does once its process 1 waits for its child.

    In the few milliseconds before, a worker's death is not noticed; then the processes end by their own time limits.
    """
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return Path(f"/proc/{words[1]}/wchan").read_text() in ("do_wait", "wait_woken", "0")
    except OSError:
        return True


def start(sandbox: Bubblewrap, workspace: Path, script: str) -> subprocess.Popen[bytes]:
    enclosure = Enclosure(workspace=workspace, writable=True, environment={})
    return subprocess.Popen(sandbox.command(enclosure, ["/bin/sh", "-c", script]), env={})


async def test_the_probe_finds_no_problem_here(sandbox: Bubblewrap) -> None:
    assert await sandbox.probe() is None


def test_killing_the_sandbox_kills_all_processes_inside(sandbox: Bubblewrap, workspace: Path, marker: str) -> None:
    process = start(sandbox, workspace, f"setsid sleep {marker} & nohup sleep {marker} & sleep {marker}; true")
    assert eventually(3, marker)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert eventually(0, marker)


def test_nothing_is_left_running_when_the_sandbox_ends(sandbox: Bubblewrap, workspace: Path, marker: str) -> None:
    process = start(sandbox, workspace, f"setsid sleep {marker} >/dev/null 2>&1 & echo done")
    assert process.wait() == 0
    assert eventually(0, marker)


def test_the_sandbox_dies_with_the_worker(tmp_path: Path, workspace: Path, marker: str) -> None:
    worker = f"""
import subprocess, sys
from pathlib import Path
from caseworker.ports import Enclosure
from caseworker.workspaces.sandbox import Bubblewrap
enclosure = Enclosure(workspace=Path({str(workspace)!r}), writable=True, environment={{}})
subprocess.Popen(Bubblewrap(Path({str(tmp_path / "sandbox")!r})).command(enclosure, ["sleep", "{marker}"]), env={{}})
print("started", flush=True)
sys.stdin.read()
"""
    source = Path(__file__).parents[2] / "src"
    process = subprocess.Popen(
        [sys.executable, "-c", worker],
        env={"PYTHONPATH": str(source), "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == b"started\n"
    assert eventually(1, marker)
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert eventually(0, marker)


def test_paths_can_be_mounted_under_tmp_and_inside_each_other(sandbox: Bubblewrap, tmp_path: Path) -> None:
    for name in ("outer/inner/tree", "outer/config", "laid"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "laid" / "over.txt").write_text("overlay")
    (tmp_path / "outer" / "hidden.txt").write_text("below")
    enclosure = Enclosure(
        workspace=tmp_path / "outer/inner/tree",
        writable=True,
        environment={},
        read_only=(tmp_path / "outer",),
        read_write=(tmp_path / "outer/config",),
        overlays=((tmp_path / "laid", tmp_path / "outer/inner/tree"),),
    )
    script = f"cd {tmp_path}; cat outer/hidden.txt outer/inner/tree/over.txt; touch outer/config/ok; touch outer/no"
    said = run(sandbox, enclosure, "/bin/sh", "-c", script)
    assert "belowoverlay" in said
    assert (tmp_path / "outer/config/ok").exists()
    assert not (tmp_path / "outer/no").exists()


def test_a_unix_socket_that_is_named_can_be_reached(sandbox: Bubblewrap, workspace: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        (tmp_path / "s").mkdir()
        server.bind(str(tmp_path / "s" / "gate"))
        server.listen()
        gate = str(tmp_path / "s" / "gate")
        code = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({gate!r}); print('in')"
        shut = Enclosure(workspace=workspace, writable=True, environment={})
        open_ = Enclosure(workspace=workspace, writable=True, environment={}, sockets=(tmp_path / "s",))
        assert "in\n" not in run(sandbox, shut, "/usr/bin/python3", "-c", code)
        assert run(sandbox, open_, "/usr/bin/python3", "-c", code) == "in\n"


def test_of_sys_only_the_processors_are_told(sandbox: Bubblewrap, workspace: Path) -> None:
    script = "find /sys -type f; find /sys/class -mindepth 2; touch /sys/class/net/x 2>&1"
    enclosure = Enclosure(workspace=workspace, writable=False, environment={})
    *files, refusal = run(sandbox, enclosure, "/bin/sh", "-c", script).splitlines()
    assert "/sys/devices/system/cpu/online" in files
    assert all(one.startswith("/sys/devices/system/") for one in files)
    assert refusal == "touch: cannot touch '/sys/class/net/x': Read-only file system"


def test_loopback_works_inside_by_name(sandbox: Bubblewrap, workspace: Path) -> None:
    code = "from socket import *; s = create_server(('localhost', 0)); create_connection(s.getsockname()); print('ok')"
    enclosure = Enclosure(workspace=workspace, writable=False, environment={})
    assert run(sandbox, enclosure, "/usr/bin/python3", "-c", code) == "ok\n"


def test_the_first_python_on_the_path_runs_inside_and_its_home_stays_invisible(
    sandbox: Bubblewrap, workspace: Path
) -> None:
    enclosure = Enclosure(workspace=workspace, writable=False, environment={})
    said = run(sandbox, enclosure, "python3", "-c", "import ssl, sqlite3, sys; print(sys.version_info[:2])")
    assert said.startswith("(3, ")
    home = Path.home()
    seen = run(sandbox, enclosure, "/bin/sh", "-c", f"find {home} -maxdepth 1 -type f; ls -A {home}").split()
    assert not {".bashrc", ".gitconfig", ".npmrc", ".ssh", ".claude", ".config", ".cache"} & set(seen)


def tool(path: Path, content: bytes = b"\x7fELF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def test_only_the_folder_of_a_toolchain_is_mounted(tmp_path: Path) -> None:
    home = tmp_path / "ada"
    tool(home / ".pyenv/shims/python3", b"#!/bin/sh")
    tool(home / ".pyenv/versions/3.12.1/bin/python3")
    (home / ".pyenv/version").write_text("3.12.1\n")
    tool(home / ".nvm/versions/node/v20/bin/node")
    tool(home / ".rustup/toolchains/stable/bin/cargo")
    (home / ".rustup/settings.toml").write_text('default_toolchain = "stable"\n')
    tool(home / ".cargo/bin/rustup")
    (home / ".cargo/bin/cargo").symlink_to("rustup")
    tool(home / "bin/make", b"#!/bin/sh")
    tool(home / ".local/bin/uv")
    path = ":".join(str(home / name) for name in (".pyenv/shims", ".nvm/versions/node/v20/bin", ".cargo/bin", "bin"))
    found = find_toolchains(f"{path}:{home}/.local/bin:/usr/bin", {home})
    assert set(found.shown) == {
        home / ".pyenv/versions/3.12.1",
        home / ".nvm/versions/node/v20",
        home / ".rustup/toolchains/stable",
        home / ".local/bin/uv",
    }
    assert not any(home.is_relative_to(path) for path in found.shown)


def test_a_virtual_environment_is_mounted_with_its_base_python(tmp_path: Path) -> None:
    home = tmp_path / "ada"
    tool(home / "pythons/3.11/bin/python3")
    (home / "venv/bin").mkdir(parents=True)
    (home / "venv/pyvenv.cfg").write_text("")
    (home / "venv/bin/python3").symlink_to(home / "pythons/3.11/bin/python3")
    found = find_toolchains(f"{home}/venv/bin", {home})
    assert set(found.shown) == {home / "venv", home / "pythons/3.11"}
    assert found.search_path == (home / "venv/bin",)


def test_a_script_of_a_virtual_environment_needs_its_base_python(tmp_path: Path) -> None:
    home = tmp_path / "ada"
    tool(home / "pythons/3.11/bin/python3")
    tool(home / "venv/bin/python3")  # a copy, not a link
    tool(home / "venv/bin/pytest")
    (home / "venv/pyvenv.cfg").write_text(f"home = {home}/pythons/3.11/bin\nversion = 3.11.7\n")
    found = find_toolchains(f"{home}/venv/bin", {home})
    assert set(found.shown) == {home / "venv", home / "pythons/3.11"}


def test_a_virtual_environment_without_a_base_python_is_not_mounted(tmp_path: Path) -> None:
    home = tmp_path / "ada"
    tool(home / "venv/bin/pytest")
    (home / "venv/pyvenv.cfg").write_text(f"home = {home}/venv/bin\n")
    assert not find_toolchains(f"{home}/venv/bin", {home}).shown


def test_homes_are_those_of_people_and_root() -> None:
    assert Path.home() in home_folders()
    assert Path("/") not in home_folders()


async def test_a_missing_bubblewrap_is_explained_with_what_to_type(tmp_path: Path) -> None:
    sandbox = Bubblewrap(tmp_path, program=tmp_path / "nothing")
    said = await sandbox.probe()
    assert said is not None
    assert "apt-get install bubblewrap" in said
    with pytest.raises(Refused, match="bubblewrap, which is not installed"):
        sandbox.command(Enclosure(workspace=tmp_path, writable=False, environment={}), ["true"])


async def test_a_sandbox_that_does_not_protect_fails_the_probe(tmp_path: Path) -> None:
    script = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift || exit; done\nshift\nexec "$@"\n'
    said = await Bubblewrap(tmp_path, program=tool(tmp_path / "bwrap", script.encode())).probe()
    assert said is not None
    assert said.startswith("The sandbox does not work here: the process inside is not user 1000.")


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ("apparmor restricts", "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("userns_clone off", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ("no namespaces", "sudo sysctl -w user.max_user_namespaces=15000"),
        ("in a container", "--security-opt seccomp=unconfined"),
        ("nothing known", "bwrap --unshare-all --ro-bind / / true"),
    ],
)
def test_where_namespaces_are_forbidden_the_remedy_is_printed(machine: str, words: str) -> None:
    said = explain("bwrap: setting up uid map: Permission denied", frozenset({machine}))
    assert "setting up uid map: Permission denied" in said
    assert words in said
    assert 'sandbox = "off"' in said


async def test_without_a_sandbox_the_environment_is_still_clean(tmp_path: Path, workspace: Path) -> None:
    sandbox = Unconfined(tmp_path)
    assert await sandbox.probe() is None
    argv = sandbox.command(
        Enclosure(workspace=workspace, writable=True, environment={"A": "b c"}), ["sh", "-c", "env; pwd"]
    )
    process = await asyncio.create_subprocess_exec(*argv, env={"KEY": "secret"}, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    assert b"A=b c" in said
    assert str(workspace).encode() in said
    assert b"secret" not in said


def test_expose_mounts_a_further_toolchain(tmp_path: Path, workspace: Path) -> None:
    tool(tmp_path / "extra/bin/hello", b"#!/bin/sh\necho hello\n")
    shutil.copy("/bin/true", tmp_path / "extra/bin/true2")
    sandbox = Bubblewrap(tmp_path / "sandbox", expose=(tmp_path / "extra",))
    assert run(sandbox, Enclosure(workspace=workspace, writable=False, environment={}), "hello") == "hello\n"
