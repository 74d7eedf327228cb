"""Labels and comments on pull requests become sessions, commands to them, messages or refusals."""

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.issue.states import IssueState
from caseworker.core.people.commands import StartWork
from caseworker.core.people.registry import TargetKind
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.ports.github import Wants
from caseworker.store.store import Store
from tests.intake.github_desk import Desk, keep_open_pull

NINE = CaseId("acme/shop!9")
SEVEN = CaseId("acme/shop#7")


@pytest.fixture
def desk(store: Store) -> Desk:
    desk = Desk(store)
    desk.github.add(9, kind=TargetKind.PULL)
    return desk


async def opens_pull_of_a_case(desk: Desk) -> None:
    """Issue case 7 has opened pull request 9, and waits for the merge."""
    desk.github.add(7)
    await desk.labels("ann", 7, "bot:triage")
    await desk.ends(IssueState.WAITING_FOR_HUMAN_INPUT)
    await keep_open_pull(desk.store, SEVEN, 9)
    desk.bell.rung.clear()


async def ends(desk: Desk) -> None:
    await desk.pull_becomes(state=PullState.ENDED, end=SessionEnd.READY)


@pytest.mark.parametrize("work", ["review", "resolve", "ship"])
async def test_a_label_opens_a_pull_case_with_its_run(desk: Desk, work: str) -> None:
    assert await desk.labels("ann", 9, f"bot:{work}") == f"dispatched: {work}"
    stored = await desk.pull()
    assert (stored.title, stored.author, stored.parent) == ("Checkout says 500", "rita", None)
    assert stored.case.session.workflow == work
    assert await desk.pull_runs() == [(work, "in flight")]
    assert await desk.pull_messages() == [("ann", "start", "")]
    assert desk.bell.rung[0][0] == NINE


async def test_a_comment_may_name_the_deadline(desk: Desk) -> None:
    assert await desk.comments("ben", 9, "bot:ship --deadline 2h") == "dispatched: ship"
    [message] = await desk.store.inbox.of(NINE)
    assert message.command == StartWork(workflow="ship", deadline_seconds=7_200)
    assert [reaction for _, reaction in desk.github.reactions] == ["SEEN", "STARTED"]


async def test_a_bad_deadline_is_refused_with_what_is_right(desk: Desk) -> None:
    assert await desk.comments("ben", 9, "bot:ship --deadline tomorrow") == "refused: bad_deadline"
    [(_, reply)] = desk.github.replies.values()
    assert reply == (
        "`tomorrow` is no deadline for `ship`. It is a number with `m`, `h` or `d`, at most 30 days: `90m`, `2h`, `1d`."
    )
    assert await desk.store.pull_cases.load(NINE) is None


async def test_the_same_run_in_flight_is_a_duplicate_and_another_is_refused(desk: Desk) -> None:
    await desk.labels("ann", 9, "bot:ship")
    assert await desk.comments("ben", 9, "bot:ship") == "duplicate: ship"
    assert await desk.comments("ben", 9, "bot:review") == "refused: work_in_flight"
    assert await desk.pull_runs() == [("ship", "in flight")]


async def test_a_session_that_ended_is_started_again_in_the_same_case(desk: Desk) -> None:
    await desk.comments("ann", 9, "bot:review", id=1)
    await ends(desk)
    assert await desk.comments("ann", 9, "bot:ship", id=2) == "dispatched: ship"
    assert await desk.pull_runs() == [("review", "succeeded"), ("ship", "in flight")]
    assert [kind for _, kind, _ in await desk.pull_messages()] == ["start", "start"]
    assert await desk.comments("ben", 9, "bot:ship", id=3) == "duplicate: ship"


async def test_the_end_saved_again_does_not_end_the_run_that_was_asked_for_since(desk: Desk) -> None:
    await desk.comments("ann", 9, "bot:ship", id=1)
    await ends(desk)
    await desk.comments("ann", 9, "bot:ship", id=2)
    stored = await desk.pull()
    await desk.store.pull_cases.save(stored.case.updated(reported="shown"), trace=stored.trace)
    assert await desk.pull_runs() == [("ship", "succeeded"), ("ship", "in flight")]


async def test_a_paused_session_gives_way_to_the_one_that_is_asked_for(desk: Desk) -> None:
    await desk.comments("ann", 9, "bot:ship", id=1)
    await desk.pull_becomes(state=PullState.PAUSED)
    assert await desk.comments("ann", 9, "bot:review", id=2) == "dispatched: review"
    assert await desk.pull_runs() == [("ship", "incomplete"), ("review", "in flight")]


async def test_the_end_of_a_session_is_shown_on_the_comment_that_asked_for_it(desk: Desk) -> None:
    await desk.comments("ann", 9, "bot:ship", id=3)
    await ends(desk)
    assert await desk.intake.dispatcher.show_ends() == 1
    assert desk.github.reactions[-1] == ("github.com/acme/shop comment:3", "DONE")


