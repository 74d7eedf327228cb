"""Parses the head of a request to a forward proxy, and writes the answer to a request that is refused."""

import re
from dataclasses import dataclass

from caseworker.workspaces.allowed_hosts import read_host

_FIRST_LINE = re.compile(rb"([A-Z]+) ([!-~]+) HTTP/1\.([01])")
_ABSOLUTE = re.compile(r"http://([^/?#@]+)([/?][^#]*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::(\d{1,5}))?")
_HOP_BY_HOP = (b"connection", b"proxy-connection", b"keep-alive", b"proxy-authorization", b"upgrade", b"host")


class NotUnderstood(Exception):
    """A proxy can't serve such a request."""


@dataclass(frozen=True)
class ProxyRequest:
    host: str
    port: int
    forwarded: bytes | None
    """The head that is sent to the server. None for a tunnel (CONNECT), of which we read nothing."""

    def with_login(self, header: str) -> bytes:
        """The head with credentials, in place of any that the client sent."""
        first, *lines = (self.forwarded or b"").removesuffix(b"\r\n\r\n").split(b"\r\n")
        kept = [line for line in lines if not line.lower().startswith(b"authorization:")]
        return b"\r\n".join([first, *kept, b"Authorization: " + header.encode()]) + b"\r\n\r\n"


def read_request(head: bytes) -> ProxyRequest:
    first, *headers = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    match = _FIRST_LINE.fullmatch(first)
    if match is None:
        raise NotUnderstood("the first line is no HTTP request")
    method, target = match[1], match[2].decode("ascii")
    if method == b"CONNECT":
        host, port, _ = _read_authority(target, usual=None)
        return ProxyRequest(host=host, port=port, forwarded=None)
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        raise NotUnderstood("a proxy is asked for CONNECT host:port or for an http:// address")
    host, port, authority = _read_authority(absolute[1], usual=80)
    path = absolute[2] or "/"
    start = b"%s %s HTTP/1.%s" % (method, (path if path.startswith("/") else f"/{path}").encode("ascii"), match[3])
    # One request per connection: the answer ends when the server closes, so that we need not parse it.
    ours = [b"Host: " + authority.encode("ascii"), b"Connection: close"]
    kept = [line for line in headers if line.partition(b":")[0].strip().lower() not in _HOP_BY_HOP]
    return ProxyRequest(host=host, port=port, forwarded=b"\r\n".join([start, *ours, *kept]) + b"\r\n\r\n")


def answer(status: int, sentence: str) -> bytes:
    """The sentence is the body and the reason phrase: for a refused tunnel most clients show only the latter."""
    reason = sentence.encode("ascii", "replace").replace(b"\r", b" ").replace(b"\n", b" ")
    body = reason + b"\n"
    head = (b"HTTP/1.1 %d %s" % (status, reason), b"Content-Type: text/plain", b"Content-Length: %d" % len(body))
    return b"\r\n".join([*head, b"Connection: close", b"", body])


def _read_authority(text: str, *, usual: int | None) -> tuple[str, int, str]:
    match = _AUTHORITY.fullmatch(text)
    host = read_host(match[1]) if match else None
    port = usual if match is None or match[2] is None else int(match[2])
    if host is None or port is None or not 0 < port < 65536:
        raise NotUnderstood("it names no host and port")
    return host, port, text
