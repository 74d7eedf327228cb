"""What intake reads of GitHub, behind its ports: targets and roles, and what has changed since a time."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from pydantic import field_validator

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.forge_roles import RepositoryRole
from caseworker.core.people.registry import TargetKind
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import PER_PAGE, GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.delivery_reads import DeliveryReader
from caseworker.forges.github.payloads import GHOST, Named, Payload, User
from caseworker.forges.github.reads import GitHubReader, stamp
from caseworker.forges.github.served_repositories import ServedRepositories
from caseworker.forges.github.thread_marks import thread_marks
from caseworker.ports.github import Body, LoggedDelivery, Target

_GONE: Final = frozenset({301, 404, 410})
"""Answers about an issue that was transferred or deleted."""
_PAGES: Final = 50


class _Commit(Payload):
    sha: str
    ref: str = ""


class _MarkedPull(Payload):
    """The fields of a pull request that a verdict depends on."""

    state: str
    draft: bool = False
    merged: bool = False
    locked: bool = False
    mergeable_state: str = ""
    head: _Commit
    base: _Commit
    labels: list[Named] = []
    auto_merge: dict[str, object] | None = None
    requested_reviewers: list[User] = []

    @field_validator("mergeable_state")
    @classmethod
    def without_unstable(cls, state: str) -> str:
        """Our own pending status makes a pull request unstable. Those of others are in the mark themselves."""
        return "clean" if state == "unstable" else state


class IntakeReads:
    """The `GitHubReads` port."""

    def __init__(self, reader: GitHubReader) -> None:
        self._reader = reader

    async def target(self, repository: RemoteRepository, number: int) -> Target | None:
        try:
            found = await self._reader.issue(repository, number)
        except GitHubRefused as refused:
            if refused.status in _GONE:
                return None
            raise
        return Target(
            kind=TargetKind.ISSUE if found.pull_request is None else TargetKind.PULL,
            is_open=found.state == "open",
            is_locked=found.locked,
            labels=tuple(label.name for label in found.labels),
            title=found.title,
            body=found.body or "",
            author=(found.user or GHOST).login,
            url=found.html_url,
            created_at=found.created_at,
        )

    async def role(self, repository: RemoteRepository, login: str) -> RepositoryRole:
        return RepositoryRole(await self._reader.role(repository, login))


class IntakeChanges:
    """The `GitHubChanges` port."""

    def __init__(self, api: GitHubApi, *, served: Sequence[str] = ()) -> None:
        """`served`: names such as `acme/shop`. None: all repositories on which the App is installed."""
        self._api = api
        self._served = ServedRepositories(api, served)
        self._log = DeliveryReader(api)

    async def repositories(self) -> Sequence[RemoteRepository]:
        return await self._served.all()

    async def deliveries(self, since: datetime) -> Sequence[LoggedDelivery]:
        if not self._api.credentials.is_app:
            return []
        return [LoggedDelivery(id=one.id, guid=one.guid, event=one.event) for one in await self._log.since(since)]

    async def delivered_body(self, delivery: int) -> bytes:
        return json.dumps((await self._log.detail(delivery)).request.payload).encode()

    async def comments_since(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        return await self._changed(repository, "issues", since)

    async def review_comments(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        return await self._changed(repository, "pulls", since)

    async def reviews(self, repository: RemoteRepository, number: int) -> Sequence[Body]:
        path = repository_path(repository, "pulls", number, "reviews")
        return await self._api.pages(repository, path, dict[str, object])

    async def pull_mark(self, repository: RemoteRepository, number: int) -> str:
        """Every request is conditional: as long as nothing changes, it costs nothing of the limit. The time of the last
        change is left out, since our own comments set it."""
        pull = await self._api.get(repository, repository_path(repository, "pulls", number), _MarkedPull)
        checks = CheckReader(self._api)
        runs, statuses = (
            await checks.runs(repository, pull.head.sha),
            await checks.statuses(repository, pull.head.sha),
        )
        seen = {
            "pull": pull.model_dump(mode="json"),
            "reviews": [(one.get("id"), one.get("state")) for one in await self.reviews(repository, number)],
            "checks": [(run.id, run.status, run.conclusion) for run in runs if run.name != CHECK_NAME],
            "statuses": [(one.context, one.state) for one in statuses if one.context != CHECK_NAME],
        }
        return sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()[:16]

    async def thread_marks(self, repository: RemoteRepository, numbers: Sequence[int]) -> Mapping[int, str]:
        return await thread_marks(self._api, repository, numbers)

    async def issue_events(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        """GitHub lists them newest first and can't be asked for a time: pages are read until one is older."""
        path, found = repository_path(repository, "issues", "events"), list[Body]()
        for number in range(1, _PAGES + 1):
            params = {"per_page": str(PER_PAGE), "page": str(number)}
            page = await self._api.get(repository, path, list[dict[str, object]], params=params)
            recent = [event for event in page if str(event.get("created_at")) >= stamp(since)]
            found += recent
            if len(page) < PER_PAGE or len(recent) < len(page):
                break
        return found[::-1]

    async def _changed(self, repository: RemoteRepository, kind: str, since: datetime) -> Sequence[Body]:
        params = {"since": stamp(since), "sort": "updated", "direction": "asc"}
        path = repository_path(repository, kind, "comments")
        return await self._api.pages(repository, path, dict[str, object], params=params)
