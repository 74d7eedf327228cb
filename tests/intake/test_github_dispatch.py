"""Labels and comments on GitHub become runs, messages or refusals, and each outcome is stored."""

import pytest

from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.policy import Milestone
from caseworker.core.issue.states import IssueState
from caseworker.core.people.messages import Standing
from caseworker.core.people.registry import TargetKind
from caseworker.ports.github import Unclear, Wants
from caseworker.store.store import Store
from tests.intake.github_desk import BOT, Desk

SEVEN = CaseId("acme/shop#7")


@pytest.fixture
def desk(store: Store) -> Desk:
    desk = Desk(store)
    desk.github.add(7)
    return desk


async def test_a_label_opens_a_case_that_stops_after_the_triage(desk: Desk) -> None:
    assert await desk.labels("ann", 7, "bot:triage") == "dispatched: triage"
    stored = await desk.store.cases.load(SEVEN)
    assert stored is not None
    assert (stored.title, stored.policy.until) == ("Checkout says 500", Milestone.TRIAGE)
    assert stored.file.issue.original_body == "Since 9:40."
    assert await desk.runs() == ["triage"]
    assert desk.bell.rung[0][0] == SEVEN


async def test_a_literal_command_takes_the_same_path_as_a_label(desk: Desk) -> None:
    assert await desk.comments("ben", 7, "bot:triage") == "dispatched: triage"
    assert await desk.runs() == ["triage"]
    assert [reaction for _, reaction in desk.github.reactions] == ["SEEN", "STARTED"]
    assert desk.github.classified == []


async def test_triage_plan_and_implement_follow_each_other(desk: Desk) -> None:
    await desk.labels("ann", 7, "bot:triage")
    await desk.finishes(Milestone.TRIAGE)
    assert await desk.comments("ben", 7, "@caseworker plan please") == "dispatched: plan"
    await desk.finishes(Milestone.PLAN)
    assert await desk.labels("ann", 7, "bot:implement") == "dispatched: implement"
    assert await desk.runs() == ["triage", "plan", "implement"]
    assert [(author, kind) for author, kind, _ in await desk.messages()] == [
        ("ann", "words"),
        ("ben", "approve"),
        ("ann", "approve"),
    ]


async def test_a_missing_prerequisite_is_refused_before_the_mutex_strips_labels(desk: Desk) -> None:
    desk.github.change(7, labels=("bot:triage",))
    assert await desk.labels("ann", 7, "bot:plan") == "refused: needs_earlier"
    assert desk.github.targets[7].labels == ("bot:triage",), "only the refused label is taken off"
    assert list(desk.github.replies.values()) == [
        (7, "`plan` needs a finished triage first: add the label `bot:triage`, when it is done `bot:plan`.")
    ]
    assert await desk.runs() == []


async def test_a_dispatch_removes_the_labels_of_other_workflows_only(desk: Desk) -> None:
    desk.github.change(7, labels=("bug", "bot:plan", "bot:friend", "bot:implement"))
    await desk.labels("ann", 7, "bot:triage")
    assert desk.github.removed == [(7, "bot:plan"), (7, "bot:implement")]
    assert desk.github.targets[7].labels == ("bug", "bot:friend", "bot:triage")


async def test_two_labels_at_once_give_one_run_in_either_order(desk: Desk) -> None:
    desk.github.change(7, labels=("bot:triage", "bot:plan"))
    assert await desk.labels("ann", 7, "bot:plan") == "refused: needs_earlier"
    assert await desk.labels("ann", 7, "bot:triage") == "dispatched: triage"
    desk.github.add(8, "bot:triage", "bot:plan")
    assert await desk.labels("ann", 8, "bot:triage") == "dispatched: triage"
    await desk.deliver("issues", desk.labeled("ann", 8, "bot:plan"))
    assert await desk.outcome() == "ignored: overtaken"
    assert [await desk.runs(7), await desk.runs(8)] == [["triage"], ["triage"]]


