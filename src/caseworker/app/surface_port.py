"""What a surface is to `serve` and to the wiring: its settings, its chat, and how it is listened to."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from caseworker.ports import Chat, Doorbell, Forge, Store, Thread

if TYPE_CHECKING:
    from starlette.routing import Route

    from caseworker.intake.conversation import Conversation
    from caseworker.intake.new_cases import NewCases


@dataclass(frozen=True, kw_only=True)
class Listening:
    """How a surface is listened to: by HTTP routes, by work that runs until it is cancelled, or both."""

    routes: Sequence[Route] = ()
    work: Mapping[str, Callable[[], Coroutine[None, None, None]]] = field(default_factory=dict)
    """By name, for the log."""


@dataclass(frozen=True, kw_only=True)
class IntakeDesk:
    """Where a surface brings what people say."""

    store: Store
    conversation: Conversation
    new_cases: NewCases
    doorbell: Doorbell


class Surface(Protocol):
    @property
    def name(self) -> str:
        """As people write it. In lower case it names its threads and its page in docs/."""

    @property
    def is_wanted(self) -> bool:
        """Whether one of its settings is set."""

    def missing(self) -> list[str]:
        """The names of settings that it needs and that are not set."""

    async def check(self) -> None:
        """Raises `Refused` if what its settings name does not exist."""

    def chat(self, forge: Forge) -> Chat | None:
        """The chat that cases post to. None: they don't. `forge`: where GitHub is a chat, it is the same."""

    def developers(self) -> Thread | None:
        """Where developers are told of bugs that were reported elsewhere."""

    async def listen(self, desk: IntakeDesk) -> Listening: ...
