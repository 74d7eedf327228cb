"""The loop over deliveries: woken by new ones, retries after errors, and gives up in the end."""

import asyncio
import json

import pytest

from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.runs.delivery_outcomes import Failed, Outcome
from caseworker.intake.github_door import GitHubDoor
from caseworker.intake.github_work import MOST_TRIES, DeliveryWork, Pace
from caseworker.ports.deliveries import Claim
from caseworker.ports.github import Target
from caseworker.store.store import Store
from tests.intake.github_desk import Desk
from tests.patience import PATIENCE


@pytest.fixture
def desk(store: Store) -> Desk:
    desk = Desk(store)
    desk.github.add(7, "bot:triage")
    return desk


async def test_a_new_delivery_wakes_the_loop(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    work = DeliveryWork(store=desk.store, intake=desk.intake, pace=Pace(looks=3_600))
    door = GitHubDoor(store=desk.store, on_new=work.wake)
    settled = asyncio.Event()
    settle = desk.store.deliveries.settle

    async def settle_and_tell(claim: Claim, outcome: Outcome, *, again_in: float | None = None) -> bool:
        kept = await settle(claim, outcome, again_in=again_in)
        settled.set()
        return kept

    monkeypatch.setattr(desk.store.deliveries, "settle", settle_and_tell)
    running = asyncio.create_task(work.run())
    body = json.dumps(desk.labeled("ann", 7, "bot:triage")).encode()
    await door.take("g-1", "issues", body, source="webhook")
    async with asyncio.timeout(PATIENCE):
        await settled.wait()
    assert await desk.outcome() == "dispatched: triage"
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Transient("GitHub is away."), "GitHub is away."),
        (RateLimited("GitHub asks to wait.", seconds=90), "GitHub asks to wait."),
        (Refused("The token was revoked.", todo="Make a new one."), "The token was revoked. Make a new one."),
        (KeyError("x"), "a defect in Caseworker (KeyError); the log has more"),
    ],
)
async def test_a_failed_delivery_is_kept_for_another_try(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    async def fails(repository: RemoteRepository, number: int) -> Target | None:
        raise error

    monkeypatch.setattr(desk.github, "target", fails)
    assert await desk.labels("ann", 7, "bot:triage") == "failed"
    [delivery] = await desk.store.deliveries.list()
    assert (delivery.outcome, delivery.tries, delivery.settled_at) == (Failed(error=told), 1, None)


async def test_a_delivery_that_fails_too_often_is_given_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(repository: RemoteRepository, number: int) -> Target | None:
        raise Transient("GitHub is away.")

    monkeypatch.setattr(desk.github, "target", fails)
    await desk.door.take("g-1", "issues", json.dumps(desk.labeled("ann", 7, "bot:triage")).encode(), source="webhook")
    claim = await desk.store.deliveries.claim()
    assert claim is not None
    last = claim.model_copy(update={"tries": MOST_TRIES - 1})
    outcome, again_in = await desk.work._try(last)
    assert (outcome, again_in) == (Failed(error="GitHub is away.", gave_up=True), None)


async def test_work_that_is_woken_and_cancelled_at_the_same_time_ends(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim, looked = desk.store.deliveries.claim, asyncio.Event()

    async def claim_and_tell() -> Claim | None:
        found = await claim()
        looked.set()
        return found

    monkeypatch.setattr(desk.store.deliveries, "claim", claim_and_tell)
    for ticks in range(8):
        looked.clear()
        work = DeliveryWork(store=desk.store, intake=desk.intake, pace=Pace(at_once=1))
        running = asyncio.create_task(work.run())
        await looked.wait()
        await asyncio.sleep(0)  # it waits to be woken
        work.wake()
        for _ in range(ticks):
            await asyncio.sleep(0)
        running.cancel()
        _, pending = await asyncio.wait([running], timeout=10)
        assert not pending, f"it goes on after a cancellation {ticks} ticks after it was woken"
