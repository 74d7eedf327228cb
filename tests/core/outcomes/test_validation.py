"""A validation that passes needs a check for each requirement; the agent is told which are missing."""

import pytest

from caseworker.core.outcomes.tester import Met, ValidationOutcome
from caseworker.core.outcomes.validation import unchecked
from tests.core.examples import ValidationStatus

MUST, MUST_NOT = ["Take the discount off", "Keep the currency"], ["Change the API"]


def validated(*requirements: str, status: ValidationStatus = "PASS") -> ValidationOutcome:
    checks = [Met(requirement=one, met=True, evidence="`make test`") for one in requirements]
    return ValidationOutcome(status=status, checks=checks, summary="Looked at everything.")


def test_a_pass_without_checks_is_refused_and_names_every_requirement() -> None:
    assert unchecked(validated(), MUST, MUST_NOT) == (
        "PASS needs a check of its own for each must_do and must_not_do: there are 3, and `checks` has 0 different "
        "ones. Check all of them, or use the status that fits what you have seen.\n"
        "Not among them:\n- Take the discount off\n- Keep the currency\n- Change the API"
    )


def test_a_pass_that_left_out_a_requirement_is_told_which() -> None:
    told = unchecked(validated("- take the discount off.", "Do not change the API"), MUST, MUST_NOT)
    assert told.endswith("Not among them:\n- Keep the currency")


def test_a_repeated_check_counts_once() -> None:
    assert "has 1 different ones" in unchecked(validated(*["Keep the currency"] * 3), MUST, MUST_NOT)


def test_one_check_of_everything_is_not_enough() -> None:
    everything = "; ".join([*MUST, *MUST_NOT])
    assert unchecked(validated(everything), MUST, MUST_NOT).endswith("the status that fits what you have seen.")


def test_only_the_first_of_many_missing_requirements_are_named() -> None:
    assert unchecked(validated(), [f"Point {number}" for number in range(12)], []).endswith("- Point 9\n- and 2 more")


def test_a_requirement_may_be_reworded() -> None:
    assert unchecked(validated("It is 10 % less", "Euros stay euros", "The API is as it was"), MUST, MUST_NOT) == ""


@pytest.mark.parametrize("status", ["FAIL", "PARTIAL", "TESTS_NEED_WORK", "BLOCKED"])
def test_only_a_pass_has_to_be_complete(status: ValidationStatus) -> None:
    assert unchecked(validated(status=status), MUST, MUST_NOT) == ""


def test_without_requirements_no_check_is_needed() -> None:
    assert unchecked(validated(), [], []) == ""
