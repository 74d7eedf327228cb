"""A conversation shows which posts reached people: refused ones and those in the outbox are not shown as said."""

from datetime import UTC, datetime

from caseworker.core.base.ids import TraceId
from caseworker.core.people.messages import Audience
from caseworker.core.people.posts import Post
from caseworker.core.record.bug_conversation import Delivery, conversation
from caseworker.core.record.entries import Posted, Recorded

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
REPORTER, DEVELOPERS = Audience.REPORTER, Audience.DEVELOPERS


def posted(number: int, *, place: str = "", undelivered: bool = False) -> Recorded:
    entry = Posted(
        audience=REPORTER, about="question", number=number, text="Which page?", place=place, undelivered=undelivered
    )
    return Recorded(sequence=number, at=NOON, trace=TraceId("t"), version=1, entry=entry)


def post(number: int, audience: Audience, about: str = "question") -> Post:
    return Post(about=about, audience=audience, epoch=1, number=number)


def test_a_line_says_whether_the_post_reached_people() -> None:
    refused = [posted(3, undelivered=True), posted(4, place="C1/2", undelivered=True)]
    record = [posted(1), posted(2, place="C1/1"), *refused]
    found = [line.delivery for line in conversation(record)]
    assert found == [Delivery.SAID, Delivery.SAID, Delivery.UNDELIVERED, Delivery.PARTLY]


def test_posts_of_the_outbox_come_last_as_not_said_yet() -> None:
    waiting = [post(1, REPORTER), post(1, DEVELOPERS), post(2, DEVELOPERS, "reporter_said")]
    lines = conversation([posted(1)], waiting)
    assert [(line.audience, line.delivery, line.text) for line in lines] == [
        (REPORTER, Delivery.SAID, "Which page?"),  # the snapshot was not saved since
        (DEVELOPERS, Delivery.PENDING, ""),
    ]
