"""Shows verdicts on GitHub: as check runs, or as statuses where the account may make no check runs."""

from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.telling.verdict_words import ReadyCheck
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.ready_writes import ready_status, ready_write
from caseworker.forges.github.writes import Write


class GitHubVerdicts:
    def __init__(self, broker: Broker, reader: GitHubReader, *, is_app: bool) -> None:
        """`is_app`: only Apps may make check runs."""
        self._broker = broker
        self._reader = reader
        self._is_app = is_app

    async def report(self, repository: RepositoryRef, check: ReadyCheck, *, key: str) -> bool:
        """False: this account may write neither check runs nor statuses."""
        runs: list[Write] = [ready_write(check, key=key)] if self._is_app else []
        for write in (*runs, ready_status(check)):
            try:
                await self._broker.do(repository, write)
                return True
            except GitHubRefused as refused:
                if refused.status not in (403, 404):
                    raise
        return False

    async def whoami(self) -> str:
        return await self._reader.whoami()
