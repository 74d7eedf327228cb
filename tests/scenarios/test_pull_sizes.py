"""Whole sessions on very large pull requests: many open threads, thousands of changed files."""

import asyncio
import subprocess
import time
from collections.abc import Callable

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.pull.case import PullCase, SessionEnd
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.github_double import git_store
from caseworker.github_double.acts.push_acts import set_ref
from caseworker.github_double.acts.review_acts import create_review
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.entities.repository import PullRequest
from tests.patience import LOOK, PATIENCE
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import NO_CHECKS, asks_for
from tests.world.pull_agent import resolves, reviews_change


async def _events_processed(github: GitHubOffice, count: int) -> None:
    """Waits until Caseworker has looked at this many events about review comments."""
    deadline, done = time.monotonic() + PATIENCE, 0
    while done < count:
        assert time.monotonic() < deadline, f"{done} of {count} events are processed"
        await asyncio.sleep(LOOK)
        listed = await github.world.store.deliveries.list(outcome=OutcomeKind.IGNORED, limit=4 * count)
        done = sum(one.event == "pull_request_review_comment" for one in listed)


def _resolved(pull: PullRequest) -> int:
    return sum(thread.resolved_by is not None for thread in pull.threads)


def _resolves_more_than(pull: PullRequest, count: int) -> Callable[[PullCase], bool]:
    return lambda _: _resolved(pull) > count


async def _all_threads_answered(github: GitHubOffice, count: int) -> None:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    pull = github.olga.opens_pull(github.shop, "fix", "Spell the world")
    rita = github.github.user("rita", role="write", on=github.shop)
    remarks = [LineComment(path="greeting.txt", line=1, body=f"Remark {number}.") for number in range(count)]
    create_review(github.github.state, rita.actor, pull, verdict="COMMENT", comments=remarks)
    await _events_processed(github, count)  # otherwise they are messages of the session as well
    answer = resolves({"greeting.txt": "Hello world\n"}, threads=count)
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, answer)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    for resolved in (*range(0, count, 20), count - 1):  # it takes minutes: each step is waited for by itself
        await session.expect(_resolves_more_than(pull, resolved), f"over {resolved} threads resolved")
    ended = await session.expect_end(SessionEnd.READY)
    assert (ended.progress.turns, ended.work.pushes) == (1, 1)
    said = [[comment.author.login for comment in thread.comments] for thread in pull.threads]
    assert said == [["rita", "caseworker[bot]"]] * count
    assert all(thread.resolved_by is not None for thread in pull.threads)
    body = await github.expect_tracking(pull.issue, "ship", "done")
    assert "Ready: a person can merge it." in body


@pytest.mark.slow
async def test_a_dozen_threads_are_answered_in_one_turn_and_with_one_push(github: GitHubOffice) -> None:
    await _all_threads_answered(github, 12)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
async def test_300_threads_are_answered_in_one_turn_and_with_one_push(github: GitHubOffice) -> None:
    await _all_threads_answered(github, 300)


def _wide_pull(github: GitHubOffice, count: int) -> PullRequest:
    """A pull request with so many new files, in one commit."""
    path = github.shop.path
    parent = git_store.branches(path)["main"]
    lines = [
        "commit refs/wide",
        "committer olga <olga@example.org> 1790000000 +0000",
        "data 4",
        "Wide",
        f"from {parent}",
    ]
    for number in range(count):
        text = f"part {number}\nof many\n"
        lines += [f"M 100644 inline parts/{number:04}.txt", f"data {len(text)}", text]
    stream = "\n".join(lines) + "\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=stream.encode(), check=True)
    head = subprocess.run(["git", "rev-parse", "refs/wide"], cwd=path, capture_output=True, check=True).stdout
    set_ref(github.github.state, github.olga.actor, github.shop, "refs/heads/wide", head.decode().strip())
    return github.olga.opens_pull(github.shop, "wide", "Many parts")


async def _last_file_reviewed(github: GitHubOffice, count: int) -> None:
    pull = _wide_pull(github, count)
    last = f"parts/{count - 1:04}.txt"
    finding = {
        "file": last,
        "line": 2,
        "severity": "minor",
        "title": "It is the last",
        "body": "Say so.",
        "quote": "of many",
    }
    github.world.agent.does(Role.TECH_LEAD, Task.REVIEW_PULL, reviews_change(finding))
    session = await asks_for(github, pull, "review", policy=NO_CHECKS)
    await session.expect_end(SessionEnd.DONE)
    assert [(thread.path, thread.line) for thread in pull.threads] == [(last, 2)]
    shipped = await asks_for(github, pull, policy=NO_CHECKS)
    await shipped.expect(lambda case: case.epoch == 2 and case.sight.verdict is not None, "a verdict")


@pytest.mark.slow
async def test_a_finding_is_put_on_the_last_of_120_files(github: GitHubOffice) -> None:
    await _last_file_reviewed(github, 120)


@pytest.mark.slow
async def test_a_finding_is_put_on_the_last_of_3000_files(github: GitHubOffice) -> None:
    await _last_file_reviewed(github, 3_000)
