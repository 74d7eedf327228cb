"""The broker on our own GitHub: each write happens once, is counted, and touches only what is ours."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from caseworker.core.base.errors import RateLimited, Refused, ResultUnknown
from caseworker.core.base.ids import Sha
from caseworker.core.base.pace import Pace
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.markers import marked, marker
from caseworker.forges.github.writes import (
    AddComment,
    AddLabel,
    AddReviewComment,
    DeleteComment,
    EditComment,
    OpenPull,
    React,
    RemoveLabel,
    ReplyInThread,
    ReportCheck,
    UpdatePull,
    Write,
)
from caseworker.github_double.acts.issue_acts import lock_issue
from caseworker.store.store import Store
from caseworker.store.write_budget import StoredWriteBudget
from tests.edges.github_shop import BRANCH, Shop, opened_shop


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


async def _with_pull(shop: Shop) -> int:
    """An open pull request of ours, by its number."""
    await shop.push(await shop.work({"calc.py": "x = 2\n"}))
    made = await shop.broker.do(shop.ref, OpenPull(title="Fix", body="It.", head=BRANCH, base="main"))
    return int(made.id)


async def test_a_comment_is_written_once_under_its_key(shop: Shop) -> None:
    issue = shop.issue()
    write = AddComment(number=issue.number, text="Seen.", key="acme/shop#1/1/post/1")
    first = await shop.broker.do(shop.ref, write)
    again = await shop.broker.do(shop.ref, write)
    assert (again.id, first.new, again.new) == (first.id, True, False)
    assert [one.body for one in issue.comments] == [f"Seen.\n\n{marker('acme/shop#1/1/post/1')}"]
    assert shop.written() == ["POST /issues/1/comments"]


@pytest.mark.parametrize("fault", ["lost", "fails_after", "fails_before"])
async def test_after_an_unknown_result_the_broker_looks_and_one_comment_is_there(shop: Shop, fault: str) -> None:
    issue = shop.issue()
    shop.double.faults.request(fault, "/comments", method="POST")  # type: ignore[arg-type]  # one of its literals
    write = AddComment(number=issue.number, text="Seen.", key="one")
    with pytest.raises(ResultUnknown):
        await shop.broker.do(shop.ref, write)
    await shop.broker.do(shop.ref, write)
    assert len(issue.comments) == 1


async def test_a_strangers_copy_of_our_marker_does_not_silence_us(shop: Shop) -> None:
    issue = shop.issue()
    shop.says("rita", issue, marked("Look what I found", "one"))
    made = await shop.broker.do(shop.ref, AddComment(number=issue.number, text="Seen.", key="one"))
    assert made.new
    assert [one.author.login for one in issue.comments] == ["rita", "caseworker[bot]"]


async def test_an_edit_keeps_the_marker_and_an_equal_text_writes_nothing(shop: Shop) -> None:
    issue = shop.issue()
    made = await shop.broker.do(shop.ref, AddComment(number=issue.number, text="Working.", key="one"))
    for _ in range(2):
        await shop.broker.do(shop.ref, EditComment(comment=int(made.id), text="Done."))
    assert issue.comments[0].body == marked("Done.", "one")
    assert shop.written() == ["POST /issues/1/comments", f"PATCH /issues/comments/{made.id}"]


@pytest.mark.parametrize(
    "change", [lambda one: EditComment(comment=one, text="x"), lambda one: DeleteComment(comment=one)]
)
async def test_comments_of_others_are_never_changed(shop: Shop, change: Callable[[int], Write]) -> None:
    issue = shop.issue()
    theirs = shop.says("rita", issue, "Mine.")
    with pytest.raises(Refused, match="is by rita, not by Caseworker, which changes only its own"):
        await shop.broker.do(shop.ref, change(theirs.id))
    assert [one.body for one in issue.comments] == ["Mine."]
    assert shop.written() == []


async def test_a_comment_of_ours_is_deleted_once(shop: Shop) -> None:
    issue = shop.issue()
    made = await shop.broker.do(shop.ref, AddComment(number=issue.number, text="Old.", key="one"))
    results = [await shop.broker.do(shop.ref, DeleteComment(comment=int(made.id))) for _ in range(2)]
    assert [one.new for one in results] == [True, False]
    assert issue.comments == []


async def test_labels_and_reactions_may_be_repeated(shop: Shop) -> None:
    issue = shop.issue()
    said = shop.says("olga", issue, "@caseworker plan")
    for _ in range(2):
        await shop.broker.do(shop.ref, AddLabel(number=issue.number, label="bot:plan"))
        await shop.broker.do(shop.ref, React(on="comment", number=said.id, reaction="eyes"))
        await shop.broker.do(shop.ref, React(on="issue", number=issue.number, reaction="rocket"))
    assert await shop.reader.labels(shop.ref, issue.number) == ["bot:plan"]
    assert [one.content for one in said.reactions] == ["eyes"]
    for _ in range(2):
        await shop.broker.do(shop.ref, RemoveLabel(number=issue.number, label="bot:plan"))
    assert issue.labels == []
    gone = await shop.broker.do(shop.ref, React(on="comment", number=12, reaction="eyes"))
    assert not gone.new


async def test_a_pull_request_is_opened_once_even_if_the_answer_is_lost(shop: Shop) -> None:
    await shop.push(await shop.work({"calc.py": "x = 2\n"}))
    shop.double.faults.request("lost", "/pulls$", method="POST")
    write = OpenPull(title="Fix", body="It.", head=BRANCH, base="main")
    with pytest.raises(ResultUnknown):
        await shop.broker.do(shop.ref, write)
    found = await shop.broker.do(shop.ref, write)
    blind = await shop.broker.do(shop.ref, write, look=False)
    assert (found.id, blind.id, found.new, blind.new) == ("1", "1", False, False)
    assert len(shop.repository.pulls) == 1


async def test_pull_requests_are_opened_only_from_our_branches(shop: Shop) -> None:
    for head in ("main", "feature", "agent"):
        with pytest.raises(Refused, match="only from branches under agent/"):
            await shop.broker.do(shop.ref, OpenPull(title="Fix", body="", head=head, base="main"))
    assert shop.written() == []


@pytest.mark.slow
async def test_title_and_text_of_a_pull_request_are_updated(shop: Shop) -> None:
    number = await _with_pull(shop)
    for _ in range(2):
        await shop.broker.do(shop.ref, UpdatePull(number=number, title="Fix both", body="Both."))
    now = await shop.pulls.pull(shop.ref, number)
    assert (now.title, now.body) == ("Fix both", "Both.")
    assert shop.written().count(f"PATCH /pulls/{number}") == 1


@pytest.mark.slow
async def test_review_comments_and_replies_are_written_once(shop: Shop) -> None:
    number = await _with_pull(shop)
    commit = Sha((await shop.pulls.pull(shop.ref, number)).head.sha)
    finding = AddReviewComment(number=number, commit=commit, path="calc.py", line=1, text="Why 2?", key="finding/1")
    first = [await shop.broker.do(shop.ref, finding) for _ in range(2)]
    assert first[0].id == first[1].id
    answer = ReplyInThread(number=number, comment=int(first[0].id), text="Because.", key="reply/1")
    replies = [await shop.broker.do(shop.ref, answer) for _ in range(2)]
    assert replies[0].id == replies[1].id
    found = await shop.pulls.review_comments(shop.ref, number)
    assert [(one.path, one.in_reply_to_id) for one in found] == [("calc.py", None), ("calc.py", int(first[0].id))]


async def test_a_check_run_of_ours_is_found_by_its_key_and_updated(shop: Shop) -> None:
    await _with_pull(shop)
    commit = await shop.branch_head()
    assert commit is not None
    begun = ReportCheck(name="caseworker", commit=commit, key="run-7", status="in_progress")
    ended = ReportCheck(
        name="caseworker", commit=commit, key="run-7", status="completed", conclusion="success", summary="All good."
    )
    first, second = await shop.broker.do(shop.ref, begun), await shop.broker.do(shop.ref, ended)
    assert first.id == second.id
    runs = await CheckReader(shop.api).runs(shop.ref, commit)
    assert [(run.name, run.conclusion, run.output.summary) for run in runs] == [("caseworker", "success", "All good.")]


async def test_a_locked_issue_is_refused_and_told(shop: Shop) -> None:
    issue = shop.issue()
    lock_issue(shop.state, shop.people["olga"], issue)
    shop.installation.permissions["contents"] = "read"
    with pytest.raises(GitHubRefused, match="locked"):
        await shop.broker.do(shop.ref, AddComment(number=issue.number, text="Hello", key="one"))


async def test_a_spent_budget_is_told_with_the_time_and_nothing_is_sent(shop: Shop) -> None:
    issue, clock = shop.issue(), _Clock()
    shop.store.write_budget = StoredWriteBudget(shop.store.database, clock=clock)
    shop.use(shop.access, pace=Pace(per_minute=2, gap_seconds=0))
    for number in range(2):
        write = AddComment(number=issue.number, text="Hello", key=str(number))
        await shop.broker.do(shop.ref, write, look=False)
        clock.time += timedelta(seconds=10)
    with pytest.raises(RateLimited, match="budget of writes") as limited:
        await shop.broker.do(shop.ref, AddLabel(number=issue.number, label="bug"))
    assert limited.value.seconds == 40  # until the first of the two is a minute old
    assert len(shop.written()) == 2


async def test_a_limit_that_one_worker_meets_holds_all_workers_back(shop: Shop) -> None:
    issue, clock = shop.issue(), _Clock()
    shop.store.write_budget = StoredWriteBudget(shop.store.database, clock=clock)
    shop.use(shop.access)
    await shop.reader.whoami()
    await shop.reader.repository(shop.ref)
    shop.double.limits.refuse_next(retry_after=40)
    with pytest.raises(RateLimited):
        await shop.broker.do(shop.ref, AddLabel(number=issue.number, label="bug"))
    clock.time += timedelta(seconds=15)
    shop.use(shop.access)  # another worker, which was told nothing
    with pytest.raises(RateLimited) as limited:
        await shop.broker.do(shop.ref, AddLabel(number=issue.number, label="bug"))
    assert limited.value.seconds == 25
    assert issue.labels == []


class _Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 17, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


async def test_workers_share_one_budget_on_both_databases(store: Store) -> None:
    clock, pace = _Clock(), Pace(per_minute=5, per_hour=8, gap_seconds=0)
    workers = [StoredWriteBudget(store.database, clock=clock) for _ in range(3)]

    async def taken(count: int) -> int:
        waits = await asyncio.gather(*(workers[n % 3].take("a", "comment", pace=pace) for n in range(count)))
        return waits.count(0.0)

    assert await taken(12) == 5
    assert await workers[0].take("b", "comment", pace=pace) == 0
    clock.time += timedelta(minutes=1)
    assert await taken(12) == 3  # the hour's eight are spent
    clock.time += timedelta(minutes=58)
    assert await taken(1) == 0
    clock.time += timedelta(minutes=1)
    assert await taken(1) == 1
    await workers[0].hold("b", 30)
    assert await workers[1].take("b", "comment", pace=pace) == pytest.approx(30)
