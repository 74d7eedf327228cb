"""The whole way on our own GitHub: real processes, a rehearsed model, git over HTTP, and real CI."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.github_double.entities.repository import Issue
from tests.world.github_deployment import BOT, FILES, GitHubDeployment, open_deployment

REHEARSAL = Path(__file__).parents[1] / "world" / "goodbye.yaml"
DONE = ("triage done", "plan done", "implement done")


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[GitHubDeployment]:
    async with open_deployment(tmp_path, REHEARSAL, FILES) as deployment:
        yield deployment


async def labels_lead_to_a_pull_request(deployment: GitHubDeployment) -> Issue:
    issue = deployment.olga.opens_issue("The greeting misspells the world", "It says wrold.", on=deployment.shop)
    for number, label in enumerate(("bot:triage", "bot:plan", "bot:implement"), 1):
        deployment.olga.labels(issue, label)
        await deployment.expect_tracking(issue, *DONE[:number])
    return issue


@pytest.mark.slow
async def test_labels_lead_to_a_pull_request_with_green_checks(deployment: GitHubDeployment) -> None:
    """The same way without a kill: `make test` takes the one below."""
    issue = await labels_lead_to_a_pull_request(deployment)
    await deployment.expect(lambda: deployment.checks() == [("test", "success")], "green checks", issue)
    expect_a_pull_request_of_ours(deployment)


def expect_a_pull_request_of_ours(deployment: GitHubDeployment) -> None:
    [pull] = deployment.pulls()
    assert (pull.issue.author.login, pull.is_open) == (BOT, True)
    assert (pull.issue.body or "").rstrip().endswith("Fixes olga/shop#1")


@pytest.mark.slow
async def test_a_red_check_goes_back_to_the_real_developer(tmp_path: Path) -> None:
    async with open_deployment(tmp_path, REHEARSAL, {**FILES, "strict": ""}) as deployment:
        issue = await labels_lead_to_a_pull_request(deployment)
        both = [("test", "failure"), ("test", "success")]
        await deployment.expect(lambda: deployment.checks() == both, "green checks after a fix", issue)
        assert len(deployment.pulls()) == 1


RUNS = 30
"""More than it takes to be killed at each write of a case."""


async def expect_one_of_everything(deployment: GitHubDeployment) -> None:
    issue = await labels_lead_to_a_pull_request(deployment)
    await deployment.expect(lambda: ("test", "success") in deployment.checks(), "green checks", issue)
    assert deployment.tracking(issue) == list(DONE)
    expect_a_pull_request_of_ours(deployment)
    assert len(set(deployment.said(issue))) == len(deployment.said(issue))
    entries = deployment.terminal.entries("pull_request_opened", "branch_pushed")
    assert len(entries) == 2, entries


@pytest.mark.slow
async def test_killed_at_its_first_comment_its_push_and_its_pull_request(deployment: GitHubDeployment) -> None:
    for path in (r"/issues/1/comments$", r"git-receive-pack$", r"/pulls$"):
        deployment.is_killed_by(path)
    await expect_one_of_everything(deployment)
    assert deployment.kills == 3


@pytest.mark.slow
@pytest.mark.timeout(3_600)
async def test_a_kill_at_any_write_leaves_one_of_everything(tmp_path: Path) -> None:
    hit: set[str] = set()
    for run in range(RUNS):
        async with open_deployment(tmp_path / str(run), REHEARSAL, FILES) as deployment:
            deployment.is_killed_at_new_writes(hit, most=3)
            await expect_one_of_everything(deployment)
            if deployment.kills == 0:
                return
    pytest.fail(f"each run has a new write: {sorted(hit)}")
