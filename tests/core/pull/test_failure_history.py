"""What a session remembers of checks: cleared failures that come back, fixes and reruns that are counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.ids import Sha
from caseworker.core.pull.failure_history import (
    FailureHistory,
    after_fix,
    after_rerun,
    came_back,
    fixes_of,
    flakes,
    look,
    may_fix,
    may_rerun,
)
from caseworker.core.pull.failure_signature import Signature, signature_of
from caseworker.core.pull.failures import FailedCheck, WithoutChange
from caseworker.core.pull.pull_facts import CheckFact, PullFacts
from tests.core.pull.failure_examples import GO, PYTEST, attempt, failed, result
from tests.core.pull.pull_examples import NOW, READY

SIGNATURE = signature_of(failed())


def facts_at(head: str, *, green: tuple[str, ...] = ()) -> PullFacts:
    checks = tuple(CheckFact(name=name, state="passed", result="success", app="github-actions") for name in green)
    subject = READY.subject.model_copy(update={"head": Sha(head)})
    return READY.model_copy(update={"subject": subject, "checks": checks})


def walked(*steps: str) -> FailureHistory:
    """Each step is a head and how `Tests` is there: `a red`, `a other` (another failure) or `a green`."""
    history = FailureHistory()
    for step in steps:
        head, state = step.split()
        facts = facts_at(head, green=("Tests",) if state == "green" else ())
        red = [failed(PYTEST if state == "red" else GO, head=Sha(head))] if state != "green" else []
        history = look(history, facts, red, at=NOW)
    return history


@pytest.mark.parametrize(
    ("steps", "comes_back"),
    [
        (("a red",), False),
        (("a red", "b red"), False),
        (("a red", "b green"), False),
        (("a red", "b green", "c red"), True),
        (("a red", "b other", "c red"), False),
        (("a red", "b green", "c other"), False),
        (("a red", "b green", "c green", "d red"), True),
        (("a red", "a green", "a red"), False),  # a flake, cleared on no other head
        (("a red", "b green", "b red"), False),  # both on one head
        (("a red", "b green", "b red", "c red"), True),
        (("a green", "b red"), False),
    ],
)
def test_a_failure_comes_back_after_a_green_on_a_later_head(steps: tuple[str, ...], comes_back: bool) -> None:
    assert (came_back(walked(*steps), SIGNATURE) is not None) is comes_back


def test_a_return_shows_both_failures_and_the_green_between() -> None:
    found = came_back(walked("a red", "b red", "c green", "d red"), SIGNATURE)
    assert found is not None
    assert [one.head for one in (found.before, found.cleared, found.again)] == ["b", "c", "d"]


def test_the_green_of_another_check_clears_nothing() -> None:
    history = walked("a red")
    history = look(history, facts_at("b", green=("Lint",)), [], at=NOW)
    history = look(history, facts_at("c"), [failed(head=Sha("c"))], at=NOW)
    assert came_back(history, SIGNATURE) is None


@given(st.lists(st.sampled_from(["a red", "a green", "b red", "b green", "c red", "c other"]), max_size=12))
def test_what_came_back_is_always_red_green_red_on_different_heads(steps: list[str]) -> None:
    found = came_back(walked(*steps), SIGNATURE)
    if found is not None:
        assert found.before.signature == found.again.signature == SIGNATURE
        assert found.cleared.signature is None
        assert found.cleared.head not in (found.before.head, found.again.head)


@given(st.lists(st.sampled_from(["a red", "a green", "b red", "b other"]), max_size=8))
def test_seeing_the_same_again_adds_nothing(steps: list[str]) -> None:
    twice = [one for step in steps for one in (step, step)]
    assert walked(*twice) == walked(*steps)


def test_flakes_and_failures_of_the_base_are_no_sightings() -> None:
    flaky = failed(results=(result("passed"), result("failed")))
    named = failed(without=WithoutChange(on_base=result("failed")))
    assert look(FailureHistory(), facts_at("a"), [flaky, named], at=NOW) == FailureHistory()


def test_three_fixes_are_made_of_one_failure() -> None:
    history, tried = FailureHistory(), 0
    while may_fix(history, SIGNATURE):
        history = after_fix(history, [SIGNATURE, SIGNATURE], Sha("a" * tried))
        tried += 1
    assert (tried, fixes_of(history, SIGNATURE)) == (3, 3)
    assert may_fix(history, Signature("another"))


def flaky(number: int) -> FailedCheck:
    return failed(results=(result("passed", attempt(9)), result("failed", attempt(5, number))))


def broken(number: int) -> FailedCheck:
    return failed(results=(result("broken", attempt(5, number)),))


def test_a_flake_is_run_again_three_times_and_counted() -> None:
    history = FailureHistory()
    for number in (1, 2, 3):
        assert may_rerun(history, flaky(number))
        history = after_rerun(after_rerun(history, flaky(number)), flaky(number))  # twice: a repeated activity
    assert not may_rerun(history, flaky(4))
    assert flakes(history) == {"Tests": 3}


def test_infrastructure_is_run_again_once_and_what_is_ours_never() -> None:
    assert may_rerun(FailureHistory(), broken(1))
    assert not may_rerun(after_rerun(FailureHistory(), broken(1)), broken(2))
    assert not may_rerun(FailureHistory(), failed())
    assert not may_rerun(FailureHistory(), failed(app="scanner", results=(result("broken"),)))
