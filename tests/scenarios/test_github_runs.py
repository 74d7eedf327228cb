"""Issues on our own GitHub, served over HTTP: labels lead to tracking comments, artifacts and a pull request."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.engine.client import Address, connect
from tests.scenarios.conftest import end
from tests.world.agent import analyzed, asks_people, once, reads_people, unclear
from tests.world.github_office import BOT, GitHubOffice, open_github_office


@pytest.fixture
async def office(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[GitHubOffice]:
    async with open_github_office(home, await connect(temporal)) as office:
        yield office
        await office.serving_stops()
        await end(office.world, request)


async def test_labels_lead_from_triage_over_a_plan_to_a_pull_request_of_the_app(office: GitHubOffice) -> None:
    issue = office.olga.opens_issue("The greeting misspells the world", "It says wrold.", on=office.shop)
    office.olga.labels(issue, "bot:triage")
    assert "# Triage\n\nThe greeting is wrong." in await office.expect_tracking(issue, "triage", "done")
    office.olga.labels(issue, "bot:plan")
    assert "1. Spell the world right" in await office.expect_tracking(issue, "plan", "done")
    office.olga.labels(issue, "bot:implement")
    assert "Pull request 2, branch `agent/issue-1`." in await office.expect_tracking(issue, "implement", "done")
    [pull] = office.pulls()
    assert (pull.issue.author.login, pull.is_open, pull.issue.title) == (BOT, True, "Greet the world by its name")
    assert await office.case(issue).runs() == ["triage succeeded", "plan succeeded", "implement succeeded"]
    assert set(office.tracking(issue)) == {"triage", "plan", "implement"}


async def test_an_owners_comment_answers_a_question_of_the_case_and_gets_a_receipt(office: GitHubOffice) -> None:
    office.world.agent.does(Role.ANALYST, Task.ANALYZE, once(unclear("Which world?"), analyzed))
    office.world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Which world?"))
    office.world.agent.does(Role.PM, Task.INTERPRET, reads_people(reply="Understood: that world."))
    issue = office.olga.opens_issue("The greeting misspells the world", on=office.shop)
    office.olga.comments(issue, "@caseworker triage")
    await office.expect_tracking(issue, "triage", "done")
    office.olga.labels(issue, "bot:plan")
    assert "**It waits for an answer" in await office.expect_tracking(issue, "plan", "waiting")
    await office.expect_said(issue, "Which world?")
    office.olga.comments(issue, "The one that we live on.")
    await office.expect_said(issue, "Understood: that world.")
    await office.expect_tracking(issue, "plan", "done")
    assert (await office.case(issue).receipts())[-1] == "seen by turn 4: read by the pm"


async def test_a_label_whose_webhook_is_lost_is_found_and_a_redelivered_one_changes_nothing(
    office: GitHubOffice,
) -> None:
    await office.serving_stops()
    issue = office.olga.opens_issue("The greeting misspells the world", on=office.shop)
    office.olga.labels(issue, "bot:triage")
    office.github.double.faults.request("lost", r"/issues/1/comments$", method="POST")
    await office.serving_starts()
    await office.expect_tracking(issue, "triage", "done")
    await office.redelivers("issues")
    assert set(office.tracking(issue)) == {"triage"}
    assert await office.case(issue).runs() == ["triage succeeded"]
