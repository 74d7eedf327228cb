"""The registries that npm (and so pnpm and yarn) is set up for, by its own words and files."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import httpx

from caseworker.workspaces.registries.source_parts import Login, Source, fetch, place_of, say, without_login

_ASK: Final = ("semver", "is-number", "ms")
_LINE: Final = re.compile(r"^\s*([^=;#\s][^=]{0,300}?)\s*=\s*(.{0,2000}?)\s*$")
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")


async def find_node_registries(environment: Mapping[str, str] = os.environ) -> tuple[Source, ...]:
    """The default registry first, then those of scopes (`@company:registry`)."""
    default = environment.get("npm_config_registry") or await say("npm", "config", "get", "registry")
    if not default.startswith("http"):
        return ()
    lines = _settings(environment)
    urls = {default: "npm's settings"}
    urls |= {url: f"{name} in .npmrc" for name, url in lines.items() if name.endswith(":registry")}
    return tuple([await _with_downloads(_source(url, because, lines)) for url, because in urls.items()])


def scoped_lines(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`@company:registry` lines, which have no login in them."""
    return {name: without_login(url)[0] for name, url in _settings(environment).items() if name.endswith(":registry")}


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    files = [
        Path("/etc/npmrc"),
        Path("/usr/etc/npmrc"),
        Path(environment.get("npm_config_userconfig") or Path.home() / ".npmrc"),
    ]
    found: dict[str, str] = {}
    for file in files:
        try:
            lines = file.read_text(errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if (match := _LINE.match(line)) is not None:
                found[match[1]] = _VARIABLE.sub(lambda name: environment.get(name[1], ""), match[2].strip("\"'"))
    return found


def _source(url: str, because: str, lines: Mapping[str, str]) -> Source:
    plain, login = without_login(url)
    return Source(tool="npm", url=plain, because=because, login=login or _login(plain, lines))


def _login(url: str, lines: Mapping[str, str]) -> Login | None:
    """The longest `//host/path/:_authToken` that the URL begins with."""
    address = url.partition(":")[2].rstrip("/") + "/"
    for name in sorted(lines, key=len, reverse=True):
        where, _, kind = name.rpartition(":")
        if where.startswith("//") and address.startswith(where.rstrip("/") + "/"):
            if kind == "_authToken":
                return Login(header=f"Bearer {lines[name]}")
            if kind == "_auth":
                return Login(header=f"Basic {lines[name]}")
    return None


async def _with_downloads(source: Source) -> Source:
    problem = ""
    for package in _ASK:
        try:
            page = json.loads(await fetch(f"{source.url.rstrip('/')}/{package}/latest", login=source.login))
            tarball = str(page["dist"]["tarball"])
        except (httpx.HTTPError, OSError, ValueError, KeyError, TypeError) as error:
            problem = str(error) or type(error).__name__
            continue
        other = place_of(tarball) not in ("", place_of(source.url))
        return replace(source, downloads=(tarball.rpartition("/-/")[0] or tarball,) if other else ())
    return replace(source, problem=problem)
