"""Posts are phrased for whoever reads them: in a terminal, on the dashboard, on a surface."""

from caseworker.activities.issue.posts import IssuePosts
from caseworker.activities.shared.posts import Posting
from caseworker.chats.surface_phrasing import CommentPhrasing
from caseworker.core.issue.case import Wait, Waiting
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.messages import Audience
from caseworker.core.record.bug_conversation import conversation
from caseworker.ports import StoredCase
from caseworker.store.store import Store
from tests.edges.store_examples import open_case
from tests.world.phrasings import RECORDED

USED = IssuePost(about=IssueAbout.BUDGET_USED, audience=Audience.DEVELOPERS, epoch=1, number=1)
SHORT = "The budget of $5.00 does not cover the next model call. The work so far is kept."


async def waiting_for_money(store: Store) -> StoredCase:
    stored = await store.cases.load(await open_case(store))
    assert stored is not None
    waiting = Waiting(wait=Wait(reason=WaitingFor.BUDGET, asked=USED))
    case = stored.case.model_copy(update={"waiting": waiting, "state": IssueState.WAITING_FOR_HUMAN_INPUT})
    return stored.model_copy(update={"case": case})


async def test_the_record_has_a_post_for_terminals_and_for_buttons(store: Store) -> None:
    stored = await waiting_for_money(store)
    words = await IssuePosts(store=store).words(stored, USED)
    await Posting(store=store, chats={}, recorded_in=RECORDED).say(stored, USED, words)
    record = await store.record.whole(stored.case.id, {"posted"})
    assert [line.text for line in conversation(record)] == [
        f"{SHORT} `caseworker budget shop/1 +5` goes on with 5 dollars more."
    ]
    assert [line.text for line in conversation(record, buttons=True)] == [
        f"{SHORT} “Raise budget” goes on with 5 dollars more."
    ]


async def test_a_reminder_repeats_the_question_in_the_phrasing_of_its_surface(store: Store) -> None:
    stored = await waiting_for_money(store)
    reminder = USED.model_copy(update={"about": IssueAbout.REMINDER, "number": 2})
    words = await IssuePosts(store=store).words(stored, reminder)
    assert words(CommentPhrasing()) == (f"Still waiting: {SHORT} The comment `budget +5` goes on with 5 dollars more.")
