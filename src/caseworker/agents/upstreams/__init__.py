"""The upstream of the gateway: types of a model call and its answer, and the protocol of what answers it."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

JSON: dict[str, str] = {"content-type": "application/json"}
EVENTS: dict[str, str] = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    path: Literal["/v1/messages", "/v1/messages/count_tokens"]
    query: str
    headers: Mapping[str, str]
    """Only those that belong to the API: its version and beta features."""
    body: bytes = field(repr=False)
    document: Mapping[str, object] = field(repr=False)
    """The body, parsed."""

    @property
    def model(self) -> str:
        return str(self.document.get("model", ""))

    @property
    def max_tokens(self) -> int:
        asked = self.document.get("max_tokens")
        return asked if isinstance(asked, int) and asked > 0 else 0

    @property
    def streamed(self) -> bool:
        return self.document.get("stream") is True


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    status: int
    headers: Mapping[str, str]
    body: AsyncGenerator[bytes, None] = field(repr=False)

    @property
    def uncharged(self) -> bool:
        """Whether it is an error or a redirect, for which the provider charges nothing."""
        return not 200 <= self.status < 300


class Unreachable(Exception):
    """There was no connection to the provider: it has not seen the call, so it charges nothing."""


class BrokenOff(Exception):
    """The provider may have got the call but did not answer completely: it may charge for it."""


class NotScripted(Exception):
    """The rehearsal has no answer for this call. The text says what is missing."""


class Upstream(Protocol):
    rehearsed: bool

    async def send(self, call: ModelCall) -> ModelAnswer:
        """Raises `Unreachable`, `BrokenOff` or `NotScripted`; the body's iterator may raise `BrokenOff` as well."""

    async def close(self) -> None: ...
