"""Where Temporal is. Apart from the client, which takes a third of a second to import."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where Temporal is: the embedded server, a cluster, or Temporal Cloud."""

    target: str
    namespace: str = "default"
    tls: bool = False
    api_key: str | None = field(default=None, repr=False)
    client_certificate: bytes | None = field(default=None, repr=False)
    client_key: bytes | None = field(default=None, repr=False)
    keys: tuple[bytes, ...] = field(default=(), repr=False)
    """They seal what passes through Temporal, the newest first. Without any it passes in the clear: only for tests."""
