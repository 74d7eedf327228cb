"""A bug case from its report to its end, in the terminal."""

import pytest

from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About, BugState
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.messages import Audience
from tests.world.agent import asked, found
from tests.world.world import World

S = BugState
CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"


async def test_a_clear_report_is_acknowledged_and_investigated_at_once(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    assert (await bug.posts(About.ACKNOWLEDGED, Audience.REPORTER))[0].startswith(
        f"Thank you, this is recorded as **{bug.id}**"
    )
    assert await bug.status() == "pending_verification"
    assert await bug.states() == [S.AWAITING_DEV]
    assert await bug.receipts() == ["seen by turn 1: read by the investigator, who answered with findings"]


async def test_an_answer_sent_while_the_agent_works_is_not_asked_for_again(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(), found())
    world.agent.hears()
    bug = await world.reporter_writes("something is broken")
    await bug.expect_question("Which page shows the error?")
    release = world.agent.holds_in(Role.INVESTIGATOR)
    await bug.reporter_says("checkout")
    await world.agent.reached(Role.INVESTIGATOR)
    await bug.reporter_says("since 9:40, order 1182")  # while the turn runs
    release()
    await bug.expect_findings()
    assert world.agent.heard == ["since 9:40, order 1182"]
    seen = "seen by turn 2: read by the investigator, who answered with findings"
    assert (await bug.receipts())[1:] == [seen, seen]


@pytest.mark.slow
async def test_a_developer_asks_for_the_fix_and_its_pull_request_comes_back(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, found(), found(action="create_fix"))
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await bug.developer_says("Please fix it.")
    fix = await world.expect_fix(bug)
    await fix.expect_pull_request()
    assert IssueState.ANALYZING_REQUIREMENTS not in await fix.states()
    news = await bug.expect_post(About.FIX_NEWS, Audience.DEVELOPERS)
    assert "Branch `agent/issue-1` is ready" in news
    await fix.person_merges()
    ended = await bug.expect_end()
    assert ended.case.ending.resolution == "code_fix"
    await fix.expect_end(IssueState.COMPLETED)


async def test_a_fix_goes_on_to_its_pull_request_also_where_issues_stop_at_the_plan(world: World) -> None:
    world.policy = world.policy.model_copy(update={"until": Milestone.PLAN})
    world.agent.does(Role.INVESTIGATOR, Task.BUG, found(), found(action="create_fix"))
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await bug.developer_says("Please fix it.")
    fix = await world.expect_fix(bug)
    await fix.expect_waiting(WaitingFor.MERGE)
    assert await bug.expect_post(About.FIX_NEWS, Audience.DEVELOPERS)