# --- words and commands to a session


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("bot:stop", "stop"),
        ("bot:resume", "resume"),
        ("bot:abort", "abort"),
        ("@caseworker stop", "stop"),
        ("@caseworker abort", "abort"),
        ("stop", "stop"),
        ("budget +5", "budget"),
    ],
)
async def test_people_command_a_session_in_comments(desk: Desk, text: str, kind: str) -> None:
    await desk.labels("ann", 9, "bot:ship")
    assert await desk.comments("ben", 9, text) == "message"
    assert (await desk.pull_messages())[-1][:2] == ("ben", kind)
    assert desk.github.classified == []


@pytest.mark.parametrize("text", ["bot:rebase", "rebase", "@caseworker please rebase this branch"])
async def test_only_an_owner_can_ask_for_a_rebase(desk: Desk, text: str) -> None:
    await desk.labels("ann", 9, "bot:ship")
    await desk.comments("ben", 9, text, id=4)
    await desk.comments("ann", 9, text, id=5)
    *_, (_, asked_by_ben, _), (_, asked_by_ann, _) = await desk.pull_messages()
    assert asked_by_ann == "rebase"
    given = [message for message in await desk.store.inbox.of(NINE) if message.author == "ben"]
    assert asked_by_ben == "words" or given[0].outcome == "for an owner to decide"


async def test_a_command_to_a_session_gets_a_reaction_at_once(desk: Desk) -> None:
    await desk.labels("ann", 9, "bot:ship")
    await desk.comments("ben", 9, "bot:stop", id=4)
    assert desk.github.reactions == [("github.com/acme/shop comment:4", "SEEN")]


async def test_a_command_that_changes_nothing_is_shown_as_failed(desk: Desk) -> None:
    await desk.labels("ann", 9, "bot:ship")
    await desk.comments("ben", 9, "bot:resume", id=4)
    assert [reaction for _, reaction in desk.github.reactions] == ["SEEN", "FAILED"]


async def test_a_command_without_a_session_is_refused_with_what_begins_one(desk: Desk) -> None:
    assert await desk.comments("ben", 9, "bot:stop") == "refused: nothing_runs"
    assert [text for _, text in desk.github.replies.values()] == [
        "There is nothing to stop: no session runs on this. `bot:ship` begins one on a pull request."
    ]
    assert [reaction for _, reaction in desk.github.reactions] == ["SEEN", "FAILED"]


async def test_a_stranger_can_stop_nothing_and_is_not_answered(desk: Desk) -> None:
    await desk.labels("ann", 9, "bot:ship")
    assert await desk.comments("stranger", 9, "bot:stop") == "refused: not_allowed"
    assert await desk.comments("stranger", 9, "@caseworker stop") == "message"
    assert [kind for _, kind, _ in await desk.pull_messages()] == ["start", "words"]
    assert desk.github.replies == {}


async def test_comments_and_texts_of_reviews_are_messages_of_the_session(desk: Desk) -> None:
    await desk.labels("ann", 9, "bot:ship")
    assert await desk.comments("ben", 9, "Please use cents.") == "message"
    assert await desk.reviews("ann", 9, "The names are wrong.") == "message"
    assert await desk.reviews("ann", 9, "The names are wrong.") == "duplicate"
    assert [(who, kind) for who, kind, _ in await desk.pull_messages()] == [
        ("ann", "start"),
        ("ben", "words"),
        ("ann", "words"),
    ]


async def test_a_literal_command_in_a_review_starts_a_session_without_a_reaction(desk: Desk) -> None:
    assert await desk.reviews("ann", 9, "bot:resolve") == "dispatched: resolve"
    assert desk.github.reactions == []


async def test_a_mention_that_asks_for_a_workflow_starts_it(desk: Desk) -> None:
    desk.github.verdict = Wants(verb="review")
    assert await desk.comments("ann", 9, "@caseworker have a look at this, will you?") == "dispatched: review"


async def test_people_talk_on_below_a_session_that_ended(desk: Desk) -> None:
    await desk.labels("ann", 9, "bot:ship")
    await ends(desk)
    assert await desk.comments("ben", 9, "Thanks, merged tomorrow.") == "ignored: case_over"


# --- a pull request that an issue case opened


async def test_the_pull_case_has_the_case_that_opened_the_pull_request_as_its_parent(desk: Desk) -> None:
    await opens_pull_of_a_case(desk)
    assert await desk.labels("ann", 9, "bot:ship") == "dispatched: ship"
    assert (await desk.pull()).parent == SEVEN


async def test_comments_go_to_the_issue_case_before_and_after_a_session_and_never_to_both(desk: Desk) -> None:
    await opens_pull_of_a_case(desk)
    await desk.comments("ben", 9, "before")
    await desk.labels("ann", 9, "bot:ship")
    await desk.comments("ben", 9, "meanwhile")
    await ends(desk)
    await desk.comments("ben", 9, "after")
    assert [text for _, _, text in (await desk.messages())[1:]] == ["before", "after"]
    said = await desk.store.inbox.of(NINE)
    assert [message.text for message in said][1:] == ["meanwhile"]


async def test_no_session_begins_while_the_issue_case_works_on_the_pull_request(desk: Desk) -> None:
    await opens_pull_of_a_case(desk)
    await desk.ends(IssueState.FIXING_ISSUES)
    assert await desk.labels("ann", 9, "bot:ship") == "refused: case_at_work"
    assert await desk.store.pull_cases.load(NINE) is None
