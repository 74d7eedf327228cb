"""The page about the states is generated from the table, and is current."""

from pathlib import Path

import pytest
from scripts.pages.states import GUARDS, RENEW, states_page

from caseworker.core.base.errors import Defect
from caseworker.core.base.policy import Policy
from caseworker.core.issue.moves import Move, make_move
from caseworker.core.issue.proof import may_be_delivered
from caseworker.core.issue.states import IssueState, own_edges
from tests.core.examples import BASE, MORNING, OTHER, a_proven_case

PAGE = Path(__file__).parents[3] / "docs" / "states.md"
S = IssueState


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == states_page(), f"Renew it: {RENEW}"


def test_the_page_says_how_to_renew_it() -> None:
    assert RENEW in states_page()


@pytest.mark.parametrize("state", IssueState)
def test_every_edge_of_the_table_is_on_the_page(state: IssueState) -> None:
    drawn = states_page().split("## Every edge")[1].split("```")[1]
    if state is S.HUMAN_INPUT_RECEIVED:
        assert f"{state} --> any_working_state" in drawn
    else:
        assert {after for after in IssueState if f"    {state} --> {after}\n" in drawn} == own_edges(state)


@pytest.mark.parametrize(
    ("number", "missing"),
    [
        (0, {"base": "c" * 40}),
        (1, {"green": BASE}),
        (1, {"green": None}),
        (2, {"approved": OTHER}),
        (2, {"approved": None}),
        (3, {"proved": None}),
        (4, {"weakened": ("`test_a` was removed from `test_x.py`.",)}),
    ],
)
def test_no_pull_request_if_one_thing_that_the_page_names_is_missing(number: int, missing: dict[str, object]) -> None:
    case = a_proven_case(S.REVIEWING_CODE, **missing)
    assert may_be_delivered(a_proven_case())
    with pytest.raises(Defect):
        make_move(case, Move(to=S.CREATING_PR, reason=f"without: {GUARDS[number]}"), Policy(), MORNING)
