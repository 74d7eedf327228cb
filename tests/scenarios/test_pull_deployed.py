"""The whole way of a pull request on our own GitHub: real processes, a rehearsed model, git over HTTP, and real CI."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.repository import PullRequest
from tests.world.github_deployment import FILES, GitHubDeployment, open_deployment

REHEARSAL = Path(__file__).parents[1] / "world" / "shipping.yaml"
SOON = {"REVIEW_BARRIER_SECONDS": "0", "PULL_LOOK_SECONDS": "1", "PULL_LOOK_MOST_SECONDS": "2"}
WRITES = 40
"""More than a session makes: a loop over them ends at the first that is not reached."""


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[GitHubDeployment]:
    async with open_deployment(tmp_path, REHEARSAL, FILES, **SOON) as deployment:
        yield deployment


def red_pull_request(deployment: GitHubDeployment) -> PullRequest:
    """A red check, two open threads, and a base that has gone on, where a rule wants the branch up to date."""
    olga, shop = deployment.olga, deployment.shop
    rita = deployment.github.user("rita", role="write", on=shop)
    protect(deployment.github.state, olga.actor, shop, "main", checks=["test"], is_strict=True)
    test = "grep -q '^Hello world$' greeting.txt\n"
    olga.commits(shop, "fix", {"greeting.txt": "Hello wolrd\n", "tests/world.sh": test}, "Spell the world")
    pull = olga.opens_pull(shop, "fix", "Spell the world")
    rita.remarks(pull, "greeting.txt", 1, "It is still misspelt.")
    rita.remarks(pull, "tests/world.sh", 1, "Does this cover the last letter?")
    olga.commits(shop, "main", {"other.txt": "More\n"}, "Go on")
    return pull


async def expect_shipped(deployment: GitHubDeployment) -> PullRequest:
    pull = red_pull_request(deployment)
    deployment.olga.labels(pull.issue, "bot:ship")
    await deployment.expect_tracking(pull.issue, "ship done")
    path = deployment.shop.path
    assert git_store.read_blob(path, f"{pull.head.sha}:greeting.txt") == b"Hello world\n"
    assert git_store.read_blob(path, f"{pull.head.sha}:other.txt") == b"More\n"
    assert [[one.author.login for one in thread.comments] for thread in pull.threads] == [
        ["rita", "caseworker[bot]"]
    ] * 2
    assert all(thread.resolved_by is not None for thread in pull.threads)
    assert len(set(deployment.said(pull.issue))) == len(deployment.said(pull.issue))
    assert pull.is_open
    return pull


@pytest.mark.slow
async def test_a_red_stale_pull_request_with_threads_becomes_ready(deployment: GitHubDeployment) -> None:
    pull = await expect_shipped(deployment)
    [body] = [one.body for one in pull.issue.comments if one.body.startswith("<!-- workflow-run:")]
    assert "Ready: a person can merge it." in body
    assert deployment.checks()[-1] == ("test", "success")


@pytest.mark.slow
async def test_a_kill_at_any_write_leaves_no_reply_and_no_push_twice(tmp_path: Path) -> None:
    for write in range(1, WRITES):
        async with open_deployment(tmp_path / str(write), REHEARSAL, FILES, **SOON) as deployment:
            deployment.watch_writes()
            deployment.is_killed_at(write)
            await expect_shipped(deployment)
            if len(deployment.writes) < write:
                return
    pytest.fail("the session has no last write")
