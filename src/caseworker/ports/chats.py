"""Ports to chats and to the bell that wakes a case."""

from typing import Final, Protocol

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Phrasing
from caseworker.ports.stored import Thread

POST_MARK: Final = "caseworker_post"
"""The type of the metadata that each of our posts carries, on surfaces that keep metadata."""


class Chat(Protocol):
    """A surface where people talk in threads."""

    @property
    def phrasing(self) -> Phrasing:
        """The wording for this surface of what people can do."""

    async def link(self, thread: Thread) -> str:
        """An address that opens the thread. Empty: there is none."""

    async def post(self, thread: Thread, text: str, *, key: str, folded: str = "") -> str:
        """Returns the post's id on the surface. `key` is stored with it, so that `find` can tell whether it arrived.
        `folded` is a text below it that people unfold if they want to read it."""

    async def find(self, thread: Thread, key: str) -> str | None:
        """The post with this key, if it is in that thread or channel: the look before a repeat."""

    async def react(self, reference: str, *, done: bool = False) -> bool:
        """Show the author of a message that it was seen, or that what it asks for is done. False: the
        surface has no reactions."""

    async def fetch(self, source: str, *, limit: int) -> bytes:
        """An attachment's bytes. Raises `Refused` for one that is gone, forbidden or larger than `limit`."""


class Doorbell(Protocol):
    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        """Signal-with-start. A lost ring costs time only: the reconciler rings again."""


class Switchboard(Doorbell, Protocol):
    """A doorbell that also knows which cases have a running workflow."""

    async def listening(self) -> set[CaseId]:
        """The cases whose workflow runs."""

    async def make_way(self) -> set[CaseId]:
        """End workflows of strangers that have the id of a case and are never run. The cases that have none now."""

    async def wake_sla_clock(self, case: CaseId) -> None:
        """Start the SLA clock of a bug case, or make it look again."""
