"""Comments below an issue with a case are its messages: commands, words, edits, deletions, changes of the issue."""

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.issue.states import IssueState
from caseworker.core.people.messages import Standing
from caseworker.core.people.registry import TargetKind
from caseworker.ports.github import Unclear, Wants
from caseworker.store.store import Store
from tests.intake.github_desk import BOT, Desk


@pytest.fixture
async def desk(store: Store) -> Desk:
    """Issue 7 has a case, and its triage is in flight."""
    desk = Desk(store)
    desk.github.add(7)
    await desk.labels("ann", 7, "bot:triage")
    return desk


async def test_a_comment_on_a_thread_with_a_case_is_its_message(desk: Desk) -> None:
    assert await desk.comments("rita", 7, "It is only with coupons.") == "message"
    assert (await desk.messages())[1:] == [("rita", "words", "It is only with coupons.")]
    assert desk.bell.rung[-1][0] == CaseId("acme/shop#7")


async def test_a_comment_where_there_is_no_case_is_ignored(desk: Desk) -> None:
    desk.github.add(8)
    assert await desk.comments("ann", 8, "Me too.") == "ignored: no_case"


@pytest.mark.parametrize("text", ["approve", "@caseworker approve", "lgtm, go ahead"])
async def test_command_words_of_people_with_the_right_are_commands(desk: Desk, text: str) -> None:
    await desk.finishes(Milestone.TRIAGE)
    assert await desk.comments("ben", 7, text) == "message"
    assert (await desk.messages())[-1] == ("ben", "approve", text)
    assert desk.github.classified == []


async def test_command_words_of_others_are_plain_words(desk: Desk) -> None:
    await desk.finishes(Milestone.TRIAGE)
    await desk.comments("rita", 7, "approve")
    await desk.comments("stranger", 7, "@caseworker close this")
    assert [kind for _, kind, _ in (await desk.messages())[1:]] == ["words", "words"]


async def test_a_mention_that_asks_for_no_workflow_is_a_message_of_the_case(desk: Desk) -> None:
    assert await desk.comments("ann", 7, "@caseworker it is only with coupons") == "message"
    assert desk.github.replies == {}


async def test_what_was_answered_is_no_message_of_the_case(desk: Desk) -> None:
    desk.github.verdict = Unclear(answered=True)
    before = await desk.messages()
    assert await desk.comments("ann", 7, "@caseworker how far are you?") == "answered"
    assert await desk.messages() == before


async def test_a_mention_that_asks_for_a_workflow_is_dispatched(desk: Desk) -> None:
    await desk.finishes(Milestone.TRIAGE)
    desk.github.verdict = Wants(verb="plan")
    assert await desk.comments("ann", 7, "@caseworker now write a plan for it") == "dispatched: plan"


@pytest.mark.parametrize(
    ("who", "text", "outcome"),
    [
        (BOT, "bot:plan", "ignored: ours"),
        ("ann", "<!-- workflow-run:3 -->\nbot:plan", "ignored: ours"),
        ("ann", "<!-- caseworker:key -->\nA reply.", "ignored: ours"),
        ("coverage[bot]", "Coverage is 81 %.", "ignored: bot"),
    ],
)
async def test_our_own_comments_and_those_of_bots_are_never_answered(
    desk: Desk, who: str, text: str, outcome: str
) -> None:
    assert await desk.comments(who, 7, text) == outcome
    assert len(await desk.messages()) == 1


async def test_a_finished_case_takes_commands_but_no_chatter(desk: Desk) -> None:
    await desk.ends(IssueState.CLOSED)
    assert await desk.comments("rita", 7, "Is this still a problem for anybody?") == "ignored: case_over"
    assert await desk.comments("ann", 7, "retry") == "message"


async def test_an_edit_and_a_deletion_refer_to_their_comment(desk: Desk) -> None:
    await desk.comments("rita", 7, "coupons", id=9)
    await desk.deliver("issue_comment", desk.commented("rita", 7, "vouchers", id=9, action="edited"))
    assert await desk.outcome() == "message"
    await desk.deliver("issue_comment", desk.commented("rita", 7, "vouchers", id=9, action="deleted"))
    assert (await desk.messages())[1:] == [
        ("rita", "words", "coupons"),
        ("rita", "edit", "vouchers"),
        ("rita", "deletion", "vouchers"),
    ]


async def test_an_edit_that_overtook_its_comment_brings_it_along(desk: Desk) -> None:
    edited = desk.commented("rita", 7, "vouchers", id=9, action="edited", before="coupons")
    await desk.deliver("issue_comment", edited)
    assert await desk.comments("rita", 7, "coupons", id=9) == "duplicate"
    assert (await desk.messages())[1:] == [("rita", "words", "coupons"), ("rita", "edit", "vouchers")]


