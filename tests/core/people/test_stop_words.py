"""Answers to the question whether the fix of a withdrawn report shall stop."""

import pytest

from caseworker.core.people.commands import CloseIncomplete, Say, StopFix
from caseworker.core.people.grammar import InBug, parse
from caseworker.core.people.messages import Standing

ASKED = InBug(stop_asked=True)


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes!", "yep", "yes please", "Yes, please stop it.", "stop it", "stop", "please cancel the fix", "ok, stop",
     "@caseworker yes", "close it", "sure, stop working on it"],
)  # fmt: skip
def test_a_yes_stops_the_fix(text: str) -> None:
    assert parse(text, Standing.DEVELOPER, ASKED) == StopFix(stop=True)


@pytest.mark.parametrize(
    "text",
    ["no", "No.", "nope", "no, let it go on", "let it finish", "don't stop it", "no please continue", "keep going",
     "it should go on"],
)  # fmt: skip
def test_a_no_lets_it_go_on(text: str) -> None:
    assert parse(text, Standing.OWNER, ASKED) == StopFix(stop=False)


@pytest.mark.parametrize(
    "text", ["should we stop it?", "stop it only if nobody else needs it", "yes but do not stop the pull request"]
)
def test_an_unclear_answer_is_asked_about(text: str) -> None:
    assert parse(text, Standing.DEVELOPER, ASKED) == StopFix()


def test_other_words_are_words_and_only_the_team_answers() -> None:
    assert isinstance(parse("the total is wrong again", Standing.DEVELOPER, ASKED), Say)
    assert isinstance(parse("yes", Standing.REPORTER, ASKED), Say)


def test_where_nobody_was_asked_a_yes_is_just_a_word() -> None:
    assert isinstance(parse("yes", Standing.DEVELOPER, InBug()), Say)
    assert isinstance(parse("close it", Standing.DEVELOPER, InBug()), CloseIncomplete)
