"""Tracking comments on our own GitHub: one per run, whatever is lost, repeated or killed on the way."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from caseworker.chats.surface_phrasing import CommentPhrasing
from caseworker.core.base.ids import CaseId
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.states import IssueState
from caseworker.core.runs.run import Run
from caseworker.core.telling.tracking_comment import Tracked
from caseworker.github_double.entities.repository import Issue
from caseworker.intake.show_runs import Looks, RunComments
from caseworker.ports import Comment, Comments, Reaction, StoredAny
from caseworker.ports.deliveries import NewDispatch
from caseworker.store.tracking_rows import LEASE, StoredTracking
from caseworker.views.tracked_runs import tracked_run
from tests.edges.delivery_examples import dispatched, message_to, thread_of
from tests.edges.github_shop import Shop, opened_shop


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it."""


class DyingComments:
    """The real comments, of a process that is killed at one step: before a call is sent, or after its answer."""

    def __init__(self, real: Comments, dies_at: int) -> None:
        self._real = real
        self._left = dies_at

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise Killed

    async def whoami(self) -> str:
        return await self._real.whoami()

    async def of(self, repository: RepositoryRef, number: int) -> list[Comment]:
        self.step()
        return await self._real.of(repository, number)

    async def find(self, repository: RepositoryRef, number: int, *, key: str) -> Comment | None:
        raise AssertionError("tracking comments are found by their own marker")

    async def write(self, repository: RepositoryRef, number: int, text: str, *, key: str, look: bool = True) -> Comment:
        self.step()
        made = await self._real.write(repository, number, text, key=key, look=look)
        self.step()
        return made

    async def change(self, repository: RepositoryRef, comment: str, text: str) -> None:
        self.step()
        await self._real.change(repository, comment, text)
        self.step()

    async def remove(self, repository: RepositoryRef, comment: str) -> None:
        self.step()
        await self._real.remove(repository, comment)
        self.step()

    async def react(self, repository: RepositoryRef, comment: str, reaction: Reaction) -> None:
        raise AssertionError("nobody reacts here")


class Showing:
    """The case of an issue in the shop, and the part that shows its runs."""

    def __init__(self, shop: Shop, issue: Issue, case: CaseId) -> None:
        self.shop, self.issue, self.case = shop, issue, case
        self.hours = 0
        shop.store.tracking_comments = StoredTracking(shop.store.database, clock=self._now)

    def _now(self) -> datetime:
        return datetime.now(UTC) + timedelta(hours=self.hours)

    async def looks(self, comments: Comments | None = None) -> int:
        """Looks after every lease and pause has ended. Returns how many runs it looked at."""
        self.hours += 1
        shown = RunComments(
            store=self.shop.store,
            comments=comments or self.shop.forge.comments,
            tell=self._tell,
            redactor=Redactor(),
            looks=Looks(again=600.0, failed=600.0),
        )
        count = 0
        while await shown.show_one():
            count += 1
        return count

    async def _tell(self, stored: StoredAny, run: Run) -> Tracked:
        return await tracked_run(self.shop.store, stored, run, CommentPhrasing())

    async def ends(self) -> None:
        stored = await self.shop.store.cases.load(self.case)
        assert stored is not None
        over = stored.case.updated(
            state=IssueState.FAILED, reason="The budget is used up.", transitions=stored.case.progress.transitions + 1
        )
        await self.shop.store.cases.move(over, [], stored.file, trace=stored.trace)

    async def runs_again(self) -> None:
        asked = NewDispatch(key="again", workflow=WorkflowName.TRIAGE)
        stored = await self.shop.store.cases.load(self.case)
        assert stored is not None
        assert await self.shop.store.dispatches.go_on(
            asked,
            message_to(self.case, "again"),
            thread=thread_of(self.issue.number),
            moves=stored.case.progress.transitions,
        )

    def bodies(self) -> list[str]:
        return [one.body for one in self.issue.comments if one.author.login == "caseworker[bot]"]


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


