"""Reconciliation: what no webhook brought is found, what one brought counts once, and polling alone is enough."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.registry import TargetKind
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.intake.github_reconcile import GitHubReconciler
from caseworker.ports.github import Body, LoggedDelivery
from caseworker.store.store import Store
from tests.intake.github_desk import SHOP, Desk


class Pages:
    """What GitHub's API lists, as its JSON."""

    def __init__(self) -> None:
        self.time = datetime.now(UTC).replace(microsecond=0)
        self.logged: dict[LoggedDelivery, bytes] = {}
        self.said: list[dict[str, object]] = []
        self.events: list[dict[str, object]] = []
        self.asked: list[datetime] = []
        self.gone: set[RemoteRepository] = set()
        self.served = [SHOP]
        self.reviewed: list[Body] = []
        self.mark = "first"
        self.threads = "first"
        self.marked: list[int] = []
        """The pull requests that were looked at."""

    def now(self) -> datetime:
        return self.time

    def labels(self, who: str, number: int, label: str) -> None:
        issue = {"number": number, "title": "Checkout says 500", "updated_at": "2030-01-01T00:00:00Z"}
        event = {"id": len(self.events) + 1, "event": "labeled", "label": {"name": label}, "issue": issue}
        self.events.append({**event, "actor": {"login": who, "type": "User"}, "created_at": self.time.isoformat()})

    def comments(self, who: str, number: int, text: str, *, id: int) -> dict[str, object]:
        moment = self.time.isoformat()
        comment: dict[str, object] = {"id": id, "body": text, "user": {"login": who, "type": "User"}}
        comment |= {"html_url": f"https://github.com/acme/shop/issues/{number}#issuecomment-{id}"}
        comment |= {"created_at": moment, "updated_at": moment}
        self.said.append(comment)
        return comment

    async def repositories(self) -> Sequence[RemoteRepository]:
        return self.served

    async def deliveries(self, since: datetime) -> Sequence[LoggedDelivery]:
        return list(self.logged)

    async def delivered_body(self, delivery: int) -> bytes:
        return next(body for logged, body in self.logged.items() if logged.id == delivery)

    async def comments_since(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        if repository in self.gone:
            raise Refused("There is no such repository.")
        self.asked.append(since)
        return [one for one in self.said if str(one["updated_at"]) >= since.isoformat()]

    async def review_comments(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        return []

    async def reviews(self, repository: RemoteRepository, number: int) -> Sequence[Body]:
        return self.reviewed

    async def pull_mark(self, repository: RemoteRepository, number: int) -> str:
        self.marked.append(number)
        return self.mark

    async def thread_marks(self, repository: RemoteRepository, numbers: Sequence[int]) -> Mapping[int, str]:
        return dict.fromkeys(numbers, self.threads)

    async def issue_events(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        return [one for one in self.events if str(one["created_at"]) >= since.isoformat()]


class Found:
    """A desk whose reconciler reads the pages."""

    def __init__(self, store: Store) -> None:
        self.desk, self.pages = Desk(store), Pages()
        self.desk.github.add(7, "bot:triage")
        self.start_again()

    def start_again(self) -> None:
        """A new process: it remembers nothing of what it has read."""
        changes = self.pages
        self.reconciler = GitHubReconciler(
            store=self.desk.store, door=self.desk.door, changes=changes, clock=self.pages.now
        )

    async def look(self) -> int:
        found = await self.reconciler.look()
        await self.desk.work.process_all()
        return found


@pytest.fixture
def found(store: Store) -> Found:
    return Found(store)


async def test_polling_alone_finds_labels_and_comments(found: Found) -> None:
    found.pages.labels("ann", 7, "bot:triage")
    found.pages.comments("rita", 7, "It is only with coupons.", id=9)
    assert await found.look() == 2
    assert await found.desk.runs() == ["triage"]
    assert [text for _, _, text in (await found.desk.messages())[1:]] == ["It is only with coupons."]


async def test_a_second_look_finds_nothing_new_and_neither_does_a_new_process(found: Found) -> None:
    found.pages.labels("ann", 7, "bot:triage")
    found.pages.comments("rita", 7, "coupons", id=9)
    await found.look()
    await found.desk.finishes(Milestone.TRIAGE)
    assert await found.look() == 0
    found.start_again()
    assert await found.look() == 0
    assert await found.desk.runs() == ["triage"]


async def test_what_a_webhook_brought_counts_once(found: Found) -> None:
    moment = found.pages.time
    labeled = found.desk.labeled("ann", 7, "bot:triage")
    issue = labeled["issue"]
    assert isinstance(issue, dict)
    hooked = labeled | {"issue": issue | {"updated_at": (moment + timedelta(seconds=1)).isoformat()}}
    await found.desk.deliver("issues", hooked)
    found.pages.labels("ann", 7, "bot:triage")
    comment = found.pages.comments("rita", 7, "coupons", id=9)
    await found.desk.deliver("issue_comment", found.desk.commented("rita", 7, "x", id=9) | {"comment": comment})
    await found.desk.finishes(Milestone.TRIAGE)
    await found.look()
    assert await found.desk.runs() == ["triage"]
    assert [text for _, _, text in (await found.desk.messages())[1:]] == ["coupons"]
    listed = await found.desk.store.deliveries.list()
    assert [(one.source, one.outcome.kind) for one in listed if one.source == "look"] == [
        ("look", "duplicate"),
        ("look", "duplicate"),
    ]


async def test_an_edited_comment_is_found_with_its_new_words(found: Found) -> None:
    found.pages.labels("ann", 7, "bot:triage")
    comment = found.pages.comments("rita", 7, "coupons", id=9)
    await found.look()
    found.pages.time += timedelta(minutes=10)
    comment |= {"body": "vouchers", "updated_at": found.pages.time.isoformat()}
    assert await found.look() == 1
    assert [text for _, _, text in (await found.desk.messages())[1:]] == ["coupons", "vouchers"]


async def test_a_delivery_that_failed_is_taken_from_githubs_log(found: Found) -> None:
    body = json.dumps(found.desk.labeled("ann", 7, "bot:triage")).encode()
    found.pages.logged[LoggedDelivery(id=1, guid="lost", event="issues")] = body
    assert await found.look() == 1
    assert await found.desk.runs() == ["triage"]
    assert await found.look() == 0


async def test_each_look_reads_on_from_the_last_one(found: Found) -> None:
    began = found.pages.time
    await found.look()
    found.pages.time += timedelta(minutes=2)
    await found.look()
    assert found.pages.asked == [began - timedelta(days=3, minutes=2), began - timedelta(minutes=2)]


async def test_a_repository_that_is_gone_does_not_hide_the_others(found: Found) -> None:
    other = RemoteRepository(host="github.com", owner="acme", name="gone")
    found.pages.gone.add(other)
    found.pages.served = [other, SHOP]
    found.pages.comments("ann", 7, "bot:triage", id=9)
    assert await found.look() == 1
    assert await found.desk.runs() == ["triage"]


async def test_polling_alone_wakes_a_session_whose_pull_request_has_changed(found: Found) -> None:
    found.desk.github.add(9, kind=TargetKind.PULL)
    await found.desk.labels("ann", 9, "bot:ship")
    assert await found.look() == 1  # nobody has seen it before
    found.pages.time += timedelta(minutes=2)
    assert await found.look() == 0
    found.pages.mark = "second"
    found.desk.bell.rung.clear()
    assert await found.look() == 1
    assert await found.desk.outcome() == "woken"


async def test_polling_alone_wakes_a_session_when_a_thread_is_resolved(found: Found) -> None:
    found.desk.github.add(9, kind=TargetKind.PULL)
    await found.desk.labels("ann", 9, "bot:ship")
    await found.look()
    found.pages.time += timedelta(minutes=2)
    found.pages.threads = "second"
    assert await found.look() == 1
    assert await found.desk.outcome() == "woken"


async def test_the_text_of_a_review_is_found_once(found: Found) -> None:
    found.desk.github.add(9, kind=TargetKind.PULL)
    await found.desk.labels("ann", 9, "bot:ship")
    at = found.pages.time.isoformat()
    found.pages.reviewed = [
        {"id": 5, "state": "COMMENTED", "body": "Use cents.", "user": {"login": "ann"}, "submitted_at": at},
        {"id": 6, "state": "APPROVED", "body": "", "user": {"login": "ben"}, "submitted_at": at},
    ]
    await found.look()
    found.start_again()
    await found.look()
    said = await found.desk.store.inbox.of(CaseId("acme/shop!9"))
    assert [message.text for message in said][1:] == ["Use cents."]


async def test_only_pull_requests_with_a_session_in_flight_are_looked_at(found: Found) -> None:
    found.desk.github.add(9, kind=TargetKind.PULL)
    await found.look()
    await found.desk.labels("ann", 9, "bot:ship")
    await found.look()
    await found.desk.pull_becomes(state=PullState.ENDED, end=SessionEnd.READY)
    await found.look()
    assert found.pages.marked == [9]
