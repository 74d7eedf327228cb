"""Webhook bodies become events: all recorded ones without an error, ours with just what is decided on."""

from collections import Counter

import pytest

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.registry import TargetKind
from caseworker.core.runs.delivery_outcomes import IgnoreReason
from caseworker.intake.github_events import (
    Change,
    ChecksChanged,
    CommentChanged,
    InstallationChanged,
    IssueChanged,
    LabelChanged,
    NotUsed,
    Person,
    Pinged,
    PullChanged,
    PushReceived,
)
from caseworker.intake.github_payloads import UnreadableBody, parse_event, read_body
from tests.intake.github_examples import recorded_bodies

HELLO = RemoteRepository(host="github.com", owner="Codertocat", name="Hello-World")


def first(name: str, action: str = "") -> dict[str, object]:
    return next(body for event, body in recorded_bodies() if event == name and body.get("action", "") == action)


def test_every_recorded_body_is_parsed_without_an_error() -> None:
    parsed = Counter(type(parse_event(name, body)).__name__ for name, body in recorded_bodies())
    assert parsed.total() == 329
    assert parsed == {
        "NotUsed": 217,
        "ChecksChanged": 27,
        "PullChanged": 28,
        "IssueChanged": 14,
        "CommentChanged": 14,
        "InstallationChanged": 10,
        "LabelChanged": 8,
        "PushReceived": 7,
        "Pinged": 4,
    }


def test_a_label_on_an_issue_is_read_with_its_time_and_actor() -> None:
    event = parse_event("issues", first("issues", "labeled"))
    assert isinstance(event, LabelChanged)
    assert (event.repository, event.number, event.target) == (HELLO, 1, TargetKind.ISSUE)
    assert (event.change, event.label, event.actor) == (Change.LABELED, "bug", Person(login="Codertocat"))
    assert event.subject == "Codertocat/Hello-World#1 labeled bug by codertocat"
    assert event.at == event.changed_at


def test_a_label_on_a_pull_request_has_a_pull_as_its_target() -> None:
    event = parse_event("pull_request", first("pull_request", "labeled"))
    assert isinstance(event, LabelChanged)
    assert event.target is TargetKind.PULL


def test_a_comment_is_named_by_its_id_whichever_way_it_came() -> None:
    event = parse_event("issue_comment", first("issue_comment", "created"))
    assert isinstance(event, CommentChanged)
    assert event.subject == "Codertocat/Hello-World#1 comment:492700400 created"
    assert event.comment.text == "You are totally right! I'll get this fixed right away."
    assert event.target is TargetKind.ISSUE


def test_a_comment_on_a_pull_request_has_a_pull_as_its_target() -> None:
    body = first("issue_comment", "created")
    issue = body["issue"]
    assert isinstance(issue, dict)
    event = parse_event("issue_comment", body | {"issue": issue | {"pull_request": {"url": "https://..."}}})
    assert isinstance(event, CommentChanged)
    assert event.target is TargetKind.PULL


def test_an_edited_comment_knows_what_it_said_before() -> None:
    edited = first("issue_comment", "edited") | {"changes": {"body": {"from": "the old words"}}}
    event = parse_event("issue_comment", edited)
    assert isinstance(event, CommentChanged)
    assert event.change is Change.EDITED
    assert event.comment.text_before == "the old words"


def test_a_review_comment_keeps_its_path_and_line() -> None:
    body = first("pull_request_review_comment", "created")
    comment = body["comment"]
    assert isinstance(comment, dict)
    event = parse_event("pull_request_review_comment", body | {"comment": comment | {"line": 1}})
    assert isinstance(event, CommentChanged)
    assert event.comment.place == "README.md:1"
    assert event.reference.startswith("github.com/Codertocat/Hello-World review_comment:")


def test_a_review_with_a_text_is_a_comment_on_the_pull_request() -> None:
    body = first("pull_request_review", "submitted")
    review = body["review"]
    assert isinstance(review, dict)
    event = parse_event("pull_request_review", body | {"review": review | {"id": 5, "body": "Use cents."}})
    assert isinstance(event, CommentChanged)
    assert (event.target, event.comment.text) == (TargetKind.PULL, "Use cents.")
    assert event.subject == "Codertocat/Hello-World#2 review:5 created"
    assert (event.reference, event.reaction_to) == ("github.com/Codertocat/Hello-World review:5", "")