async def shown(shop: Shop) -> Showing:
    issue = shop.issue()
    return Showing(shop, issue, await dispatched(shop.store, number=issue.number, shop=shop.ref))


async def test_a_run_has_one_comment_that_is_changed_until_its_end_is_shown(shop: Shop) -> None:
    showing = await shown(shop)
    assert await showing.looks() == 1
    [begun] = showing.bodies()
    assert "### Caseworker: triage" in begun
    assert "| queued |" in begun
    await showing.ends()
    assert await showing.looks() == 1
    [ended] = showing.bodies()
    assert "| failed |" in ended
    assert "**What went wrong:** The budget is used up. (error `trace-1`)" in ended
    assert await showing.looks() == 0
    assert shop.written() == ["POST /issues/1/comments", f"PATCH /issues/comments/{showing.issue.comments[0].id}"]


async def test_the_end_is_shown_with_its_reason_though_the_case_ends_during_the_look(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    showing = await shown(shop)
    await showing.looks()
    find, ended = shop.store.cases.find, False

    async def find_just_before_the_end(case: CaseId) -> StoredAny | None:
        nonlocal ended
        found = await find(case)
        if not ended:
            ended = True
            await showing.ends()
        return found

    monkeypatch.setattr(shop.store.cases, "find", find_just_before_the_end)
    await showing.looks()
    await showing.looks()
    (comment,) = showing.issue.comments
    assert "The budget is used up." in comment.body


async def test_a_second_run_posts_its_comment_and_then_deletes_that_of_the_first(shop: Shop) -> None:
    showing = await shown(shop)
    await showing.looks()
    await showing.ends()
    await showing.looks()
    first = showing.issue.comments[0].id
    await showing.runs_again()
    assert await showing.looks() == 1
    [second] = showing.bodies()
    assert "workflow-run:2" in second
    assert shop.written()[-2:] == ["POST /issues/1/comments", f"DELETE /issues/comments/{first}"]


async def test_a_comment_whose_answer_was_lost_is_adopted(shop: Shop) -> None:
    showing = await shown(shop)
    shop.double.faults.request("lost", r"/issues/1/comments$", method="POST")
    await showing.looks()
    await showing.looks()
    assert len(showing.bodies()) == 1
    assert [one for one in shop.written() if one.startswith("POST")] == ["POST /issues/1/comments"]


async def test_a_deleted_comment_is_written_again(shop: Shop) -> None:
    showing = await shown(shop)
    await showing.looks()
    showing.issue.comments.clear()
    await showing.ends()
    await showing.looks()
    assert len(showing.bodies()) == 1


async def test_a_copied_marker_of_another_person_is_left_alone(shop: Shop) -> None:
    showing = await shown(shop)
    shop.says("rita", showing.issue, "<!-- workflow-run:1 -->\nI am the bot.")
    await showing.looks()
    assert [one.author.login for one in showing.issue.comments] == ["rita", "caseworker[bot]"]
    assert showing.issue.comments[0].body == "<!-- workflow-run:1 -->\nI am the bot."


@pytest.mark.slow
async def test_a_kill_at_any_step_leaves_one_comment_that_shows_the_newest_run(tmp_path: Path) -> None:
    step = 0
    while True:
        step += 1
        async with opened_shop(tmp_path / str(step)) as shop:
            showing = await shown(shop)
            await showing.looks()
            await showing.ends()
            await showing.runs_again()
            try:
                await showing.looks(DyingComments(shop.forge.comments, step))
            except Killed:
                pass
            else:
                break  # the steps are through
            await showing.looks()
            [body] = showing.bodies()
            assert "workflow-run:2" in body
    assert step >= 7


async def test_a_killed_hosts_run_is_left_alone_until_its_lease_ends(shop: Shop) -> None:
    showing = await shown(shop)
    with pytest.raises(Killed):
        await showing.looks(DyingComments(shop.forge.comments, 1))
    assert await shop.store.tracking_comments.claim("github") is None
    showing.hours += 1
    assert timedelta(hours=1) > LEASE
    assert await shop.store.tracking_comments.claim("github") is not None