async def test_an_edit_that_adds_a_command_dispatches_nothing(desk: Desk) -> None:
    await desk.finishes(Milestone.TRIAGE)
    await desk.comments("ann", 7, "hm", id=9)
    await desk.deliver("issue_comment", desk.commented("ann", 7, "bot:plan", id=9, action="edited", before="hm"))
    assert await desk.outcome() == "message"
    assert await desk.runs() == ["triage"]


async def test_a_changed_command_is_no_message(desk: Desk) -> None:
    await desk.finishes(Milestone.TRIAGE)
    await desk.comments("ann", 7, "bot:implement", id=9)
    await desk.deliver("issue_comment", desk.commented("ann", 7, "bot:implement", id=9, action="deleted"))
    assert await desk.outcome() == "ignored: unknown_comment"


async def changed_issue(desk: Desk, who: str, action: str, **issue: object) -> str:
    issue = {"number": 7, "title": "Checkout says 500", "body": "Since 9:40.", **issue}
    repository = {"full_name": "acme/shop", "html_url": "https://github.com/acme/shop"}
    body = {"action": action, "issue": issue, "repository": repository, "sender": {"login": who}}
    await desk.deliver("issues", body)
    return await desk.outcome()


async def test_an_edited_issue_is_told_to_its_case(desk: Desk) -> None:
    assert await changed_issue(desk, "rita", "edited") == "ignored: nothing_new"
    assert (
        await changed_issue(desk, "rita", "edited", body="Since 9:30.", updated_at="2026-11-16T10:00:00Z") == "message"
    )
    assert (await desk.messages())[-1] == ("rita", "edit", "Checkout says 500\n\nSince 9:30.")


async def test_closing_the_issue_closes_its_case(desk: Desk) -> None:
    assert await changed_issue(desk, "ann", "closed") == "ignored: overtaken"
    desk.github.change(7, is_open=False)
    moment = "2026-11-16T10:00:00Z"
    assert await changed_issue(desk, "ann", "closed", updated_at=moment) == "message"
    assert (await desk.messages())[-1] == ("ann", "close", "The issue was closed on GitHub.")


async def test_somebody_without_the_right_closes_the_issue_but_not_the_case(desk: Desk) -> None:
    desk.github.change(7, is_open=False)
    assert await changed_issue(desk, "rita", "closed") == "refused: not_allowed"


@pytest.mark.parametrize("who", ["ann", "rita", "caseworker[bot]"])
async def test_the_case_file_says_whether_the_issue_is_closed_whoever_did_it(desk: Desk, who: str) -> None:
    seen = []
    for minute, (action, is_open) in enumerate([("closed", False), ("reopened", True), ("closed", False)]):
        desk.github.change(7, is_open=is_open)
        await changed_issue(desk, who, action, updated_at=f"2026-11-16T10:{10 + minute}:00Z")
        stored = await desk.store.cases.load(CaseId("acme/shop#7"))
        assert stored is not None
        seen.append(stored.file.commit.issue_closed)
    assert seen == [True, False, True]


@pytest.mark.parametrize("action", ["deleted", "transferred"])
async def test_an_issue_that_is_gone_ends_its_case(desk: Desk, action: str) -> None:
    del desk.github.targets[7]
    assert await changed_issue(desk, "stranger", action) == "message"
    assert (await desk.messages())[-1] == ("stranger", "close", f"The issue was {action} on GitHub.")


async def test_a_comment_on_a_pull_request_without_a_case_is_ignored(desk: Desk) -> None:
    desk.github.add(9, kind=TargetKind.PULL)
    assert await desk.comments("ann", 9, "Looks good.") == "ignored: no_case"


async def test_the_person_whose_token_we_use_is_heard_and_our_own_comments_are_not(store: Store) -> None:
    desk = Desk(store, token_of="ann")
    desk.github.add(7)
    assert await desk.labels("ann", 7, "bot:triage") == "dispatched: triage"
    assert await desk.comments("ann", 7, "Use cents.") == "message"
    assert await desk.comments("ann", 7, "I use euros.\n\n<!-- caseworker:key -->") == "ignored: ours"
    assert await desk.comments("ann", 7, "<!-- workflow-run:3 -->\nbot:plan") == "ignored: ours"
    assert [text for _, _, text in await desk.messages()][1:] == ["Use cents."]


async def test_an_edit_of_anothers_comment_counts_as_the_editors_words(desk: Desk) -> None:
    """On GitHub everybody with write access can edit every comment."""
    await desk.comments("ann", 7, "Use cents.", id=9)
    edited = desk.commented("ann", 7, "Use euros.", id=9, action="edited")
    await desk.deliver("issue_comment", {**edited, "sender": {"login": "ben"}})
    said = (await desk.store.inbox.of(CaseId("acme/shop#7")))[-1]
    assert (said.author, said.standing, said.text) == ("ben", Standing.DEVELOPER, "Use euros.")
