"""The one way by which anything is written to GitHub: within the budget that all workers share."""

import asyncio
from typing import Final, TypeVar

from pydantic import JsonValue

from caseworker.core.base.errors import RateLimited, Refused
from caseworker.core.base.pace import Pace
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api import GitHubApi
from caseworker.ports import WriteBudget

T = TypeVar("T")
_PATIENCE: Final = 2.0
"""A gap between two writes is waited for here. Anything longer is told to the caller, which has a timer."""
_TRIES: Final = 5


class CountedWrites:
    def __init__(self, api: GitHubApi, *, budget: WriteBudget, pace: Pace | None = None) -> None:
        self.api = api
        self._budget = budget
        self._pace = pace or Pace()

    async def admit(self, repository: RemoteRepository, kind: str) -> str:
        """Count one write and return the account that pays for it. `RateLimited`: not before so many seconds."""
        account = f"{self.api.address.host} {(await self.api.credentials.of(repository)).account}"
        for _ in range(_TRIES):
            seconds = await self._budget.take(account, kind, pace=self._pace)
            if seconds <= 0:
                return account
            if seconds > _PATIENCE:
                break
            await asyncio.sleep(seconds)
        raise RateLimited("Caseworker's own budget of writes to GitHub is spent.", seconds=seconds, place=account)

    async def send(
        self, repository: RemoteRepository, kind: str, method: str, path: str, model: type[T], body: object = None
    ) -> T:
        """One write over REST. `ResultUnknown`: it may have arrived; look before the next try."""
        account = await self.admit(repository, kind)
        try:
            return await self.api.write(repository, method, path, model, body=body)
        except RateLimited as limited:
            await self._budget.hold(account, limited.seconds)  # so that no other worker asks meanwhile
            raise

    async def mutate(self, repository: RemoteRepository, kind: str, text: str, variables: dict[str, JsonValue]) -> None:
        """One write over GraphQL."""
        account = await self.admit(repository, kind)
        try:
            answer = await self.api.graphql(repository, text, variables, writes=True)
        except RateLimited as limited:
            await self._budget.hold(account, limited.seconds)
            raise
        if answer.errors:
            raise Refused(f"GitHub refused the {kind}: {'; '.join(answer.errors)}")
