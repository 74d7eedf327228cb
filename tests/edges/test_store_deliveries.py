"""Deliveries on both databases: stored once, claimed one at a time per lane, never lost when a host dies."""

from datetime import datetime, timedelta

import pytest

from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.runs.delivery_outcomes import (
    Dispatched,
    Duplicate,
    Failed,
    Ignored,
    IgnoreReason,
    Unreadable,
)
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.ports.deliveries import Claim, NewDelivery
from caseworker.store.delivery_log import LEASE, StoredDeliveries
from caseworker.store.store import Store
from tests.edges.delivery_examples import BEGAN, delivery

DONE = Dispatched(workflow=WorkflowName.TRIAGE)
LABELED = "acme/shop#7 labeled bot:plan"


class Log:
    """The deliveries of one store, with a clock that tests move."""

    def __init__(self, store: Store) -> None:
        self.time = BEGAN
        self.deliveries = StoredDeliveries(store.database, clock=self.now)

    def now(self) -> datetime:
        return self.time

    def later(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    async def put(self, *deliveries: NewDelivery) -> list[bool]:
        return [await self.deliveries.put(delivery) for delivery in deliveries]

    async def claim(self) -> Claim:
        claim = await self.deliveries.claim()
        assert claim is not None
        return claim

    async def outcomes(self) -> list[tuple[str, str]]:
        return [(one.guid, one.outcome.kind) for one in reversed(await self.deliveries.list())]


@pytest.fixture
def log(store: Store) -> Log:
    return Log(store)


async def test_a_repeated_guid_is_recorded_as_a_duplicate_and_not_processed(log: Log) -> None:
    assert await log.put(delivery("a"), delivery("a"), delivery("a")) == [True, False, False]
    assert await log.outcomes() == [("a", "received"), ("a", "duplicate"), ("a", "duplicate")]
    await log.deliveries.settle(await log.claim(), DONE)
    assert await log.deliveries.claim() is None
    [*repeats] = await log.deliveries.list(outcome=OutcomeKind.DUPLICATE)
    assert [repeat.outcome for repeat in repeats] == [Duplicate(of="a"), Duplicate(of="a")]


async def test_the_body_comes_back_as_it_was(log: Log) -> None:
    body = bytes(range(256)) * 100
    await log.put(delivery("a").model_copy(update={"body": body}))
    assert (await log.claim()).body == body


async def test_what_is_ignored_at_the_door_is_never_claimed(log: Log) -> None:
    await log.put(delivery("a", outcome=Ignored(reason=IgnoreReason.UNUSED_EVENT, detail="star")))
    assert await log.deliveries.claim() is None
    assert await log.outcomes() == [("a", "ignored")]


async def test_a_lane_is_processed_one_at_a_time_and_oldest_first(log: Log) -> None:
    await log.put(delivery("a1", lane="a"), delivery("a2", lane="a"), delivery("b1", lane="b"))
    first, other = await log.claim(), await log.claim()
    assert (first.guid, other.guid) == ("a1", "b1")
    assert await log.deliveries.claim() is None
    await log.deliveries.settle(first, DONE)
    assert (await log.claim()).guid == "a2"


async def test_a_dead_hosts_delivery_goes_to_another_and_its_late_result_does_not_count(log: Log) -> None:
    await log.put(delivery("a"))
    dead = await log.claim()
    log.later(LEASE.total_seconds() + 1)
    heir = await log.claim()
    assert heir.id == dead.id
    assert not await log.deliveries.settle(dead, Unreadable(problem="late"))
    assert not await log.deliveries.renew(dead)
    assert await log.deliveries.settle(heir, DONE)
    assert await log.outcomes() == [("a", "dispatched")]


async def test_a_renewed_lease_is_kept(log: Log) -> None:
    await log.put(delivery("a"))
    claim = await log.claim()
    for _ in range(3):
        log.later(LEASE.total_seconds() - 1)
        assert await log.deliveries.renew(claim)
        assert await log.deliveries.claim() is None


async def test_a_failed_delivery_holds_its_lane_until_it_is_tried_again(log: Log) -> None:
    await log.put(delivery("a1", lane="a"), delivery("a2", lane="a"))
    await log.deliveries.settle(await log.claim(), Failed(error="away"), again_in=30)
    assert await log.deliveries.claim() is None
    log.later(31)
    again = await log.claim()
    assert (again.guid, again.tries) == ("a1", 1)
    await log.deliveries.settle(again, Failed(error="away", gave_up=True))
    assert (await log.claim()).guid == "a2"


async def test_the_same_event_by_another_way_is_known_by_its_subject(log: Log) -> None:
    await log.put(delivery("hook", subject="comment:9 created"), delivery("look", subject="comment:9 created"))
    first = await log.claim()
    assert await log.deliveries.earlier(first) is None
    await log.deliveries.settle(first, DONE)
    assert await log.deliveries.earlier(await log.claim()) == "hook"
    assert await log.deliveries.outcome_of("comment:9 created") == DONE


@pytest.mark.parametrize(("seconds", "same"), [(0, True), (3, True), (-3, True), (60, False), (-60, False)])
async def test_labellings_are_one_event_if_their_times_are_close(log: Log, seconds: int, same: bool) -> None:
    moved = BEGAN + timedelta(seconds=seconds)
    found = delivery("b", subject=LABELED, at=moved).model_copy(update={"source": "look"})
    await log.put(delivery("a", subject=LABELED, at=BEGAN), found)
    await log.deliveries.settle(await log.claim(), DONE)
    assert (await log.deliveries.earlier(await log.claim())) == ("a" if same else None)


@pytest.mark.parametrize(("seconds", "same"), [(0, True), (1, False)])
async def test_a_label_that_was_set_again_at_once_is_another_event(log: Log, seconds: int, same: bool) -> None:
    again = BEGAN + timedelta(seconds=seconds)
    await log.put(delivery("a", subject=LABELED, at=BEGAN), delivery("b", subject=LABELED, at=again))
    await log.deliveries.settle(await log.claim(), DONE)
    assert (await log.deliveries.earlier(await log.claim())) == ("a" if same else None)


async def test_a_find_of_the_first_labelling_does_not_stand_for_the_second(log: Log) -> None:
    found = delivery("look", subject=LABELED, at=BEGAN).model_copy(update={"source": "look"})
    again = delivery("b", subject=LABELED, at=BEGAN + timedelta(seconds=2))
    await log.put(delivery("a", subject=LABELED, at=BEGAN), found, again)
    await log.deliveries.settle(await log.claim(), DONE)
    await log.deliveries.settle(await log.claim(), Duplicate(of="a"))
    assert await log.deliveries.earlier(await log.claim()) is None


async def test_what_was_unreadable_does_not_stand_for_the_event(log: Log) -> None:
    await log.put(delivery("a", subject="s", outcome=Unreadable(problem="not JSON")), delivery("b", subject="s"))
    assert await log.deliveries.earlier(await log.claim()) is None


async def test_an_intent_is_kept_for_the_next_host(log: Log) -> None:
    await log.put(delivery("a"))
    await log.deliveries.note_intent(await log.claim(), "plan")
    log.later(LEASE.total_seconds() + 1)
    assert (await log.claim()).intent == "plan"


async def test_known_guids_are_found(log: Log) -> None:
    await log.put(delivery("a"), delivery("b"))
    assert await log.deliveries.known(["a", "c"]) == {"a"}
