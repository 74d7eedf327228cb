"""A bug that was reported in Slack gets its fix on our own GitHub, where its repository is."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About
from caseworker.core.issue.states import IssueState
from caseworker.core.people.messages import Audience
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.forges.github.address import ApiAddress
from tests.scenarios.conftest import end
from tests.world.agent import found
from tests.world.github_office import BOT, GitHubOffice, open_github_office
from tests.world.office import ADA, Office, SlackBug, slack_double, slack_office
from tests.world.world import CaseInWorld

REPORT = "since 9:40 order 1182 of jane@example.org ends in Error 500 when I click pay"


@dataclass
class Both:
    slack: Office
    github: GitHubOffice


@pytest.fixture
async def both(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[Both]:
    async with slack_double() as slack, open_github_office(home, await connect(temporal), slack=slack) as github:
        host = ApiAddress(github.settings.github_api_url).host
        address = RemoteRepository(host=host, owner="olga", name="shop")
        async with slack_office(github.world, slack, address) as office:
            yield Both(office, github)
        await github.serving_stops()
        await end(github.world, request)


async def reported(both: Both) -> tuple[SlackBug, CaseInWorld]:
    both.github.world.agent.does(Role.INVESTIGATOR, Task.BUG, found(), found(action="create_fix"))
    bug = await both.slack.rita_reports(REPORT)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "Please fix it.")
    return bug, await both.github.world.expect_fix(bug)


@pytest.mark.slow
async def test_a_bug_from_slack_gets_its_fix_as_a_pull_request_on_github(both: Both) -> None:
    both.github.olga.opens_issue("Something else", on=both.github.shop)
    bug, fix = await reported(both)
    opened = await fix.expect_pull_request()
    other, issue = both.github.shop.issues[1], both.github.shop.issues[2]
    [pull] = both.github.pulls()
    assert (issue.author.login, fix.id, opened.number) == (BOT, f"olga/shop#{issue.number}", pull.number)
    told = issue.body or ""
    assert "The total is summed before the discount." in told
    assert "jane@example.org" not in told
    assert REPORT in (await fix.stored()).file.issue.original_body
    assert f"Fixes olga/shop#{issue.number}" in (pull.issue.body or "")
    both.github.olga.merges(pull)
    await both.github.world.reconciler_looks()
    ended = await fix.expect_end(IssueState.COMPLETED)
    await bug.expect_end()
    assert (other.state, issue.state, ended.file.commit.issue_closed) == ("open", "closed", True)


@pytest.mark.slow
async def test_an_issue_whose_opening_has_no_answer_is_opened_once(both: Both) -> None:
    both.github.github.double.faults.request("lost", r"/issues$", method="POST")
    bug, fix = await reported(both)
    await fix.expect_pull_request()
    issues = [one for one in both.github.shop.issues.values() if one.number not in both.github.shop.pulls]
    assert [fix.id] == [f"olga/shop#{one.number}" for one in issues]
    both.github.olga.comments(issues[0], "close because it is obsolete")
    await fix.expect_end(IssueState.CLOSED)
    await bug.expect_post(About.FIX_NEWS, Audience.REPORTER)
