"""Which hosts set-up commands may reach: reads the entries of `setup_hosts`. Makes no DNS lookup."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from caseworker.core.base.errors import Refused

REGISTRIES = "registries"
"""The entry that stands for the registries that this user's own package managers are set up for."""
USUAL_PORTS = (443, 80)
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_BRACKETED = re.compile(r"\[([0-9a-f:.]+)\](?::(\d+))?")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""The prefix that name servers of IPv6-only networks put before an IPv4 address (the last four bytes)."""


@dataclass(frozen=True)
class Rule:
    host: str
    ports: tuple[int, ...]
    below: bool
    """Written as `*.example.org`: covers every name below example.org, not example.org itself."""
    local: bool
    """May resolve to an address of this machine or its network: only for an entry that names one host with a port."""

    def covers(self, host: str, port: int) -> bool:
        return port in self.ports and (host.endswith(f".{self.host}") if self.below else host == self.host)


@dataclass(frozen=True, kw_only=True)
class Entrance:
    """How the proxy enters a server that wants to know who asks. Set-up is told an http:// address of it, and sends no
    credentials: they are added outside the sandbox, and so is TLS."""

    header: str = field(repr=False)
    """The value of `Authorization`."""
    tls: bool


class AllowedHosts:
    def __init__(self, entries: Sequence[str], entrances: Mapping[str, Entrance] | None = None) -> None:
        """Raises `Refused` for an entry it can't read: an ignored entry would show up later as a refused connection.
        `entrances`: by `host:port`."""
        self._rules = tuple(_rule(entry) for entry in entries)
        self._entrances = dict(entrances or {})

    def __bool__(self) -> bool:
        return bool(self._rules)

    def allow(self, host: str, port: int) -> bool:
        return any(rule.covers(host, port) for rule in self._rules)

    def entrance(self, host: str, port: int) -> Entrance | None:
        return self._entrances.get(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")

    def allow_local(self, host: str, port: int) -> bool:
        return any(rule.local and rule.covers(host, port) for rule in self._rules)


def read_host(text: str) -> str | None:
    """Normalises a host name or address: lower case, no brackets, no final dot. None if it is neither."""
    text = text.lower()
    if match := _BRACKETED.fullmatch(text):
        return _address(match[1]) if match[2] is None else None
    name = text.removesuffix(".")
    return _address(name) or (name if _NAME.fullmatch(name) else None)


def is_address(host: str) -> bool:
    return _address(host) is not None


def is_public(address: str) -> bool:
    """Whether an address is on the internet: not this machine, its network, or a cloud's metadata service."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.sixtofour is not None or ip.teredo is not None:
            return False  # tunnels to an IPv4 address that the client chooses
        if ip in _NAT64:
            ip = ipaddress.IPv4Address(ip.packed[-4:])
        elif ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
    return ip.is_global and not ip.is_multicast


def _rule(entry: str) -> Rule:
    text = entry.strip().lower()
    below = text.startswith("*.")
    host_text, port_text = _split(text.removeprefix("*.") if below else text)
    host = read_host(_to_ascii(host_text))
    if host is None or "/" in text or (below and is_address(host)):
        hint = "Write a name alone, without https:// and path," if "/" in text else "Write a name"
        raise Refused(
            f'"{entry}" is not a host.',
            todo=f'{hint} in setup_hosts: "registry.example", "*.example.org" or "host.example:8443".',
        )
    if port_text is None:
        return Rule(host=host, ports=USUAL_PORTS, below=below, local=False)
    if not (port_text.isdecimal() and 0 < int(port_text) < 65536):
        raise Refused(f'"{entry}" in setup_hosts has no valid port.', todo="Ports are the numbers from 1 to 65535.")
    return Rule(host=host, ports=(int(port_text),), below=below, local=not below)


def _split(text: str) -> tuple[str, str | None]:
    if match := _BRACKETED.fullmatch(text):
        return match[1], match[2]
    if text.count(":") > 1:
        return text, None  # an IPv6 address
    host, colon, port = text.partition(":")
    return host, port if colon else None


def _to_ascii(name: str) -> str:
    """Encodes a name with non-ASCII letters as IDNA, the form in which clients ask for it."""
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def _address(text: str) -> str | None:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
