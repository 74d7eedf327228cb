"""`caseworker demo`, `demo unclear` and `demo review`: one command each, to a pull request."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from caseworker.app.demos.unclear import PREPARED
from tests.world.project import git
from tests.world.terminal import Terminal, open_terminal

ASKED = "From which amount on does the order of a member ship free?"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home", CASEWORKER_REHEARSAL_PACE="0") as terminal:
        yield terminal


def expect_in_order(out: str, told: Sequence[str]) -> None:
    place = 0
    for words in told:
        found = out.find(words, place)
        assert found >= 0, (words, out)
        place = found + len(words)


def code_on_the_branch(terminal: Terminal) -> str:
    return git(terminal.home / "demo" / "shop-1", "show", "agent/issue-1:shop/cart.py")


def answers(terminal: Terminal) -> list[object]:
    return [said["text"] for said in terminal.entries("message_recorded") if said["message_kind"] == "answer"]


def test_the_first_demo_says_what_to_type_next(terminal: Terminal) -> None:
    answer = terminal.types("demo")
    assert answer.code == 0, answer
    told = [
        "agent/issue-1 is ready to merge into main",
        "Merge it",
        "Next, type one of these:",
        "caseworker why shop-1/1",
    ]
    expect_in_order(answer.out, told)
    assert terminal.types("why", "local/shop-1#1").code == 0


@pytest.mark.slow
def test_the_unclear_demo_goes_on_with_the_typed_answer(terminal: Terminal) -> None:
    with terminal.opens("demo", "unclear") as window:
        window.shows(ASKED)
        window.shows("your answer ›")
        window.presses("From 30.00 on\r")
        assert window.ends() == 0, window.text()
        told = [
            "REQUIREMENTS UNCLEAR",
            "The case asks you",
            "(answer): From 30.00 on",
            "REQUIREMENTS CLARIFIED",
            "members have an amount of their own",
            "agent/issue-1 is ready to merge into main",
            "Your answer “From 30.00 on”: seen by turn 4: read by the pm.",
            "Merge it",
            "Next, type one of these:",
            "caseworker why shop-1/1",
        ]
        expect_in_order(window.text(), told)
    assert answers(terminal) == ["From 30.00 on"]
    assert "free_shipping_from" in code_on_the_branch(terminal)


@pytest.mark.slow
def test_without_a_terminal_the_demo_gives_the_prepared_answer(terminal: Terminal) -> None:
    answer = terminal.types("demo", "unclear")
    assert answer.code == 0, answer
    expect_in_order(
        answer.out,
        [ASKED, "a prepared answer is given", PREPARED, "agent/issue-1 is ready to merge into main", "Merge it"],
    )


@pytest.mark.slow
def test_the_unclear_demo_prints_json_lines(terminal: Terminal) -> None:
    answer = terminal.types("demo", "unclear", "--yes", "--json")
    assert answer.code == 0, answer
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert lines[-1]["kind"] == "summary"
    assert lines[-1]["pull_request"] == 1
    asked = [line["entry"]["text"] for line in lines[:-1] if line["entry"]["kind"] == "posted"]
    assert ASKED in asked[0]


@pytest.mark.slow
def test_leaving_the_demo_at_a_question_says_how_to_answer_later(terminal: Terminal) -> None:
    with terminal.opens("demo", "unclear") as window:
        window.shows("your answer ›")
        window.presses("From 3\x03")
        assert window.ends() == 130, window.text()
        assert window.modes_now() == window.modes_before
        assert 'caseworker answer shop-1/1 "..."' in window.text()
    assert answers(terminal) == []
    assert terminal.types("answer", "local/shop-1#1", "From 25.00 on").code == 0
    terminal.waits_until(lambda: bool(terminal.entries("pull_request_opened")), "the pull request")


@pytest.mark.slow
def test_a_rejected_review_is_repaired_by_the_senior_developer(terminal: Terminal) -> None:
    answer = terminal.types("demo", "review")
    assert answer.code == 0, answer
    told = [
        "build 3, with the fix: green",
        "✘ turn 5: the tech lead says CHANGES_REQUESTED",
        "FIXING ISSUES",
        "the senior developer begins to fix",
        "build 4, with the fix: green",
        "✔ turn 7: the tech lead says APPROVED",
        "agent/issue-1 is ready to merge into main",
        "Merge it",
        "Next, type one of these:",
        "caseworker why shop-1/1",
    ]
    expect_in_order(answer.out, told)
    code = code_on_the_branch(terminal)
    assert "FREE_SHIPPING_FROM = 5000" in code
    assert ">= FREE_SHIPPING_FROM" in code
    why = terminal.types("why", "local/shop-1#1")
    assert "attempt 2 of 3" in why.out, why
