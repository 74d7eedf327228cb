"""In the real sandbox, set-up reaches only named hosts, and tests reach nothing. All servers are on loopback."""

import asyncio
import base64
import hashlib
import io
import json
import os
import resource
import shutil
import socket
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from time import monotonic

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.ports import Enclosure, Workspace
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.sandbox import Bubblewrap, Unconfined
from caseworker.workspaces.setup_network import Interpreter, SetupNetwork, find_interpreter, gate_folder, through
from tests.edges.egress_servers import LocalServer, local_server
from tests.patience import PATIENCE

FETCH = """python3 -c '
import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
' """
TUNNEL = """python3 -c '
import http.client, os, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=20)
connection.set_tunnel(sys.argv[1])
connection.request("GET", sys.argv[2])
sys.stdout.write(connection.getresponse().read().decode())
' """
"""A tunnel (CONNECT), as for https, but without a certificate."""


@pytest.fixture
async def server() -> AsyncIterator[LocalServer]:
    async with local_server({"/greeting": b"hello from outside\n"}) as server:
        yield server


@pytest.fixture
def sandbox(tmp_path: Path) -> Bubblewrap:
    return Bubblewrap(tmp_path / "sandbox")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "tree").mkdir()
    return Workspace(case=CaseId("local/calc#1"), path=tmp_path / "tree", base=Sha("0" * 40), base_branch="main")


async def set_up(builder: SandboxedBuilder, workspace: Workspace, command: str, *, seconds: float = 30) -> CommandRun:
    return (await builder.run(workspace, [Command(purpose=Purpose.SETUP, command=command)], seconds=seconds))[0]


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for sockets of this test alone, with a shorter path than pytest's."""
    with tempfile.TemporaryDirectory(prefix="cw-t-") as name:
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


def left_in(temporary: Path) -> list[str]:
    """What is in the folder, and processes whose arguments name something in it."""
    found = [str(path) for path in temporary.iterdir()]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
        except OSError:
            continue
        found += [word for word in words if word.startswith(f"{temporary}/")]
    return found


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 # pathlib would open one more


@pytest.mark.parametrize("client", [FETCH + "{url}/greeting", TUNNEL + "{name} /greeting", "curl -sSf {url}/greeting"])
async def test_setup_reaches_a_named_host(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer, client: str
) -> None:
    if client.startswith("curl") and not shutil.which("curl"):
        pytest.skip("no curl here")
    builder = SandboxedBuilder(sandbox, hosts=(server.name,))
    ended = await set_up(builder, workspace, client.replace("{url}", server.url).replace("{name}", server.name))
    assert (ended.exit_code, ended.output) == (0, "hello from outside\n")
    assert server.seen == ["GET /greeting HTTP/1.1"]


