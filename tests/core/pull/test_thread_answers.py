"""Answers in review threads: each thread once, resolved only by a pushed change, and the words of a reply."""

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.base.redaction import Redactor
from caseworker.core.outcomes.pull_work import ThreadAnswer
from caseworker.core.pull.review_threads import ReviewThread
from caseworker.core.pull.thread_answers import answer_problems, given_threads, is_resolved_by, reply_text
from tests.core.pull.review_examples import a_thread, a_word, an_answer

PUSHED = Sha("c0ffee" * 7)
PERSONS = a_thread(a_word("Add the tax."))
OURS = a_thread(a_word("The tax is missing.", "us"))
PROGRAMS = a_thread(a_word("unused import", "program"))
JOINED = a_thread(a_word("unused import", "program"), a_word("and this one"))


@pytest.mark.parametrize(
    ("answered", "problem"),
    [
        (["T1", "T2"], ""),
        (["T2", "T1"], ""),
        (["T1"], "threads: these threads have no answer: T2."),
        (["T1", "T2", "T7"], "threads: these threads were not given to you: T7."),
        (["T1", "T2", "T2"], "threads: these threads have more than one answer: T2."),
        ([], "threads: these threads have no answer: T1, T2."),
    ],
)
def test_every_given_thread_is_answered_once(answered: list[str], problem: str) -> None:
    given = given_threads([PERSONS, OURS])
    assert answer_problems([an_answer(thread=number) for number in answered], given) == problem


def test_a_turn_is_known_to_have_read_the_comments_of_people() -> None:
    read = {word.id for word in JOINED.words if word.by == "person"}
    assert [set(one.read) for one in given_threads([JOINED, OURS])] == [read, set()]


@pytest.mark.parametrize(
    ("thread", "verdict", "changed", "pushed", "expected"),
    [
        (PERSONS, "valid", True, PUSHED, True),
        (PERSONS, "partly_valid", True, PUSHED, False),
        (PERSONS, "valid", False, PUSHED, False),
        (PERSONS, "valid", True, None, False),
        (PERSONS, "invalid", True, PUSHED, False),
        (PERSONS, "needs_clarification", True, PUSHED, False),
        (OURS, "partly_valid", True, PUSHED, True),
        (OURS, "invalid", True, PUSHED, False),
        (PROGRAMS, "valid", True, PUSHED, True),
        (PROGRAMS, "partly_valid", True, PUSHED, True),
        (PROGRAMS, "valid", True, None, False),
        (JOINED, "partly_valid", True, PUSHED, False),
        (JOINED, "valid", True, PUSHED, True),
        (PERSONS.model_copy(update={"can_resolve": False}), "valid", True, PUSHED, False),
    ],
)
def test_a_thread_is_resolved_only_by_a_change_that_was_pushed(
    thread: ReviewThread, verdict: str, changed: bool, pushed: Sha | None, expected: bool
) -> None:
    answer = an_answer(verdict=verdict, changed=changed)
    assert is_resolved_by(answer, thread, pushed=pushed, last=thread.last_of_others) is expected


def test_a_thread_in_which_somebody_wrote_meanwhile_stays_open() -> None:
    [given] = given_threads([PERSONS])
    since = a_thread(*PERSONS.words, a_word("ours", "us"), a_word("And the discount?"))
    assert not is_resolved_by(an_answer(), since, pushed=PUSHED, last=given.last)


def test_our_own_reply_does_not_count_as_news() -> None:
    [given] = given_threads([PERSONS])
    since = a_thread(*PERSONS.words, a_word("It adds the tax now.", "us"))
    assert is_resolved_by(an_answer(), since, pushed=PUSHED, last=given.last)


@pytest.mark.parametrize(
    ("answer", "pushed", "resolves", "end"),
    [
        (an_answer(), PUSHED, True, "Changed in c0ffeec0ff."),
        (an_answer(), PUSHED, False, "Changed in c0ffeec0ff. Please resolve this thread if that is enough."),
        (
            an_answer(verdict="partly_valid"),
            PUSHED,
            False,
            "Changed in part in c0ffeec0ff. Please resolve this thread if that is enough.",
        ),
        (an_answer(), None, False, "Nothing was changed for this; the thread stays open for you to decide."),
        (
            an_answer(verdict="invalid", changed=False),
            PUSHED,
            False,
            "Nothing was changed for this; the thread stays open for you to decide.",
        ),
        (
            an_answer(verdict="needs_clarification", changed=False),
            PUSHED,
            False,
            "Please say more here; this thread stays open.",
        ),
    ],
)
def test_a_reply_ends_with_what_became_of_it(
    answer: ThreadAnswer, pushed: Sha | None, resolves: bool, end: str
) -> None:
    text = reply_text(answer, pushed=pushed, resolves=resolves, redactor=Redactor())
    assert text == f"It adds the tax now.\n\n{end}"


def test_a_reply_calls_nobody() -> None:
    text = reply_text(an_answer(reply="@olga this closes #3"), pushed=None, resolves=False, redactor=Redactor())
    assert "@olga" not in text
    assert "closes #3" not in text
