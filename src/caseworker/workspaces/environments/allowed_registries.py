"""Which registries set-up may reach, and what it is told about them: addresses without credentials, certificates."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from caseworker.workspaces.allowed_hosts import REGISTRIES, AllowedHosts, Entrance
from caseworker.workspaces.certificates import certificate_files
from caseworker.workspaces.registries import other_registries as others
from caseworker.workspaces.registries.node_registries import find_node_registries, scoped_lines
from caseworker.workspaces.registries.python_indexes import PythonIndexes, find_python_indexes
from caseworker.workspaces.registries.source_parts import Source, place_of

_MINUTES: Final = 10
_CERTIFICATES: Final = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "CARGO_HTTP_CAINFO"),
    *("GIT_SSL_CAINFO", "NPM_CONFIG_CAFILE", "DENO_CERT"),
)


@dataclass(frozen=True, kw_only=True)
class Found:
    python: PythonIndexes
    node: tuple[Source, ...]
    other: tuple[Source, ...]

    @property
    def all(self) -> tuple[Source, ...]:
        return (*self.python.sources, *self.node, *self.other)


@dataclass(frozen=True, kw_only=True)
class HandedIn:
    """What a set-up is given."""

    variables: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    """Indexes on this disk and certificates, mounted read-only."""


class Registries:
    def __init__(self, entries: Sequence[str]) -> None:
        """`entries`: the setting `setup_hosts`."""
        self._asked = REGISTRIES in entries
        self._plain = [entry for entry in entries if entry != REGISTRIES]
        self._found: Found | None = None
        self._at = 0.0
        self._lock = asyncio.Lock()

    async def found(self) -> Found | None:
        """Null: the settings name hosts, and nothing is asked."""
        if not self._asked:
            return None
        async with self._lock:
            if self._found is None or monotonic() - self._at > _MINUTES * 60:
                self._found, self._at = await _ask(), monotonic()
            return self._found

    async def allowed(self) -> AllowedHosts:
        found = await self.found()
        places = [place for source in found.all for place in source.places] if found else []
        # With its port each may have a private address: the user has configured it.
        return AllowedHosts([*self._plain, *dict.fromkeys(places)], _entrances(found.all if found else ()))

    async def marks(self) -> list[str]:
        """What of it is part of an environment's key."""
        found = await self.found()
        return sorted(source.url for source in found.all) if found else []

    async def handed_in(self) -> HandedIn:
        found = await self.found()
        certificates = certificate_files()
        variables = dict.fromkeys(_CERTIFICATES, str(certificates[0])) if certificates else {}
        if found is None:
            return HandedIn(variables=variables, folders=tuple(certificates))
        variables |= {**_python_variables(found.python), **_node_variables(found.node), **_other_variables(found.other)}
        local = [_shown(source.folder) for source in found.all if source.folder is not None and source.folder.is_dir()]
        return HandedIn(variables=variables, folders=(*certificates, *_outermost(local)))


def _entrances(sources: Sequence[Source]) -> dict[str, Entrance]:
    return {
        place_of(source.url): Entrance(header=source.login.header, tls=source.url.startswith("https:"))
        for source in sources
        if source.login is not None
    }


async def _ask() -> Found:
    python, node, rest = await asyncio.gather(find_python_indexes(), find_node_registries(), _ask_others())
    return Found(python=python, node=node, other=rest)


async def _ask_others() -> tuple[Source, ...]:
    found = await asyncio.gather(
        others.find_cargo(),
        others.find_go(),
        others.find_maven(),
        others.find_gems(),
        others.find_composer(),
        others.find_nuget(),
        others.find_hex(),
    )
    return tuple(source for some in found for source in some)


def _python_variables(python: PythonIndexes) -> dict[str, str]:
    found: dict[str, str] = {"PIP_RETRIES": "1", "UV_HTTP_RETRIES": "1"}
    if python.first is not None:
        found |= {"UV_DEFAULT_INDEX": python.first.told, "PIP_INDEX_URL": python.first.told}
    if python.further:
        urls = " ".join(source.told for source in python.further)
        found |= {"UV_INDEX": urls, "PIP_EXTRA_INDEX_URL": urls}
        if not python.by_uv:
            found["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # what pip does, whose settings these are
    if python.links:
        found |= {"UV_FIND_LINKS": ",".join(python.links), "PIP_FIND_LINKS": " ".join(python.links)}
    plain = [source.told for source in python.sources if source.told.startswith("http://")]
    if plain:
        hosts = " ".join(dict.fromkeys(url.partition("://")[2].partition("/")[0] for url in plain))
        found |= {"UV_INSECURE_HOST": hosts, "PIP_TRUSTED_HOST": hosts}
    return found


def _node_variables(node: tuple[Source, ...]) -> dict[str, str]:
    if not node:
        return {}
    url = node[0].told
    found = {"npm_config_registry": url, "YARN_REGISTRY": url, "YARN_NPM_REGISTRY_SERVER": url.rstrip("/")}
    if url.startswith("http://"):
        found["YARN_UNSAFE_HTTP_WHITELIST"] = url.partition("://")[2].partition("/")[0].partition(":")[0]
    found["npm_config_replace_registry_host"] = "always"  # a lock file may name the hosts of those who wrote it
    return found | {f"npm_config_{name}": where for name, where in scoped_lines().items()}


def _other_variables(other: tuple[Source, ...]) -> dict[str, str]:
    go = [source for source in other if source.tool == "go"]
    proxies = ",".join(source.told for source in go if source.role == "registry")
    gems = [source.url for source in other if source.tool == "gem"]
    found = {"GOPROXY": proxies} if proxies else {}
    if mirror := next((source.told for source in other if (source.tool, source.role) == ("maven", "mirror")), ""):
        found["CASEWORKER_MAVEN_MIRROR"] = mirror
    return found | ({"BUNDLE_MIRROR__ALL": gems[0]} if len(gems) == 1 else {})


def _shown(index: Path) -> Path:
    """An index of folders has its files beside it."""
    return index.parent if index.name == "simple" else index


def _outermost(folders: Sequence[Path]) -> list[Path]:
    unique = list(dict.fromkeys(folders))
    return [one for one in unique if not any(one != other and one.is_relative_to(other) for other in unique)]
