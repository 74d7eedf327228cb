"""Two things happen to a bug case at the same moment."""

from pathlib import Path

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About, BugState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import TurnCompleted
from caseworker.ports import Attempt, FinishedTurn
from tests.edges.slack_world import until
from tests.world.agent import found
from tests.world.bugs import BugInWorld
from tests.world.office import RITA, Office
from tests.world.slack import UploadedFile
from tests.world.world import World

S = BugState
CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"


@pytest.mark.slow
async def test_a_message_heard_by_a_turn_that_failed_gets_a_receipt(world: World) -> None:
    def breaks(workspace: Path) -> Outcome:
        raise RuntimeError("the agent's library broke")

    world.agent.does(Role.INVESTIGATOR, Task.BUG, breaks)
    world.agent.hears()
    release = world.agent.holds_in(Role.INVESTIGATOR)
    bug = await world.reporter_writes(CLEAR)
    await world.agent.reached(Role.INVESTIGATOR)
    await bug.developer_says("It is the cart.")
    release()
    await bug.expect_state(S.AWAITING_DEV)
    assert world.agent.heard == ["It is the cart."]
    await bug.expect_receipts(*["seen by turn 1: given to a turn that failed; people were called"] * 2)


async def test_a_message_that_arrives_with_the_end_of_a_turn_is_answered_once(world: World) -> None:
    release = world.agent.holds_in(Role.INVESTIGATOR)
    bug = await world.reporter_writes(CLEAR)
    await world.agent.reached(Role.INVESTIGATOR)
    await world.flows_stop()
    await bug.developer_says("Go on.")
    release()
    await world.expect_nothing_under_way(bug.id)
    await world.flows_start()
    await bug.expect_findings(times=2)
    assert await bug.posts(About.FOLLOW_UP) == ["A follow-up investigation has started."]
    assert await bug.posts(About.NOTED) == []


async def test_a_late_end_of_a_cancelled_turn_does_not_lose_later_messages(world: World) -> None:
    world.agent.holds_in(Role.INVESTIGATOR)
    bug = await world.reporter_writes(CLEAR)
    await world.agent.reached(Role.INVESTIGATOR)
    await bug.developer_says("I'll take it")
    await bug.expect_post(About.TAKEN_OVER, Audience.DEVELOPERS)
    await world.expect_nothing_under_way(bug.id)  # the cancelled attempt may end after the post
    await complete_cancelled_turn(bug, turn=1)
    await bug.developer_says("close not_a_bug works as designed")
    stored = await bug.expect_end()
    assert stored.case.ending.resolution == "not_a_bug"


async def complete_cancelled_turn(bug: BugInWorld, turn: int) -> None:
    """Completes a turn, as a worker does that was frozen before it began and missed that the turn was cancelled.

    The flow fences the turn at each look, also at one that comes between the worker's beginning and its end."""
    for _ in range(10):
        if await _completes_cancelled_turn(bug, turn):
            return
    raise AssertionError("the flow fenced ten attempts in a row")


async def _completes_cancelled_turn(bug: BugInWorld, turn: int) -> bool:
    turns, stored = bug.world.store.turns, await bug.stored()
    attempt = await turns.begin(
        bug.id, turn, role=Role.INVESTIGATOR, task=Task.BUG, worker="frozen", activity=b"", trace=stored.trace
    )
    assert isinstance(attempt, Attempt)
    assert stored.case.progress.base is not None
    outcome = found()(bug.world.repository)
    assert not hasattr(outcome, "why")
    same = {"turn": turn, "attempt": attempt.number, "role": Role.INVESTIGATOR, "task": Task.BUG, "calls": 1}
    finished = FinishedTurn.model_validate(
        {
            **same,
            "outcome": outcome,
            "checkpoint": stored.case.progress.base,
            "session": attempt.session,
            "cost_micros": 0,
        }
    )
    entry = TurnCompleted.model_validate(
        {
            **same,
            "status": "post_findings",
            "summary": "late",
            "checkpoint": stored.case.progress.base,
            "cost_micros": 0,
        }
    )
    return await turns.complete(attempt, finished, None, entry)


@pytest.mark.slow
async def test_a_post_that_hangs_while_the_case_is_closed_appears_once(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    office.slack.trouble.hang("chat.postMessage")
    await bug.in_reports(RITA, "And order 1183.")
    # Slack has posted it, but does not answer yet.
    await until(lambda: any("/noted.reporter/" in post.key for post in office.slack.posts()))
    await bug.in_reports(RITA, "never mind")
    await bug.expect_state(S.RESOLVED)  # at once, although Slack hangs
    office.slack.trouble.let_go()
    await bug.expect_end()
    keys = [post.key for post in office.slack.posts()]
    assert len(keys) == len(set(keys))


@pytest.mark.slow
async def test_a_slack_file_that_cannot_be_fetched_does_not_delay_the_case(office: Office) -> None:
    async def fetch(source: str, *, limit: int) -> bytes:
        raise Transient("Slack answered 500.")

    chat = office.world.parts.chats["slack"]
    chat.fetch = fetch  # type: ignore[method-assign] # a server that fails for one file only
    log = UploadedFile(name="app.log", content=b"Error 500")
    bug = await office.rita_reports(CLEAR, files=[log])
    await bug.expect_findings()
    assert "not to be had at the moment" in office.world.agent.briefs[-1].prompt
    del chat.fetch
    await bug.in_reports(RITA, "Anything?")
    await bug.expect_findings(times=2)
    assert "app.log (text/plain, 9 bytes)" in office.world.agent.briefs[-1].prompt
