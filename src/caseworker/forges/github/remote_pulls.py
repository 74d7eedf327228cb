"""Pull requests on GitHub, with a row in the store for each of ours."""

from contextlib import suppress
from typing import Final, Literal

from caseworker.core.base.errors import Defect, RateLimited, Refused, Transient
from caseworker.core.base.ids import RepositoryId, Sha
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.telling.pull_template import fill_template
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.payloads import PullData
from caseworker.forges.github.pull_reads import PullReader
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import OpenPull, UpdatePull
from caseworker.ports import PullRecords, PullRequest, Repositories

_FOLDERS: Final = (".github", "", "docs")
_TEMPLATE: Final = ("pull_request_template.md", "pull_request_template.txt", "pull_request_template")


class GitHubPulls:
    """The `Pulls` port."""

    def __init__(
        self,
        *,
        repositories: Repositories,
        records: PullRecords,
        broker: Broker,
        reader: GitHubReader,
        pulls: PullReader,
    ) -> None:
        self._repositories = repositories
        self._records = records
        self._broker = broker
        self._reader = reader
        self._pulls = pulls

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        found = await self._pulls.from_branch(await self._ref(repository), head)
        if not found:
            return None
        known = await self._records.find(repository, head)
        return _record(repository, found[0], known if known and known.number == found[0].number else None)

    async def open(self, pull: PullRequest) -> PullRequest:
        """Read back from GitHub after the write: only what is there counts as opened."""
        here = await self._ref(pull.repository)
        body = await self._filled(here, pull.body)
        write = OpenPull(title=pull.title, body=body, head=pull.head, base=pull.base)
        made = await self._broker.do(here, write)
        return await self._read_back(pull, here, int(made.id))

    async def update(self, pull: PullRequest) -> PullRequest:
        here = await self._ref(pull.repository)
        body = await self._filled(here, pull.body)
        await self._broker.do(here, UpdatePull(number=pull.number, title=pull.title, body=body))
        return await self._read_back(pull, here, pull.number)

    async def settled(self) -> list[PullRequest]:
        settled: list[PullRequest] = []
        for pull in await self._records.open_ones():
            ref = await self._repositories.ref(pull.repository)
            if not isinstance(ref, RemoteRepository):
                continue
            try:
                with suppress(Refused):  # deleted, or no longer shown to us: perhaps it comes back
                    now = await self._pulls.pull(self._reader.ours(ref), pull.number)
                    if _state(now) != "open":
                        settled.append(pull.model_copy(update={"state": _state(now)}))
            except RateLimited:
                break  # the next look goes on
            except Transient:
                continue
        return settled

    async def _read_back(self, pull: PullRequest, here: RemoteRepository, number: int) -> PullRequest:
        now = await self._pulls.pull(here, number)
        if now.head.ref != pull.head:
            raise Defect(f"Pull request {number} of {here} is from {now.head.ref}, not from {pull.head}.")
        if now.head.sha != pull.head_sha:
            raise Transient(f"Pull request {number} of {here} does not show the pushed commit yet.")
        return await self._records.keep(_record(pull.repository, now, pull))

    async def _filled(self, here: RemoteRepository, body: str) -> str:
        template = await self._template(here)
        return fill_template(template, body) if template else body

    async def _template(self, here: RemoteRepository) -> str:
        """GitHub takes the first one of these places, with names in any case."""
        for folder in _FOLDERS:
            for path in await self._reader.files_in(here, folder):
                if path.rpartition("/")[2].lower() in _TEMPLATE:
                    return (await self._reader.file(here, path) or b"").decode(errors="replace")
        return ""

    async def _ref(self, repository: RepositoryId) -> RemoteRepository:
        return self._reader.ours(await self._repositories.ref(repository))


def _state(pull: PullData) -> Literal["open", "merged", "closed"]:
    if pull.merged_at is not None:
        return "merged"
    return "open" if pull.state == "open" else "closed"


def _record(repository: RepositoryId, now: PullData, known: PullRequest | None) -> PullRequest:
    return PullRequest(
        repository=repository,
        number=now.number,
        case=known.case if known else None,
        title=now.title,
        body=now.body or "",
        base=now.base.ref,
        head=now.head.ref,
        head_sha=Sha(now.head.sha),
        state=_state(now),
        url=now.html_url,
    )
