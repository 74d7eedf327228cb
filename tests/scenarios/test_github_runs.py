"""Issues on our own GitHub, served over HTTP: labels lead to tracking comments, artifacts and a pull request."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from tests.world.agent import analyzed, asks_people, once, reads_people, unclear
from tests.world.github_office import BOT, GitHubOffice


async def test_labels_lead_from_triage_over_a_plan_to_a_pull_request_of_the_app(github: GitHubOffice) -> None:
    issue = github.olga.opens_issue("The greeting misspells the world", "It says wrold.", on=github.shop)
    github.olga.labels(issue, "bot:triage")
    assert "# Triage\n\nThe greeting is wrong." in await github.expect_tracking(issue, "triage", "done")
    github.olga.labels(issue, "bot:plan")
    assert "1. Spell the world right" in await github.expect_tracking(issue, "plan", "done")
    github.olga.labels(issue, "bot:implement")
    assert "Pull request 2, branch `agent/issue-1`." in await github.expect_tracking(issue, "implement", "done")
    [pull] = github.pulls()
    assert (pull.issue.author.login, pull.is_open, pull.issue.title) == (BOT, True, "Greet the world by its name")
    assert await github.case(issue).runs() == ["triage succeeded", "plan succeeded", "implement succeeded"]
    assert set(github.tracking(issue)) == {"triage", "plan", "implement"}


@pytest.mark.slow
async def test_a_merge_that_closes_the_issue_is_in_the_case_file_without_a_webhook(github: GitHubOffice) -> None:
    issue = github.olga.opens_issue("The greeting misspells the world", "It says wrold.", on=github.shop)
    for step in ("triage", "plan", "implement"):
        github.olga.labels(issue, f"bot:{step}")
        await github.expect_tracking(issue, step, "done")
    await github.serving_stops()
    [pull] = github.pulls()
    github.olga.merges(pull)
    assert not (await github.case(issue).stored()).file.commit.issue_closed
    await github.world.reconciler_looks()
    assert (await github.case(issue).expect_end(IssueState.COMPLETED)).file.commit.issue_closed


@pytest.mark.slow
async def test_an_owners_comment_answers_a_question_of_the_case_and_gets_a_receipt(github: GitHubOffice) -> None:
    github.world.agent.does(Role.ANALYST, Task.ANALYZE, once(unclear("Which world?"), analyzed))
    github.world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Which world?"))
    github.world.agent.does(Role.PM, Task.INTERPRET, reads_people(reply="Understood: that world."))
    issue = github.olga.opens_issue("The greeting misspells the world", on=github.shop)
    github.olga.comments(issue, "@caseworker triage")
    await github.expect_tracking(issue, "triage", "done")
    github.olga.labels(issue, "bot:plan")
    assert "**It waits for an answer" in await github.expect_tracking(issue, "plan", "waiting")
    await github.expect_said(issue, "Which world?")
    github.olga.comments(issue, "The one that we live on.")
    await github.expect_said(issue, "Understood: that world.")
    await github.expect_tracking(issue, "plan", "done")
    assert (await github.case(issue).receipts())[-1] == "seen by turn 4: read by the pm"


async def test_a_label_begins_one_run_though_its_webhook_is_lost_or_sent_again(
    github: GitHubOffice,
) -> None:
    await github.serving_stops()
    issue = github.olga.opens_issue("The greeting misspells the world", on=github.shop)
    github.olga.labels(issue, "bot:triage")
    github.github.double.faults.request("lost", r"/issues/1/comments$", method="POST")
    await github.serving_starts()
    await github.expect_tracking(issue, "triage", "done")
    await github.redelivers("issues")
    assert set(github.tracking(issue)) == {"triage"}
    assert await github.case(issue).runs() == ["triage succeeded"]
