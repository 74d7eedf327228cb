"""Issues on GitHub: whether one is closed, and new ones for work that was asked for elsewhere."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from caseworker.core.base.outgoing_text import outgoing, outgoing_line
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RepositoryRef
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import OpenIssue
from caseworker.ports import OpenedIssue

_GONE: Final = frozenset({301, 404, 410})
_BACK: Final = timedelta(days=7)
"""How far back an issue is looked for whose opening had no answer."""


class GitHubIssues:
    """The `Issues` port."""

    def __init__(self, broker: Broker, reader: GitHubReader, *, redactor: Redactor) -> None:
        self._broker = broker
        self._reader = reader
        self._redactor = redactor

    async def is_closed(self, repository: RepositoryRef, number: int) -> bool:
        try:
            return (await self._reader.issue(self._reader.ours(repository), number)).state != "open"
        except GitHubRefused as refused:
            if refused.status in _GONE:
                return False
            raise

    async def open(
        self, repository: RepositoryRef, *, title: str, body: str, labels: Sequence[str], key: str, look: bool = True
    ) -> OpenedIssue:
        write = OpenIssue(
            title=outgoing_line(title, self._redactor),
            body=outgoing(body, self._redactor),
            labels=tuple(labels),
            key=key,
            since=datetime.now(UTC) - _BACK,
        )
        made = await self._broker.do(repository, write, look=look)
        return OpenedIssue(number=int(made.id), url=made.url)
