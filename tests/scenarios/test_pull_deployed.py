"""The whole way of a pull request on our own GitHub: real processes, a rehearsed model, git over HTTP, and real CI."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from caseworker.core.pull.case import WORKING, PullState
from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.repository import PullRequest
from tests.world.github_deployment import FILES, GitHubDeployment, open_deployment

log = structlog.get_logger()

REHEARSAL = Path(__file__).parents[1] / "world" / "shipping.yaml"
SOON = {"REVIEW_BARRIER_SECONDS": "0", "PULL_LOOK_SECONDS": "1", "PULL_LOOK_MOST_SECONDS": "2"}
RUNS = 30
"""More than it takes to be killed at each write of a session."""
KINDS = ("issues/N/comments", "check-runs", "git-receive-pack", "/replies", "resolveReviewThread")
"""Parts of the writes of a session: its comments, its verdict, its pushes, and answers in threads."""
WORK = WORKING - {PullState.REVIEWING}
"""The states in which a ship session works."""


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
    begun = pull.head.sha
    deployment.olga.labels(pull.issue, "bot:ship")
    await deployment.expect_tracking(pull.issue, "ship done")
    path = deployment.shop.path
    assert git_store.read_blob(path, f"{pull.head.sha}:greeting.txt") == b"Hello world\n"
    assert git_store.read_blob(path, f"{pull.head.sha}:other.txt") == b"More\n"
    ours = git_store.run_git(path, "log", "--format=%s", f"{begun}..{pull.head.sha}", "^main").splitlines()
    assert len(ours) == 2, ours  # the repair, and the merge of the base
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
@pytest.mark.timeout(3_600)
async def test_a_kill_at_any_write_leaves_no_reply_and_no_push_twice(tmp_path: Path) -> None:
    hit: set[str] = set()
    for run in range(RUNS):
        async with open_deployment(tmp_path / str(run), REHEARSAL, FILES, **SOON) as deployment:
            deployment.is_killed_at_new_writes(hit, most=3)
            await expect_shipped(deployment)
            log.info("killed", run=run, times=deployment.kills, so_far=sorted(hit))
            if deployment.kills == 0:
                break
    else:
        pytest.fail(f"each run has a new write: {sorted(hit)}")
    assert [kind for kind in KINDS if not any(kind in one for one in hit)] == []


@pytest.mark.slow
async def test_a_kill_in_each_state_leaves_no_reply_and_no_push_twice(deployment: GitHubDeployment) -> None:
    async with deployment.killed_in(WORK) as killed_in:
        await expect_shipped(deployment)
    log.info("killed", states=sorted(killed_in))
    assert killed_in == WORK