JAVA = """\
public class Fetch {
    public static void main(String[] words) throws Exception {
        new java.net.URL(words[0]).openStream().transferTo(System.out);
    }
}
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("javac"), reason="no Java here")
async def test_java_reaches_a_named_host_on_this_machine_through_the_proxy(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    """By itself Java asks no proxy for a loopback address."""
    (workspace.path / "Fetch.java").write_text(JAVA)
    builder = SandboxedBuilder(sandbox, hosts=(server.name,))
    ended = await set_up(builder, workspace, f"java Fetch.java {server.url}/greeting 2>/dev/null", seconds=120)
    assert (ended.exit_code, ended.output) == (0, "hello from outside\n")
    assert server.seen == ["GET /greeting HTTP/1.1"]


async def test_a_host_that_is_not_named_is_refused_with_the_setting_to_change(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    ended = await set_up(SandboxedBuilder(sandbox), workspace, TUNNEL + f"{server.name} /greeting")
    assert ended.exit_code == 1
    assert ended.output.endswith(
        f"OSError: Tunnel connection failed: 403 {server.name} is refused: set-up may not reach it. "
        f'To allow it, add "{server.name}" to setup_hosts in caseworker.toml\n'
        f"Caseworker refused this set-up a connection to {server.name}. "
        "It reaches only the hosts named in setup_hosts (caseworker.toml).\n"
    )
    assert server.seen == []


async def test_a_setup_that_passes_does_not_mention_refused_hosts(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    ended = await set_up(SandboxedBuilder(sandbox), workspace, FETCH + f"{server.url}/greeting 2>/dev/null; echo fine")
    assert (ended.exit_code, ended.output) == (0, "fine\n")


@pytest.mark.parametrize("place", ["127.0.0.1:{port}", "127.1:{port}", "2130706433:{port}", "0x7f000001:{port}"])
async def test_an_ip_address_does_not_bypass_the_named_hosts(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer, place: str
) -> None:
    place = place.replace("{port}", str(server.port))
    ended = await set_up(
        SandboxedBuilder(sandbox, hosts=(server.name,)), workspace, TUNNEL + f"{place} /greeting 2>&1 | tail -1"
    )
    assert f"403 {place} is refused: set-up may not reach it." in ended.output
    assert server.seen == []


async def test_a_name_with_a_local_address_is_refused_unless_named_with_its_port(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    async def everything_is_here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    command = TUNNEL + f"npm.corp.example:{server.port} /greeting"
    below = SandboxedBuilder(sandbox, hosts=(f"*.corp.example:{server.port}",), resolve=everything_is_here)
    ended = await set_up(below, workspace, command)
    assert "npm.corp.example is refused: it leads to 127.0.0.1, a local address." in ended.output
    assert f'add "npm.corp.example:{server.port}" to setup_hosts' in ended.output
    assert "(a local address: it has to be named with its port)" in ended.output
    assert server.seen == []
    named = SandboxedBuilder(sandbox, hosts=(f"npm.corp.example:{server.port}",), resolve=everything_is_here)
    assert (await set_up(named, workspace, command)).output == "hello from outside\n"


async def test_a_test_command_reaches_nothing_even_with_the_proxys_address(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    """Set-up writes the proxy's address and the socket's path into the worktree; the test tries both."""
    tell = "echo $HTTP_PROXY > proxy; tr '\\0' '\\n' < /proc/$PPID/cmdline | grep /s$ > socket; "
    commands = [
        Command(purpose=Purpose.SETUP, command=f"{tell} {FETCH} {server.url}/greeting && test -s proxy -a -s socket"),
        Command(purpose=Purpose.TEST, command="env | grep -i proxy"),
        Command(purpose=Purpose.LINT, command=f"export HTTP_PROXY=$(cat proxy); {FETCH} {server.url}/test 2>&1"),
        Command(purpose=Purpose.TYPES, command=f"{FETCH} {server.url}/test 2>&1"),
        Command(purpose=Purpose.TEST, command="test -e $(cat socket)"),
    ]
    ended = await SandboxedBuilder(sandbox, hosts=(server.name,)).run(workspace, commands, seconds=30)
    assert [run.exit_code for run in ended] == [0, 1, 1, 1, 1], ended
    assert [run.output for run in ended if run.purpose is Purpose.TEST] == ["", ""]
    assert server.seen == ["GET /greeting HTTP/1.1"]


@pytest.mark.parametrize("interpreter", [find_interpreter(), Interpreter(Path("/usr/bin/python3"))])
async def test_a_proxy_that_is_gone_causes_an_error_and_does_not_hang(
    sandbox: Bubblewrap, workspace: Workspace, interpreter: Interpreter
) -> None:
    with gate_folder() as folder, socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "s"))
        plain = Enclosure(workspace=workspace.path, writable=True, environment={})
        enclosure, bridge = through(folder, plain, interpreter)
        argv = sandbox.command(enclosure, [*bridge, "/bin/sh", "-c", TUNNEL + "localhost:1 /"])
        process = await asyncio.create_subprocess_exec(*argv, env={}, stderr=asyncio.subprocess.PIPE)
        _, said = await asyncio.wait_for(process.communicate(), 20)
    assert b"502 Caseworker's proxy for set-up is gone (Connection refused)" in said
    assert process.returncode == 1


@pytest.mark.slow
async def test_many_connections_at_once_are_all_served(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    script = f"""
import concurrent.futures, urllib.request
def fetch(number): return urllib.request.urlopen("{server.url}/greeting", timeout=25).read()
with concurrent.futures.ThreadPoolExecutor(250) as pool:
    print(sum(answer == b"hello from outside\\n" for answer in pool.map(fetch, range(250))))
"""
    (workspace.path / "many.py").write_text(script)
    ended = await set_up(SandboxedBuilder(sandbox, hosts=(server.name,)), workspace, "python3 many.py")
    assert ended.output == "250\n"


@pytest.mark.slow
async def test_a_big_download_streams_through(sandbox: Bubblewrap, workspace: Workspace, server: LocalServer) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = 300_000_000
    script = f"""
