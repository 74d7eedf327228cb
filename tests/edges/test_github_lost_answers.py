"""Every write of the broker with its answer lost: the next try looks, and the effect is there once."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from caseworker.core.base.errors import ResultUnknown
from caseworker.core.base.ids import Sha
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.writes import (
    AddComment,
    AddLabel,
    AddReviewComment,
    DeleteComment,
    EditComment,
    OpenIssue,
    OpenPull,
    PushBranch,
    React,
    RemoveLabel,
    ReplyInThread,
    ReportCheck,
    RerunFailedJobs,
    ResolveThread,
    UpdatePull,
    Write,
    Written,
)
from caseworker.github_double.acts.check_acts import CheckReport
from caseworker.github_double.acts.workflow_acts import add_job, begin_run, report_job
from tests.edges.github_shop import BRANCH, Shop, opened_shop

_WRITES = r"^(?!.*(access_tokens|git-upload-pack))"


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


async def lost_and_repeated(shop: Shop, write: Write, method: str) -> Written:
    """The write is carried out, its answer is lost, and it is asked for again."""
    shop.double.faults.request("lost", _WRITES, method=method)
    with pytest.raises(ResultUnknown):
        await shop.broker.do(shop.ref, write)
    assert shop.double.faults.requests == []
    return await shop.broker.do(shop.ref, write)


async def test_comments_labels_and_reactions_whose_answers_are_lost_are_there_once(shop: Shop) -> None:
    issue = shop.issue()
    comment = AddComment(number=issue.number, text="Seen.", key="post/1")
    number = int((await lost_and_repeated(shop, comment, "POST")).id)
    await lost_and_repeated(shop, EditComment(comment=number, text="Done."), "PATCH")
    await lost_and_repeated(shop, React(on="comment", number=number, reaction="eyes"), "POST")
    [posted] = issue.comments
    assert posted.body.startswith("Done.")
    assert [one.content for one in posted.reactions] == ["eyes"]
    await lost_and_repeated(shop, AddLabel(number=issue.number, label="bug"), "POST")
    assert [one.name for one in issue.labels] == ["bug"]
    gone = await lost_and_repeated(shop, RemoveLabel(number=issue.number, label="bug"), "DELETE")
    deleted = await lost_and_repeated(shop, DeleteComment(comment=number), "DELETE")
    assert (issue.labels, issue.comments, gone.new, deleted.new) == ([], [], False, False)


def issue_to_open() -> OpenIssue:
    since = datetime.now(UTC) - timedelta(days=1)
    return OpenIssue(title="It fails", body="## Findings", labels=("bug",), key="bug-1/issue/a", since=since)


async def test_a_lost_answer_does_not_open_an_issue_twice(shop: Shop) -> None:
    made = await lost_and_repeated(shop, issue_to_open(), "POST")
    [issue] = shop.repository.issues.values()
    assert (made.id, made.new, [one.name for one in issue.labels]) == (str(issue.number), False, ["bug"])


async def test_an_issue_of_another_person_with_a_copied_marker_is_not_ours(shop: Shop) -> None:
    write = issue_to_open()
    await shop.broker.do(shop.ref, write)
    [issue] = shop.repository.issues.values()
    copied = shop.issue(body=(issue.body or "").replace("bug-1/issue/a", "bug-1/issue/b"))
    again = await shop.broker.do(shop.ref, replace(write, key="bug-1/issue/b"))
    assert (again.new, again.id) == (True, str(copied.number + 1))


async def test_a_pull_request_and_its_threads_are_there_once(shop: Shop) -> None:
    commit = await shop.work({"calc.py": "x = 2\n"})
    shop.double.faults.request("lost", "git-receive-pack$", method="POST")
    push = PushBranch(workspace=shop.workspace, commit=commit, branch=BRANCH, expected=None)
    await shop.broker.do(shop.ref, push)
    assert not (await shop.broker.do(shop.ref, push)).new
    number = int(
        (await lost_and_repeated(shop, OpenPull(title="Fix", body="It.", head=BRANCH, base="main"), "POST")).id
    )
    await lost_and_repeated(shop, UpdatePull(number=number, title="Fix both", body="Both."), "PATCH")
    finding = AddReviewComment(number=number, commit=commit, path="calc.py", line=1, text="Why 2?", key="finding/1")
    first = int((await lost_and_repeated(shop, finding, "POST")).id)
    await lost_and_repeated(shop, ReplyInThread(number=number, comment=first, text="Because.", key="reply/1"), "POST")
    [pull] = shop.repository.pulls.values()
    [thread] = pull.threads
    await lost_and_repeated(shop, ResolveThread(thread=thread.node_id), "POST")
    assert (pull.issue.title, len(thread.comments)) == ("Fix both", 2)
    assert thread.resolved_by is not None


async def test_check_runs_and_reruns_whose_answers_are_lost_are_there_once(shop: Shop) -> None:
    commit = await shop.work({"calc.py": "x = 2\n"})
    await shop.push(commit)
    check = ReportCheck(name="caseworker", commit=commit, key="run-7", status="in_progress")
    await lost_and_repeated(shop, check, "POST")
    assert len(await CheckReader(shop.api).runs(shop.ref, commit)) == 1
    run = _failed_run(shop, commit)
    again = await lost_and_repeated(shop, RerunFailedJobs(run=run, attempt=1), "POST")
    assert not again.new


def _failed_run(shop: Shop, commit: Sha) -> int:
    run = begin_run(
        shop.state,
        shop.installation.app,
        shop.repository,
        name="CI",
        path=".github/workflows/ci.yml",
        event="push",
        sha=commit,
        branch=BRANCH,
        actor=shop.state.user("rita"),
    )
    job = add_job(shop.state, shop.repository, run, "unit")
    report_job(shop.state, shop.repository, job, CheckReport(status="completed", conclusion="failure"))
    return run.id
