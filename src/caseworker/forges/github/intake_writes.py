"""What intake says and does on GitHub, behind its port."""

import re
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.outgoing_text import outgoing
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.writes import AddComment, React, RemoveLabel
from caseworker.forges.github.writes import Reaction as Name
from caseworker.forges.github.writes import Target as Kind
from caseworker.ports.github import Reaction

_REFERENCE: Final = re.compile(
    r"(?P<host>[^/\s]+)/(?P<owner>[^/\s]+)/(?P<name>[^/\s]+) (?P<on>comment|review_comment):(?P<id>[0-9]{1,18})"
)

_NAMES: Final[dict[Reaction, Name]] = {
    Reaction.SEEN: "eyes",
    Reaction.STARTED: "rocket",
    Reaction.DONE: "+1",
    Reaction.FAILED: "confused",
}


class IntakeWrites:
    """The `GitHubWrites` port."""

    def __init__(self, broker: Broker, *, redactor: Redactor) -> None:
        self._broker = broker
        self._redactor = redactor

    async def react(self, reference: str, reaction: Reaction) -> None:
        found = _REFERENCE.fullmatch(reference)
        if found is None:
            raise Refused(f"{reference!r} names no comment on GitHub.")
        repository = RemoteRepository(host=found["host"], owner=found["owner"], name=found["name"])
        on: Kind = "comment" if found["on"] == "comment" else "review_comment"
        await self._broker.do(repository, React(on=on, number=int(found["id"]), reaction=_NAMES[reaction]))

    async def reply(self, repository: RemoteRepository, number: int, text: str, *, key: str) -> None:
        await self._broker.do(repository, AddComment(number=number, text=outgoing(text, self._redactor), key=key))

    async def remove_label(self, repository: RemoteRepository, number: int, label: str) -> None:
        await self._broker.do(repository, RemoveLabel(number=number, label=label))
