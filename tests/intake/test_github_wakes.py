"""Events about a pull request wake its session, and nobody else; none of GitHub's recorded ones is an error."""

import json

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.people.messages import NO_MESSAGE
from caseworker.core.people.registry import TargetKind
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.intake.pull_wakes import PullWakes
from caseworker.store.store import Store
from tests.edges.slack_world import until
from tests.intake.bell import RecordingBell
from tests.intake.github_desk import Desk
from tests.intake.github_examples import recorded_bodies

NINE = CaseId("acme/shop!9")
HEAD, OTHER = Sha("a" * 40), Sha("b" * 40)
REPOSITORY = {"full_name": "acme/shop", "html_url": "https://github.com/acme/shop"}
ABOUT = {"pull_request": {"number": 9}, "repository": REPOSITORY, "sender": {"login": "ann"}}


@pytest.fixture
async def desk(store: Store) -> Desk:
    """A session that waits."""
    desk = Desk(store)
    desk.github.add(9, kind=TargetKind.PULL)
    desk.github.add(8, kind=TargetKind.PULL)
    await desk.labels("ann", 9, "bot:ship")
    await desk.pull_becomes(state=PullState.WAITING, head=HEAD, head_branch="totals", base_branch="main")
    desk.bell.rung.clear()
    return desk


def check(commit: str, name: str = "test") -> dict[str, object]:
    run = {"head_sha": commit, "name": name}
    return {"action": "completed", "check_run": run, "repository": REPOSITORY, "sender": {"login": "ann"}}


def push(branch: str) -> dict[str, object]:
    return {"ref": f"refs/heads/{branch}", "after": OTHER, "repository": REPOSITORY, "sender": {"login": "ann"}}


WAKES: list[tuple[str, dict[str, object], str]] = [
    ("check_run", check(HEAD), "woken"),
    ("check_run", check(OTHER), "ignored: nobody_waits"),
    ("check_run", check(HEAD, CHECK_NAME), "ignored: ours"),
    ("check_suite", {"check_suite": {"head_sha": HEAD}, "repository": REPOSITORY}, "woken"),
    ("workflow_run", {"workflow_run": {"head_sha": HEAD}, "repository": REPOSITORY}, "woken"),
    ("status", {"sha": HEAD, "state": "success", "repository": REPOSITORY}, "woken"),
    ("status", {"sha": HEAD, "state": "pending", "context": CHECK_NAME, "repository": REPOSITORY}, "ignored: ours"),
    ("push", push("totals"), "woken"),
    ("push", push("main"), "woken"),
    ("push", push("elsewhere"), "ignored: nobody_waits"),
    *[
        ("pull_request", {"action": action, **ABOUT}, "woken")
        for action in (
            "synchronize",
            "closed",
            "reopened",
            "converted_to_draft",
            "ready_for_review",
            "edited",
            "auto_merge_enabled",
            "auto_merge_disabled",
            "enqueued",
            "dequeued",
            "review_requested",
            "locked",
        )
    ],
    ("pull_request", {"action": "labeled", "label": {"name": "bug"}, **ABOUT}, "woken"),
    ("pull_request", {"action": "unlabeled", "label": {"name": "bug"}, **ABOUT}, "woken"),
    ("pull_request", {"action": "milestoned", **ABOUT}, "ignored: unused_action"),
    ("pull_request", {"action": "of the future", **ABOUT}, "ignored: unused_action"),
    ("pull_request", {"action": "closed", **ABOUT, "pull_request": {"number": 8}}, "ignored: nobody_waits"),
    ("pull_request_review", {"action": "submitted", "review": {"id": 1, "state": "approved"}, **ABOUT}, "woken"),
    ("pull_request_review", {"action": "dismissed", "review": {"id": 1, "state": "dismissed"}, **ABOUT}, "woken"),
    ("pull_request_review_thread", {"action": "resolved", "thread": {}, **ABOUT}, "woken"),
]


@pytest.mark.parametrize(("event", "body", "outcome"), WAKES)
async def test_which_events_wake_a_session(desk: Desk, event: str, body: dict[str, object], outcome: str) -> None:
    await desk.deliver(event, body)
    assert await desk.outcome() == outcome
    assert [(case, message) for case, message, _ in desk.bell.rung] == [(NINE, NO_MESSAGE)] * (outcome == "woken")


async def test_a_review_bot_wakes_the_session_and_is_not_obeyed(desk: Desk) -> None:
    assert await desk.comments("reviewer[bot]", 9, "bot:abort") == "woken"
    assert [kind for _, kind, _ in await desk.pull_messages()] == ["start"]


async def test_nothing_wakes_a_session_that_is_over(desk: Desk) -> None:
    await desk.pull_becomes(state=PullState.ENDED, end=SessionEnd.CLOSED)
    assert await desk.changes_pull("reopened") == "ignored: nobody_waits"
    await desk.deliver("check_run", check(HEAD))
    assert desk.bell.rung == []


async def test_many_events_at_once_ring_twice_at_most(store: Store) -> None:
    bell = RecordingBell()
    wakes = PullWakes(store=store, doorbell=bell, quiet=0.2)
    for _ in range(50):
        await wakes.wake([NINE])
    assert len(bell.rung) == 1
    await until(lambda: len(bell.rung) == 2)


async def test_every_recorded_event_gets_an_outcome_that_is_no_error(desk: Desk) -> None:
    """On a pull request with a session: all of them are made to be about it."""
    for count, (name, body) in enumerate(recorded_bodies()):
        about = {**body, "repository": REPOSITORY} if "repository" in body else body
        for key in ("issue", "pull_request"):
            target = about.get(key)
            if isinstance(target, dict):
                about[key] = {**target, "number": 9}
        await desk.door.take(f"recorded {count}", name, json.dumps(about).encode(), source="webhook")
    await desk.work.process_all()
    settled = await desk.store.deliveries.list(limit=1_000)
    assert len(settled) > 300
    assert {one.outcome.kind.value for one in settled} <= {
        "dispatched",
        "message",
        "woken",
        "duplicate",
        "ignored",
        "refused",
    }
