"""A validation that passes has a check for each point; the agent is told which ones it left out."""

import pytest

from caseworker.core.outcomes.tester import Met, ValidationOutcome
from caseworker.core.outcomes.validation import unchecked
from tests.core.examples import ValidationStatus

MUST, MUST_NOT = ["Take the discount off", "Keep the currency"], ["Change the API"]


def validated(*requirements: str, status: ValidationStatus = "PASS") -> ValidationOutcome:
    checks = [Met(requirement=one, met=True, evidence="`make test`") for one in requirements]
    return ValidationOutcome(status=status, checks=checks, summary="Looked at everything.")


def test_a_pass_that_checked_nothing_is_handed_back_with_every_point() -> None:
    assert unchecked(validated(), MUST, MUST_NOT) == (
        "PASS needs a check of its own for each must_do and must_not_do: there are 3, and `checks` has 0 different "
        "ones. Check all of them, or use the status that fits what you have seen.\n"
        "Not among them:\n- Take the discount off\n- Keep the currency\n- Change the API"
    )


def test_a_pass_that_left_one_out_is_told_which() -> None:
    told = unchecked(validated("- take the discount off.", "Do not change the API"), MUST, MUST_NOT)
    assert told.endswith("Not among them:\n- Keep the currency")


def test_one_check_said_twice_is_one() -> None:
    assert "has 1 different ones" in unchecked(validated(*["Keep the currency"] * 3), MUST, MUST_NOT)


def test_one_check_of_everything_is_not_enough() -> None:
    everything = "; ".join([*MUST, *MUST_NOT])
    assert unchecked(validated(everything), MUST, MUST_NOT).endswith("the status that fits what you have seen.")


def test_of_many_points_the_first_are_named() -> None:
    assert unchecked(validated(), [f"Point {number}" for number in range(12)], []).endswith("- Point 9\n- and 2 more")


def test_a_point_may_be_put_in_other_words() -> None:
    assert unchecked(validated("It is 10 % less", "Euros stay euros", "The API is as it was"), MUST, MUST_NOT) == ""


@pytest.mark.parametrize("status", ["FAIL", "PARTIAL", "TESTS_NEED_WORK", "BLOCKED"])
def test_only_a_pass_has_to_be_complete(status: ValidationStatus) -> None:
    assert unchecked(validated(status=status), MUST, MUST_NOT) == ""


def test_where_nothing_was_asked_for_there_is_nothing_to_check() -> None:
    assert unchecked(validated(), [], []) == ""
