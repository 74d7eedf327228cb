"""The proxy for set-up alone: what it allows, its answers, its limits, and what it logs."""

import asyncio
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from caseworker.app.load_settings import load_settings
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.workspaces.allowed_hosts import AllowedHosts, is_public, read_host
from caseworker.workspaces.egress import Egress, Limits
from caseworker.workspaces.proxy_requests import NotUnderstood, read_request
from tests.edges.egress_servers import LocalServer, local_server


@pytest.fixture
async def server() -> AsyncIterator[LocalServer]:
    async with local_server({"/greeting": b"hello from outside\n"}) as server:
        yield server


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cw-t-") as folder:
        yield Path(folder) / "s"


async def ask(path: Path, request: str) -> str:
    """Sends a request and returns the whole answer; the client does not close its side."""
    async with connected(path) as (reader, writer):
        writer.write(request.encode())
        return (await asyncio.wait_for(reader.read(), 10)).decode()


@asynccontextmanager
async def connected(path: Path) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        yield reader, writer
    finally:
        writer.close()


async def nowhere(host: str, port: int) -> Sequence[str]:
    raise AssertionError(f"{host} was looked up")


# --- what it allows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "yes", "no"),
    [
        (
            "registry.example",
            ["registry.example:443", "registry.example:80"],
            ["registry.example:8443", "a.example:443"],
        ),
        ("Registry.Example.", ["registry.example:443"], ["xregistry.example:443", "a.registry.example:443"]),
        ("*.example.org", ["a.example.org:443", "a.b.example.org:80"], ["example.org:443", "badexample.org:443"]),
        ("host.example:8443", ["host.example:8443"], ["host.example:443"]),
        ("b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example", ["xn--bcher-kva.example:443"], ["bcher.example:443"]),
        ("10.0.0.7:8080", ["10.0.0.7:8080"], ["10.0.0.7:443", "10.0.0.8:8080"]),
        ("[::1]:8443", ["[0:0::1]:8443"], ["[::1]:443", "[::2]:8443"]),
        ("2001:4860:4860::8888", ["[2001:4860:4860::8888]:443"], ["[2001:4860:4860::8844]:443"]),
    ],
)
def test_an_entry_covers_its_hosts_and_ports_only(entry: str, yes: list[str], no: list[str]) -> None:
    allowed = AllowedHosts([entry])
    for expected, places in ((True, yes), (False, no)):
        for place in places:
            name, _, port = place.rpartition(":")
            host = read_host(name)
            assert host is not None
            assert allowed.allow(host, int(port)) is expected, place


@pytest.mark.parametrize(
    "entry", ["*", "", "https://registry.example/", "a b", "*.10.0.0.1", "host:", "host:99999", "a..b"]
)
def test_an_entry_that_is_not_a_host_is_refused_at_once(entry: str) -> None:
    with pytest.raises(Refused, match=r"is not a host|has no valid port"):
        AllowedHosts([entry])


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
        ),
        *(
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1%eth0",
            "fd00:ec2::254",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "ff02::1",
        ),
        *("2002:7f00:1::", "2001:0:7f00:1::", "not an address"),
    ],
)
def test_this_machine_and_its_network_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_the_internet_is_public(address: str) -> None:
    assert is_public(address)


async def test_a_refused_name_is_not_looked_up(path: Path) -> None:
    async with Egress(AllowedHosts(["registry.example"]), resolve=nowhere).listening(path):
        said = await ask(path, "CONNECT c2VjcmV0.EVIL.example:443 HTTP/1.1\r\n\r\n")
    assert said.startswith("HTTP/1.1 403 c2vjcmv0.evil.example:443 is refused: set-up may not reach it. ")


