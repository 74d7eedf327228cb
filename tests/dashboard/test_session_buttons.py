"""Review, resolve and ship are begun on the page of the issue case that has opened the pull request."""

from typing import get_args

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.commands import StartWork
from caseworker.core.people.messages import Standing
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.core.record.entries import Noted, PullMoved
from caseworker.dashboard.access_tokens import Rank
from caseworker.dashboard.addresses import case_path
from caseworker.intake.new_cases import NewCases
from caseworker.ports import NewIssue
from caseworker.store.store import Store
from tests.app.issue_desk import move
from tests.dashboard.visitor import FROM_HERE, Visitor
from tests.intake.bell import RecordingBell
from tests.intake.github_desk import SHOP, keep_open_pull
from tests.intake.test_conversation_issue import Counter

WORK = get_args(PullWork)


async def waits_for_merge(store: Store) -> CaseId:
    """An issue case on GitHub whose pull request 9 is open."""
    repository = await store.repositories.register(SHOP)
    issue = await store.repositories.new_issue(repository, NewIssue(title="Free shipping", body=""))
    opened = await NewCases(store=store, doorbell=RecordingBell()).open_case(
        issue, policy=Policy(), rehearsal=None, author="ann"
    )
    wait = {"wait": Wait(reason=WaitingFor.MERGE), "waiting_for": WaitingFor.MERGE, "pull_request": 9}
    await move(store, opened.case, Noted(text="ready"), state=IssueState.WAITING_FOR_HUMAN_INPUT, **wait)
    await keep_open_pull(store, opened.case, 9)
    return opened.case


@pytest.mark.parametrize("work", WORK)
async def test_a_button_on_the_issue_opens_the_pull_case(visitor: Visitor, store: Store, work: PullWork) -> None:
    issue = await waits_for_merge(store)
    assert f"Start {work}" in await visitor.sees(case_path(issue))
    answer = await visitor.sends(issue, work)
    assert (answer.status_code, answer.headers["location"]) == (303, "/cases/acme/shop!9")
    [message] = await store.inbox.of(CaseId("acme/shop!9"))
    assert (message.surface, message.author, message.standing) == ("web", "ada", Standing.OWNER)
    assert message.command == StartWork(workflow=work)
    assert visitor.bell.rung
    stored = await store.pull_cases.load(CaseId("acme/shop!9"))
    assert stored is not None
    assert (stored.parent, stored.title, stored.author) == (issue, "Repair the checkout", "caseworker")
    again = await visitor.sends(issue, work)
    assert (again.status_code, "is running already" in again.text) == (409, True)


async def test_the_receipt_and_the_issue_lead_to_the_session(visitor: Visitor, store: Store) -> None:
    issue = await waits_for_merge(store)
    path = "/cases/acme/shop!9"
    assert path not in await visitor.sees(case_path(issue))
    answer = await visitor.client.post(
        f"{case_path(issue)}/messages", data={"action": "review"}, headers={**FROM_HERE, "HX-Request": "true"}
    )
    assert answer.text.strip() == f'<p class="good">Sent. Recorded. <a href="{path}">acme/shop!9</a> does it.</p>'
    assert path in await visitor.sees(case_path(issue))


async def test_the_same_button_begins_another_session_after_the_first(visitor: Visitor, store: Store) -> None:
    issue = await waits_for_merge(store)
    pull = CaseId("acme/shop!9")
    await visitor.sends(issue, "review", key="1")
    stored = await store.pull_cases.load(pull)
    assert stored is not None
    moves = stored.case.progress.transitions + 1
    ended = stored.case.updated(transitions=moves, state=PullState.ENDED, end=SessionEnd.DONE)
    moved = PullMoved(number=1, from_state=PullState.LOOKING, to_state=PullState.ENDED, reason="It is done.")
    await store.pull_cases.save(ended, [moved], trace=stored.trace)
    assert (await visitor.sends(issue, "review", key="1")).status_code == 303
    assert len(await store.inbox.of(pull)) == 2


async def test_a_session_shows_its_pull_request_and_who_opened_it(visitor: Visitor, store: Store) -> None:
    await visitor.sends(await waits_for_merge(store), "ship")
    page = await visitor.sees("/cases/acme/shop!9")
    assert 'href="https://github.com/acme/shop/pull/9"' in page
    assert "by caseworker" in page
    assert "no pull request to merge" not in page
    assert '<p class="case">acme/shop!9' in page, "the story has the id of the session, not that of an issue"


async def test_a_reader_begins_no_session(visitor: Visitor, store: Store) -> None:
    issue = await waits_for_merge(store)
    await visitor.enters(Rank.READER, "rita")
    assert "Start ship" not in await visitor.sees(case_path(issue))
    assert (await visitor.sends(issue, "ship")).status_code == 409
    assert await store.inbox.of(CaseId("acme/shop!9")) == []


async def test_a_branch_of_a_folder_has_no_sessions(visitor: Visitor, store: Store) -> None:
    local = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.MERGE)
    assert "Start ship" not in await visitor.sees(case_path(local))
    answer = await visitor.sends(local, "ship")
    assert (answer.status_code, "no open pull request on GitHub" in answer.text) == (409, True)
