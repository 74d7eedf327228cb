"""Killed at any point, or sent in any order and several times: one run, one reply, and each message once."""

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from caseworker.core.base.policy import Milestone
from caseworker.intake.github_work import DeliveryWork
from caseworker.ports.github import Body, Wants
from caseworker.store.delivery_log import StoredDeliveries
from caseworker.store.store import Store, open_store
from tests.databases import BACKENDS
from tests.intake.github_desk import Desk, Killed
from tests.permutations import mostly_slow


class Hosts:
    """Processes deliveries; a host that is killed is followed by another one, after its leases have ended."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.time = datetime.now(UTC)
        desk.store.deliveries = StoredDeliveries(desk.store.database, clock=lambda: self.time)

    async def work(self) -> bool:
        """Whether a host was killed."""
        killed = False
        while True:
            try:
                await DeliveryWork(store=self.desk.store, intake=self.desk.intake).process_all()
            except Killed:
                killed = True
                self.time += timedelta(minutes=5)
            else:
                return killed


def dies_around_writes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count writes to the store among the calls at which the process may be killed: before each and after it."""
    places = [(desk.store.dispatches, "open_case"), (desk.store.dispatches, "go_on"), (desk.store.inbox, "put")]
    places += [(desk.store.deliveries, "settle"), (desk.store.deliveries, "look_again")]
    for port, name in places:
        monkeypatch.setattr(port, name, _counted(desk, getattr(port, name)))


def _counted(desk: Desk, write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def counted(*args: object, **kwargs: object) -> object:
        desk.github.call()
        result = await write(*args, **kwargs)
        desk.github.call()
        return result

    return counted


Scenario = Callable[[Desk, Hosts, int], Awaitable[list[str]]]


async def asks_for_triage(desk: Desk, hosts: Hosts, number: int) -> list[str]:
    desk.github.add(number, "bot:plan")
    await send(desk, "issue_comment", desk.commented("ann", number, "bot:triage"))
    return ["triage"]


async def labels_for_plan(desk: Desk, hosts: Hosts, number: int) -> list[str]:
    desk.github.add(number, "bot:triage")
    await send(desk, "issues", desk.labeled("ann", number, "bot:triage"))
    dies_at, desk.github.dies_at = desk.github.dies_at, None
    await hosts.work()
    await desk.finishes(Milestone.TRIAGE, number)
    desk.github.change(number, labels=("bot:plan", "bot:triage"))
    desk.github.dies_at, desk.github.calls = dies_at, 0
    await send(desk, "issues", desk.labeled("ann", number, "bot:plan"))
    return ["triage", "plan"]


async def asks_too_early(desk: Desk, hosts: Hosts, number: int) -> list[str]:
    desk.github.add(number)
    await send(desk, "issue_comment", desk.commented("ann", number, "bot:implement"))
    return []


async def asks_in_free_words(desk: Desk, hosts: Hosts, number: int) -> list[str]:
    desk.github.add(number)
    desk.github.verdict = Wants(verb="triage")
    await send(desk, "issue_comment", desk.commented("ann", number, "@caseworker what is this?"))
    return ["triage"]


async def send(desk: Desk, event: str, body: Body) -> None:
    await desk.door.take(str(uuid4()), event, json.dumps(body).encode(), source="webhook")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "scenario",
    mostly_slow([(labels_for_plan,), (asks_in_free_words,), (asks_for_triage,), (asks_too_early,)], always=2),
)
async def test_a_kill_at_any_point_leaves_one_run_one_message_and_one_reply(
    store: Store, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(store)
    hosts = Hosts(desk)
    dies_around_writes(desk, monkeypatch)
    for number in range(1, 99):
        desk.github.replies.clear()
        desk.github.removed.clear()
        desk.github.dies_at, desk.github.calls = number, 0
        wanted = await scenario(desk, hosts, number)
        killed = await hosts.work()
        assert await desk.runs(number) == wanted
        assert len(await desk.messages(number)) == len(wanted)
        assert len(desk.github.replies) == (0 if wanted else 1)
        assert len(desk.github.removed) == len(set(desk.github.removed))
        assert (await store.deliveries.list(limit=1))[0].outcome.kind == ("dispatched" if wanted else "refused")
        if not killed:
            assert number > 8, "it was killed at every call before"
            return
    pytest.fail("the scenario has no end")


def history(desk: Desk) -> list[tuple[str, Body]]:
    """What people did to an issue, in its order: event and body of each webhook."""
    acts: list[tuple[str, dict[str, object]]] = [
        ("issues", desk.labeled("ann", 7, "bot:triage")),
        ("issue_comment", desk.commented("rita", 7, "coupons", id=1)),
        ("issue_comment", desk.commented("rita", 7, "vouchers", id=1, action="edited", before="coupons")),
        ("issue_comment", desk.commented("ben", 7, "hm", id=2)),
        ("issue_comment", desk.commented("ben", 7, "hm", id=2, action="deleted")),
        ("issue_comment", desk.commented("ann", 7, "bot:plan", id=3)),
        ("issue_comment", desk.commented("eve", 7, "bot:triage", id=4)),
    ]
    began = datetime.now(UTC)
    return [(event, _at(body, began + timedelta(seconds=second))) for second, (event, body) in enumerate(acts)]


def _at(body: dict[str, object], moment: datetime) -> dict[str, object]:
    times = {"created_at": moment.isoformat(), "updated_at": moment.isoformat()}
    key = "comment" if "comment" in body else "issue"
    part = body[key]
    assert isinstance(part, dict)
    return {**body, key: {**part, **times}}


async def play(file: Path, order: list[int]) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Deliver the history in this order. Returns the runs, and the messages without their order."""
    store = await open_store(f"sqlite:///{file}")
    try:
        desk = Desk(store)
        desk.github.add(7, "bot:triage")
        acts = history(desk)
        for place in order:
            event, body = acts[place]
            await desk.deliver(event, body, guid=f"guid-{place}")
        return await desk.runs(), sorted(await desk.messages())
    finally:
        await store.close()


ACTS = 7
IN_ORDER = (
    ["triage"],
    [
        ("ann", "words", "Please work on this issue."),
        ("ben", "deletion", "hm"),
        ("ben", "words", "hm"),
        ("rita", "edit", "vouchers"),
        ("rita", "words", "coupons"),
    ],
)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(order=list(range(ACTS)), again=[])
@example(order=list(reversed(range(ACTS))), again=list(range(ACTS)))
@given(
    order=st.permutations(range(ACTS)),
    again=st.lists(st.integers(min_value=0, max_value=ACTS - 1), max_size=5),
)
def test_order_and_repetition_of_deliveries_change_nothing(
    order: list[int], again: list[int], migrated_file: Path, tmp_path: Path
) -> None:
    shutil.copy(migrated_file, tmp_path / "any-order.db")
    for left in tmp_path.glob("any-order.db-*"):
        left.unlink()
    assert asyncio.run(play(tmp_path / "any-order.db", [*order, *again])) == IN_ORDER
