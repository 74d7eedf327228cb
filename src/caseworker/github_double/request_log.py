"""A record of every request, so that tests can count writes and find unexpected ones."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Entry:
    face: Literal["rest", "graphql", "git"]
    method: str
    path: str
    """Without the query and without `/api/v3`."""
    query: str
    actor: str
    status: int
    is_write: bool
    """Whether it changed something or was meant to."""
    operation: str = ""
    """Of GraphQL: the fields of the operation, such as `addComment`."""

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}{f' {self.operation}' if self.operation else ''} {self.status} ({self.actor})"


@dataclass
class RequestLog:
    entries: list[Entry] = field(default_factory=list)
    listeners: list[Callable[[Entry], object]] = field(default_factory=list)
    """Called when a request has been carried out and its answer has not left yet."""

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        for tell in self.listeners:
            tell(entry)

    def writes(self, actor: str | None = None) -> list[Entry]:
        """Requests that changed something, in order."""
        return [
            one for one in self.entries if one.is_write and one.status < 400 and (actor is None or one.actor == actor)
        ]

    def lines(self) -> list[str]:
        return [one.line for one in self.entries]

    def clear(self) -> None:
        self.entries.clear()
