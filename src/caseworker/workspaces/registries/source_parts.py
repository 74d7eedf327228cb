"""What is known of one registry, and the ways to ask for it: a program's own words, and a page of an index."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlsplit, urlunsplit

import httpx

from caseworker.workspaces.certificates import trusted
from caseworker.workspaces.child_processes import Child, Program

_SECONDS = 20.0
_PROGRAM_SECONDS = 60.0
"""For a program's answer: npm was seen to need half a minute on a busy machine, and without an answer nothing is
allowed."""
_MOST_BYTES = 8 << 20


@dataclass(frozen=True, kw_only=True)
class Login:
    """Lets the proxy speak for a user. It never gets into the sandbox."""

    header: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Source:
    """One registry or index of one package manager."""

    tool: str
    url: str
    """Without credentials. A folder on this disk is `file:///...`."""
    because: str
    """Where it is written: a file, a variable, or the tool's own default."""
    role: Literal["registry", "mirror", "checksums"] = "registry"
    """`mirror`: it stands for all others of its tool. `checksums`: it only confirms what a registry gives."""
    login: Login | None = None
    downloads: tuple[str, ...] = ()
    """URLs of other hosts that it points to for downloads."""
    problem: str = ""
    """Why it could not be asked for its downloads."""

    @property
    def places(self) -> tuple[str, ...]:
        """`host:port` of everything that has to be reached."""
        found = (place_of(url) for url in (self.url, *self.downloads))
        return tuple(dict.fromkeys(place for place in found if place))

    @property
    def told(self) -> str:
        """The address for a set-up. With a login: one that the proxy answers itself, so that it can add the login."""
        parts = urlsplit(self.url)
        if self.login is None or parts.scheme not in ("http", "https"):
            return self.url
        return urlunsplit(parts._replace(scheme="http", netloc=place_of(self.url)))

    @property
    def folder(self) -> Path | None:
        return Path(urlsplit(self.url).path) if self.url.startswith("file://") else None


def place_of(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def without_login(url: str) -> tuple[str, Login | None]:
    """The URL without a name and password in it, and these as the header that a server expects."""
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return url, None
    host = parts.netloc.rpartition("@")[2]
    basic = httpx.BasicAuth(parts.username or "", parts.password or "")
    header = next(basic.auth_flow(httpx.Request("GET", "http://x"))).headers["Authorization"]
    return urlunsplit(parts._replace(netloc=host)), Login(header=header)


async def say(*words: str, folder: Path | None = None, more: Mapping[str, str] | None = None) -> str:
    """What a program prints, run as this user outside the sandbox in an empty folder. Empty: it is not here, fails, or
    can't be started (a script whose interpreter is missing).

    Only ever in a folder of ours: a repository's own files must not choose where its packages come from."""
    program = shutil.which(words[0])
    if program is None:
        return ""
    chunks: list[bytes] = []
    asked = Program(argv=[program, *words[1:]], folder=folder or Path("/"), environment={**os.environ, **(more or {})})
    try:
        child = Child(asked, on_output=chunks.append, on_errors=lambda _: None)
    except OSError:
        return ""
    code = 1
    try:
        async with asyncio.timeout(_PROGRAM_SECONDS):
            code = await child.ended()
    except TimeoutError:
        pass
    finally:
        await child.end()
    return b"".join(chunks).decode(errors="replace").strip() if code == 0 else ""


async def fetch(url: str, *, accept: str = "*/*", login: Login | None = None) -> str:
    """A page of an index. Raises `httpx.HTTPError` or `OSError`."""
    headers = {"Accept": accept, **({"Authorization": login.header} if login else {})}
    async with httpx.AsyncClient(verify=trusted(), timeout=_SECONDS, follow_redirects=True) as client:
        answer = await client.get(url, headers=headers)
        answer.raise_for_status()
        return answer.text[:_MOST_BYTES]


def netrc_login(url: str, hosts: Mapping[str, tuple[str, str]]) -> Login | None:
    host = urlsplit(url).hostname or ""
    if host not in hosts:
        return None
    name, password = hosts[host]
    return without_login(f"https://{quote(name, safe='')}:{quote(password, safe='')}@{host}/")[1]


def read_netrc() -> dict[str, tuple[str, str]]:
    import netrc

    file = Path(os.environ.get("NETRC") or Path.home() / ".netrc")
    try:
        entries = netrc.netrc(str(file)).hosts
    except (OSError, netrc.NetrcParseError):
        return {}
    return {host: (entry[0], entry[2]) for host, entry in entries.items() if entry[2]}


def first_words(text: str) -> Sequence[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
