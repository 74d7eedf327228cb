"""The registries of Cargo, Go, Maven, RubyGems, Composer, NuGet and Hex, by their own words and files."""

import asyncio
import json
import os
import re
import shutil
import tomllib
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit
from xml.etree import ElementTree

import httpx

from caseworker.workspaces.registries.source_parts import (
    Login,
    Source,
    fetch,
    first_words,
    place_of,
    say,
    without_login,
)

_MANIFEST: Final = '[package]\nname = "asked"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ncfg-if = "1"\n'


async def find_cargo(environment: Mapping[str, str] = os.environ) -> tuple[Source, ...]:
    if shutil.which("cargo") is None:
        return ()
    home = Path(environment.get("CARGO_HOME") or Path.home() / ".cargo")
    urls = [] if (said := _cargo_settings(home)) is None else said
    because = "Cargo's settings" if urls else "Cargo's built-in default"
    return tuple([await _crates(url, because) for url in urls or await _cargo_default(home)])


def _cargo_settings(home: Path) -> list[str] | None:
    for name in ("config.toml", "config"):
        try:
            tables = tomllib.loads((home / name).read_text())
        except (OSError, tomllib.TOMLDecodeError):
            continue
        sources = [table.get("registry") for table in tables.get("source", {}).values()]
        sources += [table.get("index") for table in tables.get("registries", {}).values()]
        return [str(one).removeprefix("sparse+") for one in sources if one]
    return None


async def _cargo_default(home: Path) -> list[str]:
    """Cargo does not tell its default: it is asked to fetch, through a proxy that notes where to and refuses."""
    with TemporaryDirectory(prefix="caseworker-ask-") as name:
        folder = Path(name)
        (folder / "src").mkdir()
        (folder / "src" / "lib.rs").touch()
        (folder / "Cargo.toml").write_text(_MANIFEST)
        async with _watched() as (proxy, hosts):
            more = {
                "CARGO_HTTP_PROXY": proxy,
                "HTTPS_PROXY": proxy,
                "CARGO_NET_RETRY": "0",
                "CARGO_HOME": str(folder / "home"),
            }
            await say("cargo", "fetch", folder=folder, more={**more, "RUSTUP_HOME": str(_rustup(home))})
        return [f"https://{host}/" for host in dict.fromkeys(hosts)]


def _rustup(home: Path) -> Path:
    return Path(os.environ.get("RUSTUP_HOME") or home.parent / ".rustup")


