"""Shows verdicts as check runs on GitHub."""

from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.telling.verdict_words import ReadyCheck
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.ready_writes import ready_write


class GitHubVerdicts:
    def __init__(self, broker: Broker, reader: GitHubReader) -> None:
        self._broker = broker
        self._reader = reader

    async def report(self, repository: RepositoryRef, check: ReadyCheck, *, key: str) -> bool:
        """False: only Apps may make check runs, and only with that permission."""
        try:
            await self._broker.do(repository, ready_write(check, key=key))
        except GitHubRefused as refused:
            if refused.status in (403, 404):
                return False
            raise
        return True

    async def whoami(self) -> str:
        return await self._reader.whoami()
