"""Port to one look at a pull request, for its verdict. Read-only."""

from typing import Protocol

from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.pull_facts import PullFacts


class PullProbe(Protocol):
    async def look(self, repository: RepositoryRef, number: int) -> PullFacts:
        """One look, which waits for nothing: callers look again while `wants_another_look`.

        `Transient`: it could not be read, or only in part: there is no verdict. `Refused`: it is not there, or hidden.
        """
