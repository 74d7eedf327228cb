"""The indexes that pip and uv are set up for, by their own words, files and variables."""

import ast
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import httpx

from caseworker.workspaces.registries.source_parts import (
    Source,
    fetch,
    netrc_login,
    place_of,
    read_netrc,
    say,
    without_login,
)

_DEFAULT: Final = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
_ASK: Final = ("pip", "setuptools", "pytest", "six")
"""Packages that an index of Python is likely to have."""
_PAGE: Final = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"


@dataclass(frozen=True, kw_only=True)
class PythonIndexes:
    first: Source | None
    """The one in place of the built-in default."""
    further: tuple[Source, ...] = ()
    links: tuple[str, ...] = ()
    """Folders or pages with files, pip's `find-links`."""
    by_uv: bool = False
    """uv has settings of its own; otherwise pip's count for it, too."""

    @property
    def sources(self) -> tuple[Source, ...]:
        links = tuple(Source(tool="pip", url=_as_url(one), because="find-links") for one in self.links)
        return (*((self.first,) if self.first else ()), *self.further, *links)


async def find_python_indexes(environment: Mapping[str, str] = os.environ) -> PythonIndexes:
    said = _of_uv(environment) or _of_pip(await _pip_settings())
    first, further, links, by_uv = said
    default = first or await _built_in()
    known = read_netrc()

    async def asked(url: str, because: str) -> Source:
        plain, login = without_login(url)
        source = Source(tool="pip", url=plain, because=because, login=login or netrc_login(plain, known))
        return await _with_downloads(source)

    whose = "uv's settings" if by_uv else "pip's settings"
    return PythonIndexes(
        first=await asked(default, whose if first else "pip's built-in default") if default else None,
        further=tuple([await asked(_as_url(url), whose) for url in further]),
        links=tuple(links),
        by_uv=by_uv,
    )


_Said = tuple[str, list[str], list[str], bool]


async def _pip_settings() -> dict[str, str]:
    text = await say("pip", "config", "list") or await say("pip3", "config", "list")
    text = text or await say("python3", "-m", "pip", "config", "list")
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition("=")
        try:
            found[name.rpartition(".")[2]] = str(ast.literal_eval(value))  # variables come last, and win
        except (ValueError, SyntaxError):
            continue
    return found


def _of_pip(settings: Mapping[str, str]) -> _Said:
    return (
        settings.get("index-url", ""),
        settings.get("extra-index-url", "").split(),
        settings.get("find-links", "").split(),
        False,
    )


def _of_uv(environment: Mapping[str, str]) -> _Said | None:
    first, further = environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL", ""), []
    for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL"):
        further += [one.rpartition("=")[2] for one in environment.get(name, "").split()]
    home = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    for file in (home / "uv" / "uv.toml", Path("/etc/uv/uv.toml")):
        try:
            tables = tomllib.loads(file.read_text())
        except (OSError, tomllib.TOMLDecodeError):
            continue
        for index in tables.get("index", []):
            if index.get("default"):
                first = first or str(index.get("url", ""))
            else:
                further.append(str(index.get("url", "")))
        first = first or str(tables.get("index-url", "") or tables.get("pip", {}).get("index-url", ""))
        further += [str(one) for one in tables.get("extra-index-url", [])]
    return (
        (first, further, environment.get("UV_FIND_LINKS", "").replace(",", " ").split(), True)
        if first or further
        else None
    )


async def _built_in() -> str:
    for python in ("python3", sys.executable):
        if found := await say(python, "-c", _DEFAULT):
            return found
    program = _interpreter_of_pip()
    return await say(program, "-c", _DEFAULT) if program else ""


def _interpreter_of_pip() -> str:
    """pip may be installed alone, as by pipx: its first line names its Python."""
    program = shutil.which("pip3") or shutil.which("pip")
    first = Path(program).read_bytes()[:200].splitlines()[:1] if program else []
    return first[0].decode(errors="replace").removeprefix("#!").strip() if first and first[0].startswith(b"#!/") else ""


async def _with_downloads(source: Source) -> Source:
    """Where the files are: an index may point to another host for them."""
    if source.folder is not None:
        return source
    problem = ""
    for package in _ASK:
        try:
            page = await fetch(f"{source.url.rstrip('/')}/{package}/", accept=_PAGE, login=source.login)
        except (httpx.HTTPError, OSError) as error:
            problem = str(error) or type(error).__name__
            continue
        urls = _links(page)
        others = {place_of(url): url for url in urls if place_of(url) not in ("", place_of(source.url))}
        return replace(source, downloads=tuple(_root(url) for url in others.values()))
    return replace(source, problem=problem)


def _links(page: str) -> list[str]:
    try:
        return [str(file.get("url", "")) for file in json.loads(page)["files"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return re.findall(r"""href=["'](https?://[^"'#\s]{1,500})""", page)


def _root(url: str) -> str:
    return f"{url.partition('://')[0]}://{url.partition('://')[2].partition('/')[0]}/"


def _as_url(text: str) -> str:
    return Path(text).as_uri() if text.startswith("/") else text
