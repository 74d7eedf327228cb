"""Pull requests of repositories on this disk: rows in the store.

A person merges with git itself, so what became of a pull request is read from the repository, never written to it.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from time import monotonic

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import RepositoryId
from caseworker.forges.branch_watch import Watch
from caseworker.forges.local_folders import folder_of
from caseworker.ports import Git, PullRecords, PullRequest, Repositories


class LocalPulls:
    """The `Pulls` port."""

    def __init__(
        self,
        *,
        repositories: Repositories,
        records: PullRecords,
        git: Git,
        gone_seconds: float = 60,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`gone_seconds`: how long a branch must be gone until its pull request counts as closed."""
        self._repositories = repositories
        self._records = records
        self._watch = Watch(git, gone_seconds=gone_seconds, clock=clock)

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        return await self._records.find(repository, head)

    async def open(self, pull: PullRequest) -> PullRequest:
        url = f"file://{await self._path(pull.repository)}#{pull.head}"
        return await self._records.create(pull.model_copy(update={"url": url}))

    async def update(self, pull: PullRequest) -> PullRequest:
        return await self._records.update(pull)

    async def settled(self) -> list[PullRequest]:
        pulls = await self._records.open_ones()
        self._watch.forget_all_but(pulls)
        settled: list[PullRequest] = []
        for repository, of_it in groupby(pulls, key=lambda pull: pull.repository):
            with suppress(Refused, Transient):  # the folder is gone, or no longer a repository: perhaps it comes back
                settled += await self._settled_of(await self._path(repository), list(of_it))
        return settled

    async def _settled_of(self, path: Path, pulls: Sequence[PullRequest]) -> list[PullRequest]:
        heads = await self._watch.heads(path, pulls)
        waiting = await self._watch.waiting(path, pulls, heads)
        settled = []
        for pull in pulls:
            with suppress(Refused, Transient):
                became = await self._watch.became(pull, path, heads, waits=pull.number in waiting)
                if became is not None:
                    settled.append(became)
        return settled

    async def _path(self, repository: RepositoryId) -> Path:
        return folder_of(await self._repositories.ref(repository))
