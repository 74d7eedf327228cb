"""Review threads on our own GitHub by the real client: read whole, and what turns say in them is there once."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest
from graphql import build_schema, parse, validate
from graphql.validation import NoDeprecatedCustomRule
from scripts.graphql_names import PUBLISHED

from caseworker.core.base.errors import RateLimited, Refused, ResultUnknown, Transient
from caseworker.core.base.ids import Sha
from caseworker.core.base.pace import Pace
from caseworker.core.people.messages import Standing
from caseworker.core.pull.findings import Reproduction
from caseworker.core.record.pull_entries import FindingPublished, ThreadAnswered
from caseworker.forges.github.thread_reads import MORE_COMMENTS, THREADS, CommentNode, who_wrote
from caseworker.github_double.acts.review_acts import reply, resolve_thread, unresolve_thread
from tests.edges.github_stage import propose
from tests.edges.review_desk import CHANGED, ReviewDesk, opened_review_desk

FINDING: dict[str, object] = {
    "file": "code.py",
    "line": 20,
    "severity": "major",
    "title": "It counts one too many",
    "body": "20 becomes 21.",
    "quote": "line_20 = 21",
}
VALID: dict[str, object] = {"thread": "T1", "verdict": "valid", "reply": "It counts right now.", "changed": True}
E = TypeVar("E")
PUSHED = Sha("c0ffee" * 7)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[ReviewDesk]:
    async with opened_review_desk(tmp_path) as opened:
        yield opened


def bodies(desk: ReviewDesk) -> list[list[str]]:
    """The visible words of each thread."""
    return [
        [
            "\n".join(line for line in one.body.splitlines() if not line.startswith("<!--")).strip()
            for one in thread.comments
        ]
        for thread in desk.pull.threads
    ]


@pytest.mark.parametrize("query", [THREADS, MORE_COMMENTS])
def test_the_queries_fit_githubs_schema_and_use_nothing_deprecated(query: str) -> None:
    schema = build_schema(PUBLISHED.read_text(), assume_valid=True, assume_valid_sdl=True)
    assert validate(schema, parse(query)) == []
    assert validate(schema, parse(query), [NoDeprecatedCustomRule]) == []


async def test_threads_are_read_with_writers_and_their_standing(desk: ReviewDesk) -> None:
    thread = desk.comments("olga", "Why 21?")
    reply(desk.shop.state, desk.shop.people["rita"], thread, body="Because.")
    await desk.publish(await desk.reviews({**FINDING, "severity": "nit"}))
    resolve_thread(desk.shop.state, desk.shop.people["olga"], thread)
    talk = await desk.threads.read(desk.shop.ref, desk.pull.number)
    assert (talk.title, talk.body, talk.author) == ("Count on", "Counts.", "rita")
    first, second = talk.threads
    assert (first.place, first.is_resolved, first.resolved_by) == ("code.py:20", True, "olga")
    assert [(word.author, word.by, word.standing, word.text) for word in first.words] == [
        ("olga", "person", Standing.OWNER, "Why 21?"),
        ("rita", "person", Standing.DEVELOPER, "Because."),
    ]
    assert ([word.by for word in second.words], second.can_resolve) == (["us"], True)
    assert talk.open_threads == (second,)


@pytest.mark.slow
async def test_three_hundred_threads_and_a_long_one_are_read_whole(desk: ReviewDesk) -> None:
    olga, state = desk.shop.people["olga"], desk.shop.state
    threads = [desk.comments("olga", f"remark {number}") for number in range(300)]
    for number in range(120):
        reply(state, olga, threads[7], body=f"more {number}")
    talk = await desk.threads.read(desk.shop.ref, desk.pull.number)
    assert [thread.words[0].text for thread in talk.threads] == [f"remark {number}" for number in range(300)]
    assert [len(thread.words) for thread in talk.threads[6:9]] == [1, 121, 1]
    assert len({thread.id for thread in talk.threads}) == 300


async def test_a_failed_read_is_no_answer(desk: ReviewDesk) -> None:
    desk.shop.double.faults.request("fails_before", "graphql", method="POST", times=9)
    with pytest.raises(Transient):
        await desk.threads.read(desk.shop.ref, desk.pull.number)


async def test_a_pull_request_that_is_not_there_is_refused(desk: ReviewDesk) -> None:
    with pytest.raises(Refused, match="no pull request 99"):
        await desk.threads.read(desk.shop.ref, 99)


async def test_a_finding_begins_one_thread_with_what_showed_it(desk: ReviewDesk) -> None:
    shown = Reproduction(commit=desk.head, command="sh test.sh", result="failed", exit_code=1)
    turn = await desk.reviews({**FINDING, "reproduction": "sh test.sh", "suggestion": "line_20 = 20"}, shown=shown)
    published = await desk.publish(turn)
    assert (published.threads, published.unplaced) == (("code.py:20",), ())
    [[text]] = bodies(desk)
    assert text == (
        "**Major: It counts one too many**\n\n20 becomes 21.\n\n```suggestion\nline_20 = 20\n```\n\n"
        f"Shown: `sh test.sh` fails on {desk.head[:10]} with exit code 1."
    )
    assert [thread.line for thread in desk.pull.threads] == [20]


async def test_a_finding_is_said_once_over_reviews_also_when_lines_move(desk: ReviewDesk) -> None:
    await desk.publish(await desk.reviews(FINDING))
    longer = f"first = 0\n{CHANGED}".encode()
    propose(desk.shop.state, desk.shop.people["rita"], desk.shop.repository, "topic", "code.py", longer)
    again = await desk.publish(await desk.reviews({**FINDING, "line": 21}))
    assert (len(desk.pull.threads), again.threads) == (1, ())
    resolve_thread(desk.shop.state, desk.shop.people["olga"], desk.pull.threads[0])
    await desk.publish(await desk.reviews({**FINDING, "line": 21}))
    assert len(desk.pull.threads) == 1
    assert [one.how for one in await entries(desk, FindingPublished)] == ["thread", "said_before", "said_before"]


async def test_what_an_owner_rejects_is_not_raised_again_after_the_line_changed(desk: ReviewDesk) -> None:
    await desk.publish(await desk.reviews(FINDING))
    reply(desk.shop.state, desk.shop.people["olga"], desk.pull.threads[0], body="Won't fix.")
    changed = CHANGED.replace("line_20 = 21", "line_20 = 22").encode()
    propose(desk.shop.state, desk.shop.people["rita"], desk.shop.repository, "topic", "code.py", changed)
    await desk.publish(await desk.reviews({**FINDING, "quote": "line_20 = 22"}))
    assert len(desk.pull.threads) == 1
    assert [one.how for one in await entries(desk, FindingPublished)] == ["thread", "rejected"]


async def test_a_finding_whose_line_can_not_carry_a_comment_is_left_to_the_artifact(desk: ReviewDesk) -> None:
    turn = await desk.reviews({**FINDING, "line": 3, "quote": "line_3 = 3"}, FINDING)
    published = await desk.publish(turn)
    assert [one.line for one in published.unplaced] == [3]
    assert published.threads == ("code.py:20",)
    assert [one.how for one in await entries(desk, FindingPublished)] == ["artifact", "thread"]


async def test_findings_and_replies_whose_answers_are_lost_are_there_once(desk: ReviewDesk) -> None:
    faults = desk.shop.double.faults
    turn = await desk.reviews(FINDING)
    faults.request("lost", "/comments$", method="POST")
    with pytest.raises(ResultUnknown):
        await desk.publish(turn)
    published = await desk.publish(turn)
    assert (await desk.publish(turn)).threads == published.threads == ("code.py:20",)
    turn = await desk.answers(VALID)
    faults.request("lost", "/replies$", method="POST")
    with pytest.raises(ResultUnknown):
        await desk.publish(turn, PUSHED)
    await desk.publish(turn, PUSHED)
    [thread] = desk.pull.threads
    assert [len(one) for one in bodies(desk)] == [2]
    assert thread.resolved_by is not None


async def test_a_resolution_whose_answer_is_lost_is_found(desk: ReviewDesk) -> None:
    faults, thread = desk.shop.double.faults, desk.comments("olga", "Why?")
    turn = await desk.answers(VALID)
    faults.before("/replies$", lambda: faults.request("lost", "graphql$", method="POST"), method="POST")
    with pytest.raises(ResultUnknown):
        await desk.publish(turn, PUSHED)
    assert thread.resolved_by is not None
    assert (await desk.publish(turn, PUSHED)).resolved == 1
    assert len(thread.comments) == 2


async def test_a_rate_limit_leaves_the_rest_for_later(desk: ReviewDesk) -> None:
    second = {**FINDING, "line": 21, "quote": "line_21 = 21", "title": "Another"}
    turn = await desk.reviews(FINDING, second)
    desk.shop.use(desk.shop.access, pace=Pace(per_minute=1, per_hour=10, gap_seconds=0))
    with pytest.raises(RateLimited):
        await desk.publish(turn)
    assert len(desk.pull.threads) == 1
    desk.shop.use(desk.shop.access)
    assert len((await desk.publish(turn)).threads) == 2
    assert len(desk.pull.threads) == 2


async def test_threads_are_answered_and_only_those_are_resolved_that_a_push_has_met(desk: ReviewDesk) -> None:
    for number, login in ((19, "olga"), (20, "rita"), (21, "olga")):
        desk.comments(login, "Why?", line=number)
    turn = await desk.answers(
        VALID,
        {"thread": "T2", "verdict": "invalid", "reply": "It is right: see line 3."},
        {"thread": "T3", "verdict": "needs_clarification", "reply": "Which total?"},
    )
    published = await desk.publish(turn, PUSHED)
    assert (len(published.threads), published.resolved) == (3, 1)
    assert [thread.resolved_by is not None for thread in desk.pull.threads] == [True, False, False]
    assert [thread[1:] for thread in bodies(desk)] == [
        ["It counts right now.\n\nChanged in c0ffeec0ff."],
        ["It is right: see line 3.\n\nNothing was changed for this; the thread stays open for you to decide."],
        ["Which total?\n\nPlease say more here; this thread stays open."],
    ]


async def test_without_a_push_nothing_is_resolved(desk: ReviewDesk) -> None:
    desk.comments("olga", "Why?")
    assert (await desk.publish(await desk.answers(VALID))).resolved == 0
    assert desk.pull.threads[0].resolved_by is None


async def test_a_thread_is_answered_again_only_after_a_word_or_a_change(desk: ReviewDesk) -> None:
    thread = desk.comments("olga", "Why?")
    unchanged = {"thread": "T1", "verdict": "invalid", "reply": "It is right."}
    await desk.publish(await desk.answers(unchanged))
    assert (await desk.publish(await desk.answers(unchanged))).threads == ()
    assert len(thread.comments) == 2
    reply(desk.shop.state, desk.shop.people["olga"], thread, body="I think not.")
    await desk.publish(await desk.answers(unchanged))
    await desk.publish(await desk.answers(VALID), PUSHED)
    assert [one.author.login == "olga" for one in thread.comments] == [True, False, True, False, False]
    assert bodies(desk)[0][-1] == "It counts right now.\n\nChanged in c0ffeec0ff."


async def test_a_thread_in_which_somebody_wrote_meanwhile_stays_open(desk: ReviewDesk) -> None:
    thread = desk.comments("olga", "Why?")
    turn = await desk.answers(VALID)
    reply(desk.shop.state, desk.shop.people["olga"], thread, body="And line 3?")
    published = await desk.publish(turn, PUSHED)
    assert (published.threads, published.resolved, thread.resolved_by) == (("code.py:20",), 0, None)
    assert bodies(desk)[0][-1].endswith("Please resolve this thread if that is enough.")


async def test_a_thread_that_a_person_resolved_meanwhile_is_left_alone(desk: ReviewDesk) -> None:
    thread = desk.comments("olga", "Why?")
    turn = await desk.answers(VALID)
    resolve_thread(desk.shop.state, desk.shop.people["olga"], thread)
    assert (await desk.publish(turn, PUSHED)).threads == ()
    assert len(thread.comments) == 1
    [told] = await entries(desk, ThreadAnswered)
    assert told.note == "olga has resolved it"


async def test_a_finding_of_ours_that_a_person_resolved_meanwhile_is_left_alone(desk: ReviewDesk) -> None:
    await desk.publish(await desk.reviews(FINDING))
    turn = await desk.answers(VALID)
    resolve_thread(desk.shop.state, desk.shop.people["olga"], desk.pull.threads[0])
    assert (await desk.publish(turn, PUSHED)).threads == ()
    assert [len(one) for one in bodies(desk)] == [1]


async def test_a_thread_that_a_person_opens_again_is_not_resolved_again(desk: ReviewDesk) -> None:
    thread = desk.comments("olga", "Why?")
    turn = await desk.answers(VALID)
    await desk.publish(turn, PUSHED)
    unresolve_thread(desk.shop.state, desk.shop.people["olga"], thread)
    await desk.publish(turn, PUSHED)
    assert (len(thread.comments), thread.resolved_by) == (2, None)


async def entries(desk: ReviewDesk, kind: type[E]) -> list[E]:
    return [one.entry for one in await desk.shop.store.record.whole(desk.case) if isinstance(one.entry, kind)]


@pytest.mark.parametrize(("body", "by"), [("It is fixed.\n\n<!-- caseworker:key -->", "us"), ("Is it?", "person")])
def test_under_our_login_only_what_carries_our_mark_is_ours(body: str, by: str) -> None:
    """With a token, its owner speaks under the same login."""
    author = {"login": "olga", "kind": "User"}
    assert who_wrote(CommentNode.model_validate({"viewerDidAuthor": True, "body": body, "author": author})) == by