@pytest.mark.parametrize(
    ("action", "change"),
    [
        ("auto_merge_enabled", Change.AUTO_MERGE),
        ("auto_merge_disabled", Change.AUTO_MERGE),
        ("enqueued", Change.QUEUED),
        ("dequeued", Change.QUEUED),
        ("edited", Change.EDITED),
    ],
)
def test_changes_that_nobody_recorded_are_read_like_the_others(action: str, change: Change) -> None:
    event = parse_event("pull_request", first("pull_request", "synchronize") | {"action": action})
    assert isinstance(event, PullChanged)
    assert event.change is change


def test_a_deleted_account_is_the_ghost() -> None:
    body = first("issue_comment", "created")
    comment = body["comment"]
    assert isinstance(comment, dict)
    event = parse_event("issue_comment", body | {"comment": comment | {"user": None}})
    assert isinstance(event, CommentChanged)
    assert event.comment.author == Person(login="ghost")


def test_a_comment_by_an_app_is_by_a_bot() -> None:
    body = first("issue_comment", "created")
    comment = body["comment"]
    assert isinstance(comment, dict)
    event = parse_event("issue_comment", body | {"comment": comment | {"user": {"login": "x[bot]", "type": "Bot"}}})
    assert isinstance(event, CommentChanged)
    assert event.comment.author.is_bot


@pytest.mark.parametrize(
    ("name", "action", "kind"),
    [
        ("issues", "transferred", IssueChanged),
        ("issues", "locked", IssueChanged),
        ("pull_request", "synchronize", PullChanged),
        ("pull_request_review", "submitted", PullChanged),
        ("pull_request_review", "dismissed", PullChanged),
        ("pull_request", "review_requested", PullChanged),
        ("pull_request_review_thread", "resolved", PullChanged),
        ("pull_request", "converted_to_draft", PullChanged),
        ("check_run", "completed", ChecksChanged),
        ("status", "", ChecksChanged),
        ("workflow_run", "completed", ChecksChanged),
        ("push", "", PushReceived),
        ("installation", "created", InstallationChanged),
        ("installation_repositories", "added", InstallationChanged),
        ("ping", "", Pinged),
    ],
)
def test_events_that_are_used_have_a_type_of_their_own(name: str, action: str, kind: type) -> None:
    assert isinstance(parse_event(name, first(name, action)), kind)


def test_events_and_actions_that_are_not_used_say_so() -> None:
    assert parse_event("star", {}) == NotUsed(reason=IgnoreReason.UNUSED_EVENT, detail="star")
    pinned = parse_event("issues", first("issues", "pinned"))
    assert pinned == NotUsed(reason=IgnoreReason.UNUSED_ACTION, detail="issues.pinned")


def test_the_repository_of_an_enterprise_server_keeps_its_host() -> None:
    body = first("issues", "labeled")
    repository = body["repository"]
    assert isinstance(repository, dict)
    there = repository | {"html_url": "https://ghe.example.com/Codertocat/Hello-World"}
    event = parse_event("issues", body | {"repository": there})
    assert isinstance(event, LabelChanged)
    assert event.repository.host == "ghe.example.com"


@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"payload=%7B", "not JSON"), (b"[]", "not a JSON object"), (b"\xff", "not JSON"), (b"", "not JSON")],
)
def test_a_body_that_is_no_object_is_unreadable(body: bytes, problem: str) -> None:
    with pytest.raises(UnreadableBody, match=problem):
        read_body(body)


def test_a_body_that_does_not_fit_its_event_is_unreadable() -> None:
    with pytest.raises(UnreadableBody, match=r"`issue\.number` of an event issues"):
        parse_event("issues", {"action": "labeled", "issue": {"number": "many"}})
    for number in (0, 10**30):
        with pytest.raises(UnreadableBody, match=r"`issue\.number` of an event issues"):
            parse_event("issues", {"action": "labeled", "issue": {"number": number}})
    with pytest.raises(UnreadableBody, match="without `issue`"):
        parse_event("issue_comment", {"action": "created"})
