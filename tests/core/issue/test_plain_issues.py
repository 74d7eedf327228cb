"""A plain small issue is triaged and analysed in one turn. Everything else has a turn of the analyst."""

import pytest
from pydantic import ValidationError

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.issue.facts import TurnEnded
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.transitions import after
from caseworker.core.outcomes.analyst import FileNote, PlainAnalysis, Tried
from caseworker.core.outcomes.answers import HANDED_IN
from caseworker.core.outcomes.pm import DefectPlace, IssueType, Topic, TriageOutcome
from tests.core.examples import HEAD, MORNING, a_case, a_file, triaged

S = IssueState
FOUND = PlainAnalysis(
    files=[FileNote(path="cart.py", purpose="the sum", action="modify")],
    patterns=["Amounts are cents (cart.py:3)."],
    test_location="test_cart.py",
    test_description="Two prices are added.",
    must_do=["Every price counts."],
    must_not_do=["Don't touch the currency."],
    brief="Add instead of subtract.",
    tried=Tried(reproduction="$ python -c 'print(total())'\n0", fix="-a - b\n+a + b"),
)
PLACE = DefectPlace(path="cart.py", line=3, problem="It subtracts.", expected="It adds.")


def next_state(outcome: TriageOutcome, policy: Policy | None = None) -> IssueState:
    ended = TurnEnded(role=Role.PM, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))
    return after(a_case(S.RECEIVED), ended, policy or Policy(), MORNING).state


def test_a_bug_with_its_defect_and_its_analysis_goes_straight_to_its_test() -> None:
    assert next_state(triaged().model_copy(update={"defect": PLACE, "analysis": FOUND})) is S.CREATING_TESTS


@pytest.mark.parametrize("type", [IssueType.NEW_FEATURE, IssueType.REFACTOR_STYLE])
def test_other_small_work_goes_straight_to_its_test_with_an_analysis(type: IssueType) -> None:
    assert next_state(triaged(type=type).model_copy(update={"analysis": FOUND})) is S.CREATING_TESTS
    assert next_state(triaged(type=type)) is S.ANALYZING_REQUIREMENTS


def test_an_analysis_of_a_bug_without_its_defect_is_not_enough() -> None:
    assert next_state(triaged().model_copy(update={"analysis": FOUND})) is S.ANALYZING_REQUIREMENTS


@pytest.mark.parametrize(
    "change",
    [{"scope": "MEDIUM"}, {"complexity": "moderate"}, {"complexity": "complex"}],
    ids=["not small", "has to be found", "complex"],
)
def test_what_is_not_plain_and_small_is_analysed_whatever_the_triage_brings(change: dict[str, str]) -> None:
    assert next_state(triaged().model_copy(update={"defect": PLACE, "analysis": FOUND, **change})) in (
        S.ANALYZING_REQUIREMENTS,
        S.PLANNING_APPROACH,
    )


def test_a_sensitive_topic_still_waits_for_a_person() -> None:
    sensitive = triaged(topics=[Topic.PERMISSIONS]).model_copy(update={"defect": PLACE, "analysis": FOUND})
    assert next_state(sensitive) is S.WAITING_FOR_HUMAN_INPUT


def test_a_case_that_goes_to_its_triage_only_stops_there() -> None:
    whole = triaged().model_copy(update={"defect": PLACE, "analysis": FOUND})
    assert next_state(whole, Policy(until=Milestone.TRIAGE)) is S.WAITING_FOR_HUMAN_INPUT


def test_both_sections_of_the_case_file_are_filled_with_all_that_is_handed_on() -> None:
    whole = triaged().model_copy(update={"defect": PLACE, "analysis": FOUND})
    file = after_outcome(a_file(), Role.PM, whole, attempt=1)
    assert file.triage.completed
    assert file.analysis.completed
    assert file.analysis.patterns == FOUND.patterns
    assert file.analysis.test_requirement is not None
    assert (file.analysis.test_requirement.location, file.analysis.test_requirement.type) == (
        "test_cart.py",
        "regression",
    )
    assert file.analysis.brief == (
        "`cart.py:3`: It subtracts.\n\nAdd instead of subtract.\n\n"
        "Reproduced:\n\n```\n$ python -c 'print(total())'\n0\n```\n\n"
        "Tried in a copy, where it worked:\n\n```\n-a - b\n+a + b\n```"
    )


def test_an_analysis_that_is_not_enough_is_where_the_analyst_begins() -> None:
    begun = after_outcome(a_file(), Role.PM, triaged().model_copy(update={"analysis": FOUND}), attempt=1).analysis
    assert not begun.completed
    assert begun.brief.startswith("Add instead of subtract.")


def test_the_expected_result_of_a_defect_comes_first_in_must_do() -> None:
    whole = triaged().model_copy(update={"defect": PLACE, "analysis": FOUND})
    analysis = after_outcome(a_file(), Role.PM, whole, attempt=1).analysis
    assert analysis.must_do == ["It adds.", "Every price counts."]


def test_the_expected_result_of_a_defect_is_tested_if_no_other_test_is_described() -> None:
    found = FOUND.model_copy(update={"test_description": ""})
    whole = triaged().model_copy(update={"defect": PLACE, "analysis": found})
    analysis = after_outcome(a_file(), Role.PM, whole, attempt=1).analysis
    assert analysis.test_requirement is not None
    assert analysis.test_requirement.description == "It adds."


def test_the_defects_file_is_among_the_files_whether_or_not_they_name_it() -> None:
    for files in (FOUND.files, []):
        found = FOUND.model_copy(update={"files": files})
        whole = triaged().model_copy(update={"defect": PLACE, "analysis": found})
        assert [one.path for one in after_outcome(a_file(), Role.PM, whole, attempt=1).analysis.files] == ["cart.py"]


@pytest.mark.parametrize("missing", [{"files": []}, {"must_do": []}, {"test_description": ""}])
def test_an_analysis_without_a_defect_says_itself_what_to_do_and_to_test(missing: dict[str, object]) -> None:
    found = FOUND.model_copy(update=missing).model_dump()
    with pytest.raises(ValidationError, match="needs `files`, `must_do` and `test_description`"):
        TriageOutcome.model_validate({**triaged().model_dump(), "analysis": found}, context=HANDED_IN)


def test_other_work_without_a_counted_defect_or_instructions_is_analysed() -> None:
    nothing = FOUND.model_copy(update={"must_do": []})
    assert next_state(triaged(type=IssueType.NEW_FEATURE).model_copy(update={"analysis": nothing})) is (
        S.ANALYZING_REQUIREMENTS
    )


def test_an_analyst_who_begins_with_a_defect_is_told_what_is_expected_instead() -> None:
    larger = triaged().model_copy(update={"defect": PLACE, "analysis": FOUND, "scope": "MEDIUM"})
    begun = after_outcome(a_file(), Role.PM, larger, attempt=1).analysis
    assert begun.brief.startswith("`cart.py:3`: It subtracts.\n\nInstead: It adds.")