import urllib.request
answer = urllib.request.urlopen("{server.url}/big/{size}", timeout=20)
print(sum(len(chunk) for chunk in iter(lambda: answer.read(1 << 20), b"")))
"""
    (workspace.path / "big.py").write_text(script)
    ended = await set_up(SandboxedBuilder(sandbox, hosts=(server.name,)), workspace, "python3 big.py")
    assert ended.output == f"{size}\n"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ended", "stopped at the time limit", "cancelled"])
async def test_no_process_and_no_socket_is_left_behind(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer, temporary: Path, how: str
) -> None:
    files = open_files()
    builder = SandboxedBuilder(sandbox, hosts=(server.name,))
    command = f"{FETCH} {server.url}/silent & until test -e go; do sleep 0.02; done"
    task = asyncio.create_task(set_up(builder, workspace, command, seconds=4 if how.startswith("stopped") else 20))
    await server.asked.wait()
    assert len(left_in(temporary)) > 1
    if how == "ended":
        (workspace.path / "go").touch()
    elif how == "cancelled":
        task.cancel()
    await asyncio.wait({task})
    assert task.cancelled() == (how == "cancelled")
    deadline = monotonic() + PATIENCE
    while left_in(temporary) or open_files() > files:
        assert monotonic() < deadline, left_in(temporary)
        await asyncio.sleep(0.02)


async def test_the_bridge_passes_on_the_commands_exit_code(sandbox: Bubblewrap, workspace: Workspace) -> None:
    builder = SandboxedBuilder(sandbox)
    assert [(await set_up(builder, workspace, command)).exit_code for command in ("exit 7", "kill -9 $$")] == [7, 137]
    assert (await set_up(builder, workspace, "false | cat")).exit_code == 1


async def test_without_a_sandbox_there_is_no_bridge(workspace: Workspace, tmp_path: Path) -> None:
    builder = SandboxedBuilder(Unconfined(tmp_path / "u"), hosts=("registry.example",))
    assert (await set_up(builder, workspace, "env | grep -i _proxy")).output == ""


def test_the_interpreter_is_ours_or_the_systems_or_none(tmp_path: Path) -> None:
    private = Path.home() / ".local/bin/python3"
    assert find_interpreter(private, system=tmp_path / "none") is None
    assert find_interpreter(private, system=Path("/usr/bin/python3")) == Interpreter(Path("/usr/bin/python3"))


async def test_without_an_interpreter_only_set_up_with_named_hosts_is_refused(workspace: Workspace) -> None:
    enclosure = Enclosure(workspace=workspace.path, writable=True, environment={})
    async with SetupNetwork((), interpreter=None).opened(enclosure) as way_out:
        assert (way_out.enclosure, way_out.bridge) == (enclosure, ())
    with pytest.raises(Refused, match="no Python can be shown to the sandbox"):
        async with SetupNetwork(("registry.example",), interpreter=None).opened(enclosure):
            pass


# --- end to end ------------------------------------------------------------------------------------------------------


def package(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


@pytest.mark.skipif(not shutil.which("npm"), reason="no npm here")
async def test_a_node_project_gets_its_dependency_and_tests_with_it(
    sandbox: Bubblewrap, workspace: Workspace, server: LocalServer
) -> None:
    manifest = '{"name": "greet", "version": "1.0.0", "main": "index.js"}'
    packed = package({"package.json": manifest, "index.js": "module.exports = name => `hello ${name}`\n"})
    server.files["/greet-1.0.0.tgz"] = packed
    integrity = f"sha512-{base64.b64encode(hashlib.sha512(packed).digest()).decode()}"
    needs = {"name": "mine", "version": "1.0.0", "dependencies": {"greet": "1.0.0"}}
    locked = {"version": "1.0.0", "resolved": f"{server.url}/greet-1.0.0.tgz", "integrity": integrity}
    lock = {**needs, "lockfileVersion": 3, "requires": True, "packages": {"": needs, "node_modules/greet": locked}}
    files = {
        "package.json": json.dumps({**needs, "scripts": {"test": "node test.js"}}),
        "package-lock.json": json.dumps(lock),
        "test.js": "require('assert').equal(require('greet')('ada'), 'hello ada'); console.log('tested')\n",
    }
    for name, text in files.items():
        (workspace.path / name).write_text(text)
    commands = list(find_plan(files).commands)
    assert [command.command for command in commands] == ["npm ci", "npm test"]
    builder = SandboxedBuilder(sandbox, hosts=(server.name,), environment={"npm_config_audit": "false"})
    ended = await builder.run(workspace, commands, seconds=60)
    assert [run.exit_code for run in ended] == [0, 0], ended
    assert ended[1].output.endswith("tested\n")
    assert server.seen == ["GET /greet-1.0.0.tgz HTTP/1.1"]
    refused = await SandboxedBuilder(sandbox).run(workspace, commands[:1], seconds=60)
    assert f'add "{server.name}" to setup_hosts' in refused[0].output
