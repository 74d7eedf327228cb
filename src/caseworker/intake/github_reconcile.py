"""Finds GitHub events that no webhook brought: from GitHub's log of deliveries, and from a look at what has changed.

What a look finds is made into the body that a webhook would have had, and taken by the same door. Its subject is the
same, so an event that comes both ways counts once. Works alone, where GitHub can't reach us.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import RemoteRepository
from caseworker.intake.github_door import GitHubDoor
from caseworker.intake.github_events import name_of
from caseworker.ports import Store
from caseworker.ports.github import Body, GitHubChanges, thread_on

log = structlog.get_logger()

EVERY: Final = 120.0
"""Seconds between looks."""
_MARGIN: Final = timedelta(minutes=2)
"""Read again at each look: a change gets its time before it can be read."""
_FIRST: Final = timedelta(days=3)
"""How far back the first look goes: GitHub keeps its log of deliveries for three days."""
_USED: Final = frozenset({"labeled", "closed", "reopened", "transferred"})
"""Issue events that are made into deliveries."""


class GitHubReconciler:
    def __init__(
        self,
        *,
        store: Store,
        door: GitHubDoor,
        changes: GitHubChanges,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        first_look: timedelta = _FIRST,
    ) -> None:
        """`first_look`: how far back a repository is read at the first look."""
        self._store = store
        self._door = door
        self._changes = changes
        self._clock = clock
        self._since: dict[str, datetime] = {}
        """How far each repository was read, and the log under the empty name."""
        self._marks: dict[CaseId, str] = {}
        """The state of the pull request of each pull case at the last look."""
        self._begun = clock() - first_look

    async def run(self) -> None:
        """Runs until cancelled: looks at once, then every two minutes."""
        while True:
            pause = EVERY
            try:
                await self.look()
            except RateLimited as limited:
                pause = max(pause, limited.seconds)
                log.warning("github asks to wait before it is read again", seconds=pause)
            except (Transient, Refused) as error:
                log.warning("github not reconciled: tried again later", error=str(error))
            await asyncio.sleep(pause)

    async def look(self) -> int:
        """Looks once. Returns the number of events that no webhook had brought."""
        found = await self._read_log()
        for repository in await self._changes.repositories():
            try:
                found += await self._read_repository(repository)
            except Refused as refused:  # one repository that is gone must not hide the others
                log.warning("repository not read", repository=str(repository), error=str(refused))
        if found:
            log.info("github events found that no webhook brought", found=found)
        return found

    async def _read_log(self) -> int:
        """Take what GitHub has sent, or tried to send, and is not here."""
        began = self._clock()
        logged = {one.guid: one for one in await self._changes.deliveries(self._after(""))}
        missing = logged.keys() - await self._store.deliveries.known(logged)
        for one in sorted((logged[guid] for guid in missing), key=lambda one: one.id):
            body = await self._changes.delivered_body(one.id)
            await self._door.take(one.guid, one.event, body, source="log")
        self._since[""] = began
        return len(missing)

    async def _read_repository(self, repository: RemoteRepository) -> int:
        began, since = self._clock(), self._after(str(repository))
        events = [
            *_from_issue_events(repository, await self._changes.issue_events(repository, since)),
            *_from_comments(repository, await self._changes.comments_since(repository, since)),
            *_from_review_comments(repository, await self._changes.review_comments(repository, since)),
            *await self._read_pulls(repository, began),
        ]
        events.sort(key=lambda event: event.at)
        known = await self._store.deliveries.known([event.guid for event in events])
        taken = [await self._take(event) for event in events if event.guid not in known]
        self._since[str(repository)] = began
        return sum(taken)

    async def _read_pulls(self, repository: RemoteRepository, at: datetime) -> list["_Found"]:
        """Reviews of pull requests with a session in flight, and an event for each that has changed since the last
        look."""
        thread, found = thread_on(repository, 0), list[_Found]()
        in_flight = await self._store.pull_cases.in_flight(thread.surface, thread.channel)
        threads = await self._thread_marks(repository, [stored.number for stored in in_flight])
        for stored in in_flight:
            number, case = stored.number, stored.case.id
            try:
                found += _from_reviews(repository, number, await self._changes.reviews(repository, number))
                mark = f"{await self._changes.pull_mark(repository, number)} {threads.get(number, '')}"
            except Refused as refused:  # the session finds out itself that it can't be read
                log.warning("pull request not read", case=case, error=str(refused))
                continue
            if self._marks.get(case) != mark:
                self._marks[case] = mark
                body = {"action": "edited", "pull_request": {"number": number}}
                stamp = at.isoformat()
                found.append(_Found(repository, "pull_request", f"pull:{number} {mark} {stamp}", stamp, body))
        return found

    async def _thread_marks(self, repository: RemoteRepository, numbers: Sequence[int]) -> Mapping[int, str]:
        """Read by one query for all sessions. Empty: there is none, or threads may not be read."""
        try:
            return await self._changes.thread_marks(repository, numbers) if numbers else {}
        except Refused as refused:
            log.warning("review threads not read", repository=str(repository), error=str(refused))
            return {}

    def _after(self, name: str) -> datetime:
        return self._since.get(name, self._begun) - _MARGIN

    async def _take(self, event: "_Found") -> bool:
        return await self._door.take(event.guid, event.name, json.dumps(event.body).encode(), source="look")


class _Found:
    """An event made from what was found, in the form of a webhook."""

    def __init__(self, repository: RemoteRepository, name: str, key: str, at: str, body: Body) -> None:
        self.name = name
        self.at = at
        self.guid = f"look {repository} {key}"
        """The same at each look, so that it is taken once."""
        address = f"https://{repository.host}/{name_of(repository)}"
        self.body = {**body, "repository": {"full_name": name_of(repository), "html_url": address}}


def _from_issue_events(repository: RemoteRepository, events: Sequence[Body]) -> list[_Found]:
    found = []
    for event in events:
        kind, issue, at = str(event.get("event")), event.get("issue"), str(event.get("created_at"))
        if kind not in _USED or not isinstance(issue, Mapping):
            continue
        is_pull = issue.get("pull_request") is not None
        target = {**issue, "updated_at": at}
        body = {
            "action": kind,
            "label": event.get("label"),
            "sender": event.get("actor") or {"login": "ghost"},
            "pull_request" if is_pull else "issue": target,
        }
        name = "pull_request" if is_pull else "issues"
        found.append(_Found(repository, name, f"event:{event.get('id')}", at, body))
    return found


def _from_comments(repository: RemoteRepository, comments: Sequence[Body]) -> list[_Found]:
    """Each is created; one that was changed later is edited as well."""
    found = []
    for comment in comments:
        number = re.search(r"/(issues|pull)/([0-9]+)(?:#|$)", str(comment.get("html_url")))
        if number is None:
            continue
        issue: dict[str, object] = {"number": int(number[2])}
        if number[1] == "pull":
            issue["pull_request"] = {}
        found += _created_and_edited(repository, "issue_comment", comment, {"issue": issue})
    return found


def _from_review_comments(repository: RemoteRepository, comments: Sequence[Body]) -> list[_Found]:
    found = []
    for comment in comments:
        number = re.search(r"/pulls?/([0-9]+)(?:#|$)", str(comment.get("pull_request_url") or comment.get("html_url")))
        if number is not None:
            about = {"pull_request": {"number": int(number[1])}}
            found += _created_and_edited(repository, "pull_request_review_comment", comment, about)
    return found


def _from_reviews(repository: RemoteRepository, number: int, reviews: Sequence[Body]) -> list[_Found]:
    found = []
    for review in reviews:
        at = str(review.get("submitted_at") or "")
        if at and str(review.get("body") or "").strip():
            sender = review.get("user") or {"login": "ghost"}
            body = {"action": "submitted", "pull_request": {"number": number}, "review": review, "sender": sender}
            found.append(_Found(repository, "pull_request_review", f"review:{review.get('id')}", at, body))
    return found


def _created_and_edited(
    repository: RemoteRepository, name: str, comment: Body, about: Mapping[str, object]
) -> list[_Found]:
    created_at, updated_at = str(comment.get("created_at")), str(comment.get("updated_at"))
    body = {**about, "comment": comment, "sender": comment.get("user") or {"login": "ghost"}}
    key = f"{name}:{comment.get('id')}"
    found = [_Found(repository, name, key, created_at, {**body, "action": "created"})]
    if updated_at != created_at:
        edited = {**body, "action": "edited"}
        found.append(_Found(repository, name, f"{key} edited {updated_at}", updated_at, edited))
    return found
