"""Port to the discussion below an issue on a forge, as it steers the work: each comment with whose word it is."""

from typing import Protocol

from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.people.discussion import ThreadComment


class Discussions(Protocol):
    async def of(self, repository: RepositoryRef, number: int) -> list[ThreadComment] | None:
        """All comments, oldest first. Null: this repository's forge has no discussions."""
