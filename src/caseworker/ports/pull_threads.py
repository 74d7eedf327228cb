"""Port to the review threads of a pull request: reads them, and posts each reply once under its key."""

from dataclasses import dataclass
from typing import Protocol

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.review_threads import PullTalk, ReviewThread


@dataclass(frozen=True, kw_only=True)
class NewThread:
    """A comment on a line of the new side of the diff, which begins a thread."""

    commit: Sha
    path: str
    line: int
    text: str


class PullThreads(Protocol):
    async def read(self, repository: RepositoryRef, number: int) -> PullTalk:
        """Title, text and author of the pull request, and all its threads with all comments, oldest first.

        `Transient`: it could not be read whole. `Refused`: it is not there.
        """

    async def begin(
        self, repository: RepositoryRef, number: int, thread: NewThread, *, key: str, look: bool = True
    ) -> str:
        """Returns its address. A repeated call under the same key finds the first. `look`: False where the caller knows
        that nobody has tried it. `Refused`: that line can't carry a comment."""

    async def reply(
        self, repository: RepositoryRef, number: int, thread: ReviewThread, text: str, *, key: str, look: bool = True
    ) -> str:
        """Returns its address. As `begin`."""

    async def resolve(self, repository: RepositoryRef, thread: ReviewThread) -> None:
        """May be repeated. `Refused`: we may not."""
