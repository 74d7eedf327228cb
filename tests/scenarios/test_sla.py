"""The SLA clock of a bug case on a real Temporal server, with targets of less than a second."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.bug.sla import SlaKeeping
from caseworker.activities.shared.posts import Posting
from caseworker.contract.names import sla_workflow_id
from caseworker.contract.wire import CheckSla
from caseworker.core.base.policy import Policy, Service, Severity, SlaTarget
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugState
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Posted, SlaChecked
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.patience import PATIENCE
from tests.world.agent import asked, found
from tests.world.bugs import BugInWorld
from tests.world.phrasings import RECORDED
from tests.world.world import World, open_world

CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"
AGES = 1_000.0
"""Minutes, like the next two."""
SOON = 0.005
"""A third of a second."""
AT_ONCE = 0.00001


def rules(
    *, acknowledge: float = AGES, resolve: float = AGES, follow_up: float = AGES, after: int = 2, events: int = 1_500
) -> Policy:
    target = SlaTarget(acknowledge=acknowledge, resolve=resolve, follow_up=follow_up, escalate_after=after)
    return Policy(
        sla=dict.fromkeys(Severity, target),
        contacts=(("ada",), ("grace",)),
        services={"pay": Service(owners=("margaret",))},
        history_events=events,
    )


async def checks(bug: BugInWorld) -> list[str]:
    made = [recorded.entry for recorded in await bug.record() if isinstance(recorded.entry, SlaChecked)]
    return [f"{check.target} {check.result} {check.level}" for check in made]


async def told(bug: BugInWorld) -> list[str]:
    said = [recorded.entry for recorded in await bug.record() if isinstance(recorded.entry, Posted)]
    return [post.text for post in said if post.about.startswith("sla_") and post.audience is Audience.DEVELOPERS]


async def expect_checks(bug: BugInWorld, are_so: Callable[[list[str]], bool]) -> list[str]:
    deadline = time.monotonic() + PATIENCE
    while not are_so(seen := await checks(bug)):
        assert time.monotonic() < deadline, f"the clock recorded only {seen}:\n{await bug.story()}"
        await asyncio.sleep(0.02)
    return seen


async def clock_strikes(bug: BugInWorld, minutes: float, *, at: datetime | None = None) -> datetime:
    """Runs the check that the flow makes when its timer fires, as if this many minutes had passed."""
    now = at or datetime.now(UTC) + timedelta(minutes=minutes)
    store = bug.world.store
    keeping = SlaKeeping(store=store, posting=Posting(store=store, chats={}, recorded_in=RECORDED))
    await ActivityEnvironment().run(keeping.check_sla, CheckSla(case=bug.id, now=now))
    return now


async def reporter_drops(bug: BugInWorld) -> None:
    await bug.reporter_says("never mind")
    await bug.expect_end()
    await expect_clock_ends(bug)


async def expect_clock_ends(bug: BugInWorld) -> None:
    handle = bug.world.client.get_workflow_handle(sla_workflow_id(bug.id))
    await asyncio.wait_for(handle.result(), timeout=PATIENCE)


async def test_a_case_acknowledged_and_resolved_in_time_meets_both_targets(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=rules())
    await bug.expect_findings()
    await expect_checks(bug, lambda seen: seen == ["acknowledge met 1"])
    await bug.developer_says("close not_a_bug: the page was misread")
    await bug.expect_end()
    await expect_clock_ends(bug)
    assert await checks(bug) == ["acknowledge met 1", "resolve met 1"]
    assert await told(bug) == []


async def test_follow_ups_of_an_open_case_escalate_level_by_level_until_it_is_resolved(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=rules(follow_up=SOON))
    await expect_checks(bug, lambda seen: len(seen) >= 4)
    await bug.developer_says("close not_a_bug: the page was misread")
    await bug.expect_end()
    await expect_clock_ends(bug)
    first, *follow_ups, last = await checks(bug)
    assert (first, last) == ("acknowledge met 1", "resolve met 2")
    assert follow_ups[:3] == ["follow_up reminded 1", "follow_up reminded 1", "follow_up escalated 2"]
    said = await told(bug)
    assert len(said) == len(follow_ups)
    assert said[0].startswith(f"@ada: {bug.id} (")
    assert said[2].startswith(f"**Escalated to level 2**: @grace, {bug.id} (")


@pytest.mark.slow
async def test_a_late_acknowledgement_is_recorded_as_missed(world: World) -> None:
    await world.worker_stops()
    bug = await world.reporter_writes(CLEAR, policy=rules(acknowledge=AT_ONCE))
    await world.worker_starts()
    await bug.expect_findings()
    await reporter_drops(bug)
    assert await checks(bug) == ["acknowledge missed 1", "resolve met 1"]


@pytest.mark.slow
async def test_a_missed_target_is_posted_to_contacts_and_owners_once(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=rules())
    await bug.expect_findings()
    await expect_checks(bug, lambda seen: len(seen) == 1)
    late = await clock_strikes(bug, AGES)
    await clock_strikes(bug, AGES, at=late)  # once more, as after a crash before the result was saved
    assert await checks(bug) == ["acknowledge met 1", "resolve missed 1"]
    (said,) = await told(bug)
    assert said.startswith(f"**Not resolved in time**: {bug.id} (P2: {CLEAR}) has been open for 16 h 40 min.")
    assert said.endswith("@ada, @margaret, please look.")
    await reporter_drops(bug)
    assert len(await checks(bug)) == 2


@pytest.mark.slow
async def test_nobody_is_paged_while_the_case_waits_for_its_reporter(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(), found())
    bug = await world.reporter_writes("something is broken", policy=rules())
    await bug.expect_question("Which page shows the error?")
    await expect_checks(bug, lambda seen: len(seen) == 1)
    for _ in range(3):
        await clock_strikes(bug, 2 * AGES)
    assert await checks(bug) == ["acknowledge met 1", "resolve missed 1"]
    assert await told(bug) == []
    await bug.reporter_says(CLEAR)
    await bug.expect_findings()
    await clock_strikes(bug, 2 * AGES)
    assert (await checks(bug))[-1] == "follow_up reminded 1"
    assert len(await told(bug)) == 1
    await reporter_drops(bug)


@pytest.mark.slow
async def test_a_reopened_case_gets_new_sla_targets(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=rules())
    await bug.expect_findings()
    await reporter_drops(bug)
    await bug.reporter_says("It is back: order 1183 this time.")
    await bug.expect_state(BugState.AWAITING_DEV)
    await reporter_drops(bug)
    assert await checks(bug) == 2 * ["acknowledge met 1", "resolve met 1"]


@pytest.mark.slow
async def test_a_long_running_clock_continues_as_new_and_repeats_no_post(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=rules(follow_up=SOON, after=100, events=50))
    await expect_checks(bug, lambda seen: len(seen) >= 9)
    history = await world.client.get_workflow_handle(sla_workflow_id(bug.id)).fetch_history()
    assert history.events[0].workflow_execution_started_event_attributes.continued_execution_run_id
    await bug.developer_says("close not_a_bug: the page was misread")
    await bug.expect_end()
    await expect_clock_ends(bug)
    numbers = [int(text.split()[-1].rstrip(".")) for text in await told(bug)]
    assert numbers == list(range(1, len(await checks(bug)) - 1))


@pytest.mark.slow
async def test_the_sla_clock_works_with_the_workflow_cache_off(tmp_path: Path, temporal: Address) -> None:
    async with open_world(tmp_path / "home", await connect(temporal), cached=0) as world:
        bug = await world.reporter_writes(CLEAR, policy=rules(follow_up=SOON))
        await expect_checks(bug, lambda seen: len(seen) >= 3)
        await reporter_drops(bug)
        first, *follow_ups, last = await checks(bug)
        assert (first, last.split()[:2], follow_ups[0]) == (
            "acknowledge met 1",
            ["resolve", "met"],
            "follow_up reminded 1",
        )
        assert len(await told(bug)) == len(follow_ups)
        await world.end()
