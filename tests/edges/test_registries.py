"""Registries as this user's tools are set up for them: found by asking, entered by the proxy alone."""

import base64
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from caseworker.app.parts import make_builder
from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.workspaces.environments.allowed_registries import Registries
from caseworker.workspaces.registries.node_registries import find_node_registries
from caseworker.workspaces.registries.other_registries import find_composer, find_gems
from caseworker.workspaces.registries.python_indexes import find_python_indexes
from caseworker.workspaces.sandbox import Bubblewrap
from tests.edges.repositories import local_workspaces, new_repository

LOGIN = f"Basic {base64.b64encode(b'ada:s3cret').decode()}"
WHEEL = "tiny-1.0-py3-none-any.whl"


def wheel() -> bytes:
    about = "tiny-1.0.dist-info"
    texts = {
        "tiny.py": "word = 'from the mirror'\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    texts[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in (*texts, f"{about}/RECORD"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return packed.getvalue()


class Mirror:
    """A company's index on this machine: it wants a login, and keeps its files where `files` says."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.files = ".."
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.place = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.asked.append((self.path, self.headers.get("Authorization", "")))
                pages = {f"/simple/{name}/": mirror.page() for name in ("tiny", "pip")} | {f"/files/{WHEEL}": wheel()}
                known = self.headers.get("Authorization") == LOGIN
                found = pages.get(self.path) if known else None
                self.send_response(401 if not known else 200 if found is not None else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(found or b"")))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(found or b"")

            do_HEAD = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Nothing on the screen of a test."""

        return Handler

    def page(self) -> bytes:
        return f'<a href="{self.files}/../files/{WHEEL}">{WHEEL}</a>'.encode()


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    found = Mirror()
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://ada:s3cret@{found.place}/simple")
    yield found
    found.server.shutdown()
    found.server.server_close()


async def test_pips_index_is_found_without_its_login(mirror: Mirror) -> None:
    first = (await find_python_indexes()).first
    assert first is not None
    assert (first.url, first.because) == (f"http://{mirror.place}/simple", "pip's settings")
    assert first.login is not None
    assert first.login.header == LOGIN
    assert "s3cret" not in repr(first)


async def test_hosts_that_an_index_points_to_are_found_by_asking_it(mirror: Mirror) -> None:
    mirror.files = "https://files.example/packages"
    first = (await find_python_indexes()).first
    assert first is not None
    assert first.places == (mirror.place, "files.example:443")


@pytest.mark.slow
async def test_an_index_that_does_not_answer_is_named_with_its_problem(mirror: Mirror) -> None:
    mirror.server.shutdown()
    mirror.server.server_close()
    first = (await find_python_indexes()).first
    assert first is not None
    assert first.problem


async def test_a_folder_as_an_index_needs_no_host(monkeypatch: pytest.MonkeyPatch, mirror: Mirror) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "file:///srv/pypi/simple")
    first = (await find_python_indexes()).first
    assert first is not None
    assert (first.places, first.folder) == ((), Path("/srv/pypi/simple"))


@pytest.mark.slow
async def test_npms_registry_and_token_are_read_from_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mirror: Mirror
) -> None:
    file = tmp_path / "npmrc"
    file.write_text(f"@corp:registry=http://{mirror.place}/npm/\n//{mirror.place}/npm/:_authToken=${{TOKEN}}\n")
    monkeypatch.setenv("TOKEN", "t0ken")
    environment = {
        "npm_config_userconfig": str(file),
        "TOKEN": "t0ken",
        "npm_config_registry": f"http://{mirror.place}/",
    }
    scoped = (await find_node_registries(environment))[-1]
    assert (scoped.url, scoped.because) == (f"http://{mirror.place}/npm/", "@corp:registry in .npmrc")
    assert scoped.login is not None
    assert scoped.login.header == "Bearer t0ken"


async def test_set_up_installs_from_a_mirror_whose_login_it_never_sees(mirror: Mirror, tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "calc")
    repository.commit({"requirements.txt": "tiny\n"})
    workspaces = local_workspaces(tmp_path / "home")
    settings = Settings(home=tmp_path / "home")
    builder = make_builder(settings, Bubblewrap(tmp_path / "sandbox"), workspaces)
    workspace = await workspaces.prepare(CaseId("local/calc#1"), repository.ref, None)
    lines = {
        Purpose.SETUP: "env > $CASEWORKER_ENV/seen && uv venv -q --python python3 $VIRTUAL_ENV && uv pip install tiny",
        Purpose.TEST: "python3 -c 'import tiny; print(tiny.word)'; cat $CASEWORKER_ENV/seen",
    }
    commands = [Command(purpose=purpose, command=line) for purpose, line in lines.items()]
    runs = await builder.run(workspace, commands, seconds=60)
    assert [run.passed for run in runs] == [True, True], runs[-1].output
    assert runs[1].output.startswith("from the mirror\n")
    assert "s3cret" not in runs[1].output
    assert LOGIN.split()[1] not in runs[1].output
    assert (f"/files/{WHEEL}", LOGIN) in mirror.asked


async def test_a_checksum_server_of_go_is_allowed_and_not_handed_in_as_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go").write_text("#!/bin/sh\necho http://127.0.0.1:7/go,direct\necho sums.example.com+key\n")
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    registries = Registries(["registries"])
    assert (await registries.handed_in()).variables["GOPROXY"] == "http://127.0.0.1:7/go"
    found = await registries.found()
    assert found is not None
    assert [one.url for one in found.other] == ["http://127.0.0.1:7/go", "https://sums.example.com/"]


async def test_a_mirror_of_maven_is_handed_in_and_other_repositories_are_only_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".m2").mkdir()
    (tmp_path / "mvn").write_text("")
    (tmp_path / "mvn").chmod(0o755)
    (tmp_path / ".m2" / "settings.xml").write_text(
        "<settings><profiles><profile><repositories><repository><url>http://127.0.0.1:7/own</url></repository>"
        "</repositories></profile></profiles>"
        "<mirrors><mirror><mirrorOf>*</mirrorOf><url>http://127.0.0.1:8/all</url></mirror></mirrors></settings>"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    registries = Registries(["registries"])
    assert (await registries.handed_in()).variables["CASEWORKER_MAVEN_MIRROR"] == "http://127.0.0.1:8/all"
    found = await registries.found()
    assert found is not None
    assert [(one.url, one.because) for one in found.other] == [
        ("http://127.0.0.1:8/all", "a mirror in Maven's settings.xml"),
        ("http://127.0.0.1:7/own", "Maven's settings.xml"),
    ]


async def test_a_list_of_hosts_asks_nobody() -> None:
    registries = Registries(["a.example"])
    assert await registries.found() is None
    assert (await registries.allowed()).allow("a.example", 443)


async def test_a_package_manager_that_can_not_be_started_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "composer"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await find_composer() == ()


async def test_bundlers_index_is_beside_a_public_host_and_not_beside_a_mirror(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sources = (
        "https://gems.example/",
        "https://ada:s3cret@gems.company.example/",
        "http://mirror.example:8080/",
        "http://10.0.0.7/",
    )
    script = tmp_path / "gem"
    script.write_text("#!/bin/sh\n" + "".join(f"echo {url}\n" for url in ("'*** CURRENT SOURCES ***'", *sources)))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = await find_gems()
    assert [one.downloads for one in found] == [("https://index.gems.example/",), (), (), ()]
    assert found[1].url == "https://gems.company.example/"