async def test_a_second_request_while_the_run_is_in_flight_is_a_duplicate(desk: Desk) -> None:
    await desk.labels("ann", 7, "bot:triage")
    assert await desk.labels("ann", 7, "bot:triage", seconds=60) == "duplicate: triage"
    assert await desk.comments("ben", 7, "bot:triage") == "duplicate: triage"
    assert await desk.runs() == ["triage"]


async def test_a_redelivered_label_is_processed_once(desk: Desk) -> None:
    await desk.labels("ann", 7, "bot:triage", guid="g-1")
    await desk.finishes(Milestone.TRIAGE)
    assert await desk.labels("ann", 7, "bot:triage", guid="g-1") == "duplicate"
    assert await desk.runs() == ["triage"]


async def test_an_owners_label_is_heard_though_a_stranger_set_it_in_the_same_second(desk: Desk) -> None:
    await desk.labels("stranger", 7, "bot:triage")
    assert await desk.runs() == []
    assert await desk.labels("ann", 7, "bot:triage") == "dispatched: triage"
    assert await desk.runs() == ["triage"]


async def test_a_label_that_is_removed_and_set_again_at_once_is_heard(desk: Desk) -> None:
    assert await desk.labels("ann", 7, "bot:plan") == "refused: needs_earlier"
    await desk.labels("ann", 7, "bot:triage", seconds=1)
    await desk.finishes(Milestone.TRIAGE)
    assert await desk.labels("ann", 7, "bot:plan", seconds=3) == "dispatched: plan"
    assert await desk.runs() == ["triage", "plan"]


@pytest.mark.parametrize("who", ["rita", "stranger", BOT])
async def test_people_without_the_right_are_not_answered(desk: Desk, who: str) -> None:
    await desk.labels(who, 7, "bot:triage")
    await desk.comments(who, 7, "bot:triage")
    await desk.comments(who, 7, "@caseworker please triage this")
    assert await desk.runs() == []
    assert (desk.github.replies, desk.github.reactions, desk.github.classified) == ({}, [], [])


async def test_a_refusal_says_who_was_not_allowed(desk: Desk) -> None:
    assert await desk.comments("stranger", 7, "bot:triage") == "refused: not_allowed"


async def test_an_allowed_owner_needs_no_role(store: Store) -> None:
    desk = Desk(store, owners=["Stranger"])
    desk.github.add(7)
    assert await desk.comments("stranger", 7, "bot:triage") == "dispatched: triage"


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"is_open": False}, "refused: target_closed"),
        ({"kind": TargetKind.PULL}, "refused: wrong_target"),
    ],
)
async def test_the_context_is_checked_as_it_is_now(desk: Desk, change: dict[str, object], outcome: str) -> None:
    desk.github.change(7, **change)
    assert await desk.labels("ann", 7, "bot:triage") == outcome
    assert len(desk.github.replies) == 1


async def test_a_locked_issue_is_refused_without_a_reply(desk: Desk) -> None:
    desk.github.change(7, is_locked=True)
    assert await desk.labels("ann", 7, "bot:triage") == "refused: target_locked"
    assert desk.github.replies == {}


async def test_a_deleted_issue_is_refused_without_a_reply(desk: Desk) -> None:
    del desk.github.targets[7]
    assert await desk.labels("ann", 7, "bot:triage") == "refused: target_gone"
    assert desk.github.replies == {}


async def test_an_unknown_workflow_is_refused_with_those_that_exist(desk: Desk) -> None:
    assert await desk.comments("ann", 7, "bot:merge") == "refused: unknown_workflow"
    [(_, reply)] = desk.github.replies.values()
    assert reply == (
        "There is no workflow `merge`. There are: implement, plan, remember, resolve, review, ship, triage."
    )