@pytest.mark.parametrize("address", ["169.254.169.254", "10.0.0.7", "::1", "::ffff:127.0.0.1"])
async def test_a_named_host_with_a_local_address_is_refused(path: Path, address: str) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return [address]

    egress = Egress(AllowedHosts(["registry.example"]), resolve=resolve)
    async with egress.listening(path):
        said = await ask(path, "CONNECT registry.example:443 HTTP/1.1\r\n\r\n")
    assert said.startswith(f"HTTP/1.1 403 registry.example is refused: it leads to {address}, a local address. ")
    assert 'add "registry.example:443" to setup_hosts' in said
    assert "registry.example:443 (a local address: it has to be named with its port)" in egress.refusals()


async def test_an_allowed_name_without_an_address_is_an_error_not_a_refusal(path: Path) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    egress = Egress(AllowedHosts(["registry.example"]), resolve=resolve)
    async with egress.listening(path):
        said = await ask(path, "CONNECT registry.example:443 HTTP/1.1\r\n\r\n")
    assert said.startswith(
        "HTTP/1.1 502 registry.example is allowed but its name can't be looked up: Name or service not known\r\n"
    )
    assert egress.refusals() == ""


async def test_a_server_that_is_down_is_an_error(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    async with Egress(AllowedHosts([f"127.0.0.1:{port}"])).listening(path):
        said = await ask(path, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")
    assert said.startswith(f"HTTP/1.1 502 127.0.0.1:{port} is allowed but can't be reached: Connection refused\r\n")


# --- what it passes on -----------------------------------------------------------------------------------------------


async def test_plain_http_is_passed_on_without_the_headers_for_the_proxy(path: Path, server: LocalServer) -> None:
    head = f"GET {server.url}?a=b HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: Basic x\r\nX-Mine: 1\r\n"
    async with Egress(AllowedHosts([server.name])).listening(path):
        await ask(path, f"{head}Connection: keep-alive\r\n\r\n")
    sent = f"GET /?a=b HTTP/1.1\r\nHost: {server.name}\r\nConnection: close\r\nX-Mine: 1\r\n\r\n"
    assert server.heads == [sent.encode()]


@pytest.mark.parametrize(
    "head",
    [
        *(
            "GET / HTTP/1.1",
            "GET https://a.example/ HTTP/1.1",
            "GET http://user@a.example/ HTTP/1.1",
            "CONNECT a.example",
        ),
        *("CONNECT a.example HTTP/1.1", "CONNECT a.example:0 HTTP/1.1", "CONNECT a.example:99999 HTTP/1.1", "hello"),
        *(
            "CONNECT :443 HTTP/1.1",
            "CONNECT a\tb:443 HTTP/1.1",
            "CONNECT a/../b:443 HTTP/1.1",
            "GET http:///x HTTP/1.1",
        ),
    ],
)
def test_a_request_that_no_proxy_can_serve_raises_not_understood(head: str) -> None:
    with pytest.raises(NotUnderstood):
        read_request(f"{head}\r\n\r\n".encode())


async def test_the_log_has_hosts_and_bytes_and_no_content(path: Path, server: LocalServer) -> None:
    with capture_logs() as logs:
        async with Egress(AllowedHosts([server.name])).listening(path):
            await ask(path, f"GET {server.url}/greeting?token=secret HTTP/1.1\r\n\r\n")
            await ask(path, "GET http://evil.example/?token=secret HTTP/1.1\r\n\r\n")
    assert [(entry["host"], entry["allowed"]) for entry in logs] == [
        ("localhost", True),
        ("evil.example", False),
        ("localhost", True),
    ]
    assert logs[-1]["received"] > len(b"hello from outside\n")
    assert "secret" not in str(logs)


async def test_thousands_of_refused_hosts_are_reported_in_one_short_line(path: Path) -> None:
    egress = Egress(AllowedHosts([]))
    with capture_logs() as logs:
        async with egress.listening(path):
            for number in range(300):
                await ask(path, f"CONNECT {number}.example:443 HTTP/1.1\r\n\r\n")
    assert len(logs) == 101
    assert "0.example:443, 1.example:443" in egress.refusals()
    assert "9.example:443 and 290 more. It reaches only" in egress.refusals()


# --- its limits ------------------------------------------------------------------------------------------------------


async def test_a_request_that_comes_too_slowly_is_refused_in_time(path: Path) -> None:
    async with Egress(AllowedHosts([]), limits=Limits(head_seconds=0.2)).listening(path):
        said = await ask(path, "CONNECT a.exa")
    assert said.startswith("HTTP/1.1 408 Caseworker's proxy for set-up got no request in time\r\n")


def test_a_busy_client_has_as_long_to_ask_as_a_server_has_to_answer() -> None:
    assert Limits().head_seconds >= Limits().idle_seconds


async def test_a_request_with_an_endless_head_is_refused(path: Path) -> None:
    async with Egress(AllowedHosts([])).listening(path):
        assert "cut off or too long" in await ask(path, f"GET http://a.example/{'x' * 1_000_000}")


async def test_a_silent_tunnel_is_closed(path: Path, server: LocalServer) -> None:
    limits = Limits(idle_seconds=0.3)
    async with Egress(AllowedHosts([server.name]), limits=limits).listening(path):
        said = await ask(path, f"CONNECT {server.name} HTTP/1.1\r\n\r\nGET /silent HTTP/1.1\r\n\r\n")
    assert said == "HTTP/1.1 200 Connection established\r\n\r\n"


async def test_idle_connections_are_closed_so_that_others_are_served(path: Path, server: LocalServer) -> None:
    limits = Limits(connections=2, head_seconds=0.3)
    async with (
        Egress(AllowedHosts([server.name]), limits=limits).listening(path),
        connected(path),
        connected(path),
    ):
        assert "hello from outside" in await ask(path, f"GET {server.url}/greeting HTTP/1.1\r\n\r\n")


async def test_no_more_is_fetched_than_the_client_reads(path: Path, server: LocalServer) -> None:
    """So the worker's memory does not fill, however big the answer and however slow the client."""
    server.patience = 1
    async with Egress(AllowedHosts([server.name])).listening(path), connected(path) as (_, writer):
        writer.write(f"GET {server.url}/big/1000000000 HTTP/1.1\r\n\r\n".encode())
        assert await asyncio.wait_for(server.stalled_after, 10) < 20_000_000


async def test_when_the_proxy_stops_its_connections_end(path: Path, server: LocalServer) -> None:
    async with AsyncExitStack() as listening:
        await listening.enter_async_context(Egress(AllowedHosts([server.name])).listening(path))
        async with connected(path) as (reader, writer):
            writer.write(f"GET {server.url}/silent HTTP/1.1\r\n\r\n".encode())
            await server.asked.wait()
            await listening.aclose()
            assert await asyncio.wait_for(reader.read(), 5) == b""


# --- its setting -----------------------------------------------------------------------------------------------------


def test_hosts_come_from_the_file_or_the_environment(tmp_path: Path) -> None:
    (tmp_path / "caseworker.toml").write_text('setup_hosts = ["registry.example", "host.example:8443"]\n')
    environment = {"CASEWORKER_HOME": str(tmp_path)}
    assert load_settings(environment).setup_hosts == ["registry.example", "host.example:8443"]
    environment["CASEWORKER_SETUP_HOSTS"] = "a.example:8443, *.example.org"
    assert load_settings(environment).setup_hosts == ["a.example:8443", "*.example.org"]
    assert Settings(home=tmp_path).setup_hosts == ["registries"]


def test_a_wrong_host_in_the_settings_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "caseworker.toml").write_text('slots = 1\nsetup_hosts = ["https://registry.example/"]\n')
    with pytest.raises(Refused) as told:
        load_settings({"CASEWORKER_HOME": str(tmp_path)})
    assert str(told.value) == (
        f'{tmp_path}/caseworker.toml, line 2: `setup_hosts`: "https://registry.example/" is not a host. '
        'Write a name alone, without https:// and path, in setup_hosts: "registry.example", "*.example.org" or '
        '"host.example:8443".'
    )
