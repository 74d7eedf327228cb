"""Updates of snapshots: a field is named without its part, and takes only what fits it."""

import pytest

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import Sha
from caseworker.core.issue.states import IssueState
from tests.core.examples import a_case


def test_fields_of_several_parts_are_set_by_their_names() -> None:
    after = a_case().updated(state=IssueState.IMPLEMENTING, turns=7, branch="agent/issue-7", taken_by="ann")
    assert (after.state, after.progress.turns) == (IssueState.IMPLEMENTING, 7)
    assert (after.delivery.branch, after.people.taken_by) == ("agent/issue-7", "ann")


@pytest.mark.parametrize("change", [{"extra_micros": "much"}, {"turns": None}, {"branch": 7}, {"state": "tired"}])
def test_a_value_that_does_not_fit_its_field_is_a_defect(change: dict[str, object]) -> None:
    with pytest.raises(Defect, match=next(iter(change))):
        a_case().updated(**change)


def test_an_unknown_field_is_a_defect() -> None:
    with pytest.raises(Defect, match="has no field mood"):
        a_case().updated(mood=Sha("good"))
