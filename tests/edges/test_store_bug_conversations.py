"""The view `bug_conversations` on both databases: people read a bug's messages and posts with plain SQL."""

from datetime import datetime

import pytest
from sqlalchemy import text

from caseworker.core.base.errors import Defect, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import About
from caseworker.core.bug.moves import say_to_all
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience, NewMessage, Standing
from caseworker.core.record.entries import Noted, Posted
from caseworker.store.database import connect
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE, open_bug, open_case, said

COLUMNS = "bug_id, sender_type, sender_id, message_type, message_text"
K = MessageKind


async def rows(url: str, columns: str = COLUMNS) -> list[tuple[object, ...]]:
    database = connect(url)
    try:
        async with database.reading() as connection:
            found = await connection.execute(text(f"SELECT {columns} FROM bug_conversations ORDER BY created_at"))
            return [tuple(row) for row in found]
    finally:
        await database.close()


async def write(url: str, statement: str) -> None:
    database = connect(url)
    try:
        async with database.writing() as connection:
            await connection.execute(text(statement))
    finally:
        await database.close()


async def post(store: Store, case: CaseId, about: str, words: str = "Which page?") -> None:
    posted = Posted(audience=Audience.REPORTER, about=about, number=1, text=words)
    await store.record.append(case, [Noted(text="not said to anybody"), posted], trace=TRACE)


def of_the_fix(case: CaseId, kind: MessageKind) -> NewMessage:
    news = said(case, "Pull request 1 is ready.", kind=kind, standing=Standing.DEVELOPER)
    return news.model_copy(update={"surface": "case", "author": "local/shop#1"})


async def test_the_view_has_a_row_per_message_and_post(store: Store, emptied_url: str) -> None:
    case = await open_bug(store)
    await open_case(store)  # an issue case has no rows here
    await post(store, case, "question")
    await store.inbox.put(said(case, "The cart.", standing=Standing.REPORTER))
    await store.inbox.put(said(case, "Since Monday.", standing=Standing.OWNER))
    await store.inbox.put(of_the_fix(case, K.FIX_READY))
    await post(store, case, "resolved", "bug-1 is resolved: it's 100% done.")
    assert await rows(emptied_url) == [
        (case, "reporter", "ann", "bug_report", "checkout says 500 since 9:40"),
        (case, "bot", "caseworker", "clarification_request", "Which page?"),
        (case, "reporter", "ann", "reporter_reply", "The cart."),
        (case, "developer", "ann", "dev_reply", "Since Monday."),
        (case, "system", "local/shop#1", "pr_created", "Pull request 1 is ready."),
        (case, "bot", "caseworker", "resolved", "bug-1 is resolved: it's 100% done."),
    ]


@pytest.mark.parametrize(
    ("message", "row"),
    [
        (said(CaseId("?"), standing=Standing.OTHER), ("other", "other_reply")),
        (said(CaseId("?"), standing=Standing.DEVELOPER, kind=K.TAKEOVER), ("developer", "dev_takeover")),
        (said(CaseId("?"), standing=Standing.DEVELOPER, kind=K.HAND_BACK), ("developer", "hand_back")),
        (said(CaseId("?"), standing=Standing.REPORTER, kind=K.EDIT), ("reporter", "edit")),
        (said(CaseId("?"), standing=Standing.REPORTER, kind=K.CLOSE), ("reporter", "close")),
        (of_the_fix(CaseId("?"), K.FIX_WAITING), ("system", "status_update")),
    ],
)
async def test_senders_and_types_of_messages(
    store: Store, emptied_url: str, message: NewMessage, row: tuple[str, str]
) -> None:
    case = await open_bug(store)
    await store.inbox.put(message.model_copy(update={"case": case}))
    assert (await rows(emptied_url, "sender_type, message_type"))[1] == row


async def test_types_of_posts(store: Store, emptied_url: str) -> None:
    case = await open_bug(store)
    expected = {
        "question": "clarification_request",
        "open_question": "clarification_request",
        "findings": "investigation_result",
        "taken_over": "dev_takeover",
        "asked_to_close": "closure_details_requested",
        "resolved": "resolved",
        "noted": "status_update",
        "sla_resolve": "status_update",
    }
    for about in expected:
        await post(store, case, about)
    assert [kind for (kind,) in await rows(emptied_url, "message_type")][1:] == list(expected.values())


async def test_a_post_that_was_refused_is_not_shown_as_said(store: Store, emptied_url: str) -> None:
    case = await open_bug(store)
    posted = Posted(audience=Audience.REPORTER, about="question", number=1, text="Which page?", undelivered=True)
    partly = posted.model_copy(update={"number": 2, "place": "C1/17.2"})
    await store.record.append(case, [posted, partly], trace=TRACE)
    assert (await rows(emptied_url, "message_type, message_text"))[1:] == [
        ("undelivered_clarification_request", "Which page?"),
        ("clarification_request", "Which page?"),
    ]


async def test_posts_in_the_outbox_are_shown_as_unsaid_until_they_are_on_the_record(
    store: Store, emptied_url: str
) -> None:
    case = await open_bug(store)
    stored = await store.bugs.load(case)
    assert stored is not None
    bug = say_to_all(stored.case, About.QUESTION, 1)
    await store.bugs.save(bug, trace=TRACE)
    assert [kind for (kind,) in await rows(emptied_url, "message_type")][1:] == ["unsaid_clarification_request"] * 2
    await post(store, case, "question")
    assert sorted(str(kind) for (kind,) in await rows(emptied_url, "message_type")) == [
        "bug_report",
        "clarification_request",
        "unsaid_clarification_request",
    ]


async def test_characters_that_no_database_stores_do_not_break_the_view(store: Store, emptied_url: str) -> None:
    case = await open_bug(store)
    await post(store, case, "findings", "a\0b\ud800c")
    assert (await rows(emptied_url, "message_text"))[1] == ("a\ufffdb\ufffd\ufffd\ufffdc",)


async def test_the_times_of_the_view_can_be_compared(store: Store, emptied_url: str) -> None:
    case = await open_bug(store)
    await post(store, case, "question")
    times = [datetime.fromisoformat(str(at)) for (at,) in await rows(emptied_url, "created_at")]
    assert times == sorted(times)


async def test_the_view_is_read_only(store: Store, emptied_url: str) -> None:
    await open_bug(store)
    with pytest.raises((Defect, Transient), match="view"):
        await write(emptied_url, "DELETE FROM bug_conversations")
