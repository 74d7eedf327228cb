"""What people do to an issue on our own GitHub while its case works or waits: edit, close, lock, transfer, delete."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.github_double.entities.repository import Issue
from tests.world.agent import analyzed, asks_people, once, reads_people, unclear
from tests.world.github_office import GitHubOffice

S = IssueState
TITLE = "The greeting misspells the world"


async def triaged(github: GitHubOffice) -> Issue:
    issue = github.olga.opens_issue(TITLE, "It says wrold.", on=github.shop)
    github.olga.labels(issue, "bot:triage")
    await github.expect_tracking(issue, "triage", "done")
    return issue


@pytest.mark.slow
async def test_an_edited_issue_is_read_anew_by_the_next_run(github: GitHubOffice) -> None:
    issue = await triaged(github)
    github.olga.rewrites(issue, body="It says wrold. Say goodbye as well.")
    await github.expect_receipt(issue, "kept on the record")
    github.olga.labels(issue, "bot:plan")
    await github.expect_tracking(issue, "plan", "done")
    [plan] = [brief.prompt for brief in github.world.agent.briefs if brief.task is Task.PLAN]
    assert "Say goodbye as well." in plan


async def test_a_closed_issue_stops_the_work_and_a_reopened_one_is_tried_again(github: GitHubOffice) -> None:
    release = github.world.agent.holds_in(Role.PM)
    issue = github.olga.opens_issue(TITLE, on=github.shop)
    github.olga.labels(issue, "bot:triage")
    await github.world.agent.reached(Role.PM)
    github.olga.closes(issue)
    await github.case(issue).expect_end(S.CLOSED)
    await github.expect_tracking(issue, "triage", "stopped early")
    assert github.world.agent.stopped == [Role.PM]
    release()
    github.olga.reopens(issue)
    github.olga.unlabels(issue, "bot:triage")
    github.olga.labels(issue, "bot:triage")
    await github.expect_tracking(issue, "triage", "done")
    assert await github.case(issue).runs() == ["triage incomplete", "triage succeeded"]


@pytest.mark.slow
@pytest.mark.parametrize("change", ["transferred", "deleted"])
async def test_an_issue_that_is_gone_ends_its_case_and_disturbs_no_other(github: GitHubOffice, change: str) -> None:
    github.world.agent.holds_in(Role.PM)
    issue = github.olga.opens_issue(TITLE, on=github.shop)
    github.olga.comments(issue, "@caseworker triage")
    await github.world.agent.reached(Role.PM)
    if change == "transferred":
        github.olga.transfers(issue, github.github.repository(github.olga, "depot"))
    else:
        github.olga.deletes(issue)
    ended = await github.case(issue).expect_end(S.CLOSED)
    assert f"The issue was {change} on GitHub." in await github.case(issue).story()
    assert ended.case.outbox == ()
    github.world.agent.holds_in(Role.PM)()
    await triaged(github)
    assert "failed" not in await github.outcomes()


@pytest.mark.slow
async def test_a_locked_conversation_shows_its_question_in_the_tracking_comment(github: GitHubOffice) -> None:
    github.world.agent.does(Role.ANALYST, Task.ANALYZE, once(unclear("Which world?"), analyzed))
    github.world.agent.does(Role.PM, Task.QUESTIONS, asks_people("Which world?"))
    github.world.agent.does(Role.PM, Task.INTERPRET, reads_people(reply="Understood: that world."))
    issue = await triaged(github)
    release = github.world.agent.holds_in(Role.ANALYST)
    github.olga.labels(issue, "bot:plan")
    await github.expect_tracking(issue, "plan", "working")
    github.olga.locks(issue)
    release()
    assert "Which world?" in await github.expect_tracking(issue, "plan", "waiting")
    await github.case(issue).expect_story("could not be told on github")
    github.olga.unlocks(issue)
    github.olga.comments(issue, "The one that we live on.")
    await github.expect_tracking(issue, "plan", "done")


async def test_a_label_on_a_locked_issue_starts_nothing_and_is_not_tried_again(github: GitHubOffice) -> None:
    issue = github.olga.opens_issue(TITLE, on=github.shop)
    github.olga.locks(issue)
    github.olga.comments(issue, "@caseworker triage")
    await github.expect_outcome("refused")
    assert (github.said(issue), "failed" in await github.outcomes()) == ([], False)
