"""An issue case reads no checks while a session looks after its pull request, and reads them again afterwards."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.issue.pull_checks import PullChecking
from caseworker.contract.wire import ChecksReply
from caseworker.core.base.ids import CaseId, Sha, issue_case, pull_case
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.check_watch import CheckWatch
from caseworker.core.issue.facts import ChecksSeen
from caseworker.core.people.commands import StartWork
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.github_double.acts.push_acts import write_file
from caseworker.ports import Issue, NewPullCase
from tests.core.examples import MORNING
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.store_examples import TRACE, said
from tests.edges.test_github_probe import proposed


class Place:
    def __init__(self, shop: Shop) -> None:
        self.shop, self.store = shop, shop.store
        self.pull = proposed(shop, "agent/issue-1")
        self.delivered = Sha(self.pull.head.sha)

    async def open_issue(self) -> None:
        repository = await self.shop.register()
        issue = Issue(repository=repository, number=1, title="It fails", body="", labels=[], url="", created_at=MORNING)
        self.issue, self.session = issue_case(repository, 1), pull_case(repository, self.pull.number)
        first = said(self.issue)
        assert await self.store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=first)

    async def read(self) -> ChecksReply:
        stored = await self.store.cases.load(self.issue)
        assert stored is not None
        watch = CheckWatch(commit=self.delivered)
        case: IssueCase = stored.case.updated(pull_request=self.pull.number, checks=watch)
        checking = PullChecking(store=self.store, forge=self.shop.forge)
        return await ActivityEnvironment().run(checking.read_checks, case)

    async def begin_session(self) -> None:
        new = NewPullCase(
            repository=await self.shop.register(),
            number=self.pull.number,
            title="Fix",
            url="",
            author="rita",
            policy=Policy(),
            rehearsal=None,
            trace=TRACE,
            parent=self.issue,
        )
        message = said(self.session, id="ship").model_copy(update={"command": StartWork()})
        assert await self.store.pull_cases.open(new, "ship", message)

    async def end_session(self, *pushed: str) -> None:
        """`pushed`: by the session."""
        stored = await self.store.pull_cases.load(self.session)
        assert stored is not None
        ours = tuple(Sha(one) for one in pushed)
        ended = stored.case.updated(state=PullState.ENDED, end=SessionEnd.READY, transitions=1, pushed=ours)
        await self.store.pull_cases.save(ended, trace=TRACE)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with opened_shop(tmp_path) as shop:
        place = Place(shop)
        await place.open_issue()
        yield place


async def left_to(place: Place) -> CaseId | None:
    seen = await place.read()
    assert isinstance(seen, ChecksSeen)
    return seen.left_to


async def test_checks_are_left_to_a_session_for_as_long_as_it_runs(place: Place) -> None:
    assert await left_to(place) is None
    await place.begin_session()
    assert await left_to(place) == place.session
    await place.end_session()
    assert await left_to(place) is None


def _push(place: Place) -> str:
    shop = place.shop
    write_file(
        shop.state, shop.people["olga"], shop.repository, "more.txt", b"More\n", message="More", branch="agent/issue-1"
    )
    return place.pull.head.sha


@pytest.mark.slow
async def test_what_a_session_of_ours_has_pushed_is_not_somebody_elses(place: Place) -> None:
    await place.begin_session()
    pushed = _push(place)
    await place.end_session(pushed)
    seen = await place.read()
    assert isinstance(seen, ChecksSeen)
    assert (seen.moved, seen.pushed_since) == (False, pushed)


@pytest.mark.slow
async def test_a_push_on_top_of_the_sessions_is_somebody_elses(place: Place) -> None:
    await place.begin_session()
    await place.end_session("a" * 40)
    _push(place)
    seen = await place.read()
    assert isinstance(seen, ChecksSeen)
    assert (seen.moved, seen.pushed_since) == (True, None)