@asynccontextmanager
async def _watched() -> AsyncIterator[tuple[str, list[str]]]:
    hosts: list[str] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words = (await reader.readline()).split()
        if len(words) > 1 and words[0] == b"CONNECT":
            hosts.append(words[1].decode(errors="replace").removesuffix(":443"))
        writer.write(b"HTTP/1.1 403 Noted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", hosts


async def _crates(url: str, because: str) -> Source:
    plain, login = without_login(url)
    source = Source(tool="cargo", url=plain, because=because, login=login)
    try:
        downloads = str(json.loads(await fetch(f"{plain.rstrip('/')}/config.json", login=login))["dl"])
    except (httpx.HTTPError, OSError, ValueError, KeyError) as error:
        return replace(source, problem=str(error) or type(error).__name__)
    return replace(source, downloads=(downloads,) if place_of(downloads) != place_of(plain) else ())


async def find_go() -> tuple[Source, ...]:
    lines = (await say("go", "env", "GOPROXY", "GOSUMDB")).splitlines()
    proxies = [url for url in re.split(r"[,|]", lines[0]) if url.startswith("http")] if lines else []
    sums = (
        [f"https://{lines[1].split()[0].partition('+')[0]}/"] if len(lines) > 1 and lines[1] not in ("", "off") else []
    )
    found = [
        Source(tool="go", url=without_login(url)[0], because="go env GOPROXY", login=without_login(url)[1])
        for url in proxies
    ]
    return (*found, *(Source(tool="go", url=url, because="go env GOSUMDB", role="checksums") for url in sums))


async def find_maven() -> tuple[Source, ...]:
    program = shutil.which("mvn")
    if program is None:
        return ()
    said = _maven_settings(Path.home() / ".m2" / "settings.xml") or _maven_settings(Path("/etc/maven/settings.xml"))
    if said:
        return tuple(said)
    built_in = await asyncio.to_thread(_maven_default, program)
    return tuple(Source(tool="maven", url=url, because="Maven's built-in default") for url in built_in)


def _maven_settings(file: Path) -> list[Source]:
    """Mirrors and repositories. Mirrors first."""
    try:
        root = ElementTree.parse(file).getroot()
    except (OSError, ElementTree.ParseError):
        return []
    found: list[Source] = []
    for kind in ("mirror", "repository", "pluginRepository"):
        named = [node for node in root.iter() if node.tag.rpartition("}")[2] == kind]
        urls = [(child.text or "").strip() for node in named for child in node if child.tag.rpartition("}")[2] == "url"]
        usable = [without_login(url)[0] for url in urls if url.startswith("http") and "0.0.0.0" not in url]
        found += [_maven_source(url, is_mirror=kind == "mirror") for url in usable]
    return found


def _maven_source(url: str, *, is_mirror: bool) -> Source:
    if is_mirror:
        return Source(tool="maven", url=url, because="a mirror in Maven's settings.xml", role="mirror")
    return Source(tool="maven", url=url, because="Maven's settings.xml")


def _maven_default(program: str) -> list[str]:
    """Maven's own model, which every project inherits from, names its default repository."""
    for jar in sorted(Path(program).resolve().parent.parent.glob("lib/maven-model-builder-*.jar")):
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.endswith("pom-4.0.0.xml"):
                    found = re.findall(
                        r"<url>(https?://[^<\s]{1,200})</url>", archive.read(name).decode(errors="replace")
                    )
                    return list(dict.fromkeys(found))
    return []


async def find_gems() -> tuple[Source, ...]:
    urls = [line for line in first_words(await say("gem", "sources")) if line.startswith("http")]
    return tuple(_gems(*without_login(url)) for url in urls)


def _gems(url: str, login: Login | None) -> Source:
    # Bundler reads the list of gems from a host of this name where there is one; a mirror has none.
    host = urlsplit(url).hostname or ""
    is_public = login is None and urlsplit(url).port is None and "." in host and not host.replace(".", "").isdigit()
    index = (f"https://index.{host}/",) if is_public else ()
    return Source(tool="gem", url=url, because="gem sources", login=login, downloads=index)


async def find_composer() -> tuple[Source, ...]:
    text = await say("composer", "config", "--global", "--list")
    urls = re.findall(r"^\[repositories\.[^\]]+\.url\]\s+(https?://\S+)", text, re.MULTILINE)
    return tuple([await _packagist(url) for url in urls])


async def _packagist(url: str) -> Source:
    source = Source(tool="composer", url=without_login(url)[0], because="composer config", login=without_login(url)[1])
    try:
        page = await fetch(f"{source.url.rstrip('/')}/p2/psr/log.json", login=source.login)
    except (httpx.HTTPError, OSError) as error:
        return replace(source, problem=str(error) or type(error).__name__)
    found = {place_of(one): one for one in re.findall(r'"url":"(https:[^"]{1,300})"', page.replace("\\/", "/"))}
    return replace(source, downloads=tuple(one for place, one in found.items() if place != place_of(source.url)))


async def find_nuget() -> tuple[Source, ...]:
    urls = re.findall(r"https?://\S+", await say("dotnet", "nuget", "list", "source", "--format", "Short"))
    return tuple([await _nuget(url) for url in urls])


async def _nuget(url: str) -> Source:
    source = Source(tool="nuget", url=url, because="dotnet nuget list source")
    try:
        resources = json.loads(await fetch(url))["resources"]
    except (httpx.HTTPError, OSError, ValueError, KeyError) as error:
        return replace(source, problem=str(error) or type(error).__name__)
    ids = [str(one.get("@id", "")) for one in resources if "PackageBaseAddress" in str(one.get("@type", ""))]
    return replace(source, downloads=tuple(one for one in ids if place_of(one) != place_of(url)))


async def find_hex() -> tuple[Source, ...]:
    if not await asyncio.to_thread(_has_hex):
        return ()
    text = await say("mix", "hex.repo", "list")
    return tuple(Source(tool="hex", url=url, because="mix hex.repo list") for url in re.findall(r"https?://\S+", text))


def _has_hex() -> bool:
    """Without Hex, mix works for seconds and then asks whether to install it."""
    return any(Path(os.environ.get("MIX_HOME") or Path.home() / ".mix").glob("**/archives/hex-*"))