async def test_remember_stores_the_directive_with_its_author_and_place(desk: Desk) -> None:
    assert await desk.comments("ann", 7, "bot:remember --path src/** Prices are cents.", id=9) == "dispatched: remember"
    [learning] = await desk.store.review_learnings.of(RepositoryId("acme/shop"))
    assert (learning.text, learning.glob, learning.author) == ("Prices are cents.", "src/**", "ann")
    assert learning.source == "github.com/acme/shop comment:9"
    assert [reaction for _, reaction in desk.github.reactions] == ["SEEN", "DONE"]


async def test_a_mention_in_free_words_is_classified_once(desk: Desk) -> None:
    desk.github.verdict = Wants(verb="triage")
    assert await desk.comments("ann", 7, "Hi @caseworker, what do you make of this?") == "dispatched: triage"
    assert desk.github.classified == ["Hi @caseworker, what do you make of this?"]


async def test_a_verdict_outside_the_registry_is_refused(desk: Desk) -> None:
    desk.github.verdict = Wants(verb="deploy")
    assert await desk.comments("ann", 7, "@caseworker ship it to production") == "refused: unknown_workflow"


async def test_an_unclear_mention_without_a_case_gets_a_clarifying_reply(desk: Desk) -> None:
    assert await desk.comments("ann", 7, "@caseworker hm") == "refused: unclear"
    assert len(desk.github.replies) == 1
    desk.github.verdict = Unclear(answered=True)
    assert await desk.comments("ann", 7, "@caseworker how are you?") == "answered"
    assert len(desk.github.replies) == 1


async def test_the_end_of_a_run_is_shown_on_the_comment_that_asked_for_it(desk: Desk) -> None:
    await desk.comments("ann", 7, "bot:triage", id=9)
    await desk.finishes(Milestone.TRIAGE)
    assert await desk.intake.dispatcher.show_ends() == 1
    assert desk.github.reactions[-1] == ("github.com/acme/shop comment:9", "DONE")
    assert await desk.intake.dispatcher.show_ends() == 0


async def test_a_closed_case_is_tried_again_by_the_same_workflow(desk: Desk) -> None:
    await desk.labels("ann", 7, "bot:triage")
    await desk.ends(IssueState.CLOSED)
    assert await desk.labels("ann", 7, "bot:triage", seconds=60) == "dispatched: triage"
    assert [kind for _, kind, _ in await desk.messages()] == ["words", "retry"]


async def test_a_repository_that_is_not_served_is_ignored(desk: Desk) -> None:
    body = desk.labeled("ann", 7, "bot:triage") | {"repository": {"full_name": "other/repo"}}
    await desk.deliver("issues", body)
    assert await desk.outcome() == "ignored: repository_not_served"


async def test_the_standing_of_a_message_comes_from_the_role(desk: Desk) -> None:
    await desk.labels("ann", 7, "bot:triage")
    for who in ("ann", "ben", "rita", "stranger"):
        await desk.comments(who, 7, f"I am {who}")
    found = await desk.store.inbox.of(SEVEN)
    assert [message.standing for message in found[1:]] == [
        Standing.OWNER,
        Standing.DEVELOPER,
        Standing.REPORTER,
        Standing.OTHER,
    ]


async def test_a_workflow_that_is_done_runs_again_at_its_milestone(desk: Desk) -> None:
    desk.github.add(7)
    await desk.labels("ann", 7, "bot:triage")
    assert await desk.labels("ann", 7, "bot:triage", guid="while it runs", seconds=600) == "duplicate: triage"
    await desk.finishes(Milestone.TRIAGE)
    assert await desk.labels("ann", 7, "bot:triage", guid="again", seconds=1200) == "dispatched: triage"
    assert await desk.runs() == ["triage", "triage"]
    assert (await desk.messages())[-1][1] == "rerun"


async def test_a_label_set_while_a_comment_is_read_is_decided_again(desk: Desk) -> None:
    desk.github.add(7)
    await desk.labels("ann", 7, "bot:triage")
    await desk.finishes(Milestone.TRIAGE)
    await desk.ends(IssueState.HUMAN_INPUT_RECEIVED)
    assert await desk.labels("ann", 7, "bot:plan") == "failed"
    assert desk.github.replies == {}
