"""The registry of kinds is complete and agrees with each kind's snapshot."""

import inspect
from enum import StrEnum
from importlib import import_module

import pytest

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId
from caseworker.core.kinds import KINDS, Kind
from caseworker.core.people.authority import MAY
from caseworker.core.people.messages import Audience, Standing
from caseworker.store.loaders import LOADERS


def test_every_kind_has_a_row_and_a_loader() -> None:
    assert set(KINDS) == set(CaseKind) == set(LOADERS)
    assert all(kind.name is name for name, kind in KINDS.items())
    assert len({kind.workflow for kind in KINDS.values()}) == len(KINDS)


def test_every_kind_has_a_part_of_the_authority_table() -> None:
    assert sorted(KINDS) == sorted(MAY)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_working_states_of_a_kind_are_states_of_its_snapshot(kind: Kind) -> None:
    states = kind.snapshot.model_fields["state"].annotation
    assert isinstance(states, type)
    assert issubclass(states, StrEnum)
    assert kind.working < {state.value for state in states}


@pytest.mark.parametrize("kind", CaseKind)
def test_the_transitions_of_every_kind_have_the_same_verbs(kind: CaseKind) -> None:
    transitions = import_module(f"caseworker.core.{kind}.transitions")
    for verb, asks in {
        "look": ["claimed", "policy", "now"],
        "after_silence": ["policy", "now"],
        "wake_at": ["policy"],
    }.items():
        _case, *others = inspect.signature(getattr(transitions, verb)).parameters.values()
        assert [one.name for one in others if one.default is inspect.Parameter.empty] == asks


@pytest.mark.parametrize(
    ("audience", "is_reporter", "standing"),
    [
        (Audience.DEVELOPERS, False, Standing.DEVELOPER),
        (Audience.REPORTER, True, Standing.REPORTER),
        (Audience.REPORTER, False, Standing.OTHER),
    ],
)
def test_the_standing_in_a_bugs_thread_follows_from_the_thread(
    audience: Audience, is_reporter: bool, standing: Standing
) -> None:
    assert KINDS[CaseKind.BUG].standing_in_thread(audience, is_reporter=is_reporter) is standing


def test_an_issue_case_has_no_reporter() -> None:
    issue = KINDS[CaseKind.ISSUE]
    assert issue.at_terminal == {Audience.DEVELOPERS: Standing.OWNER}
    assert issue.standing_in_thread(Audience.REPORTER, is_reporter=True) is Standing.OTHER


@pytest.mark.parametrize("name", ["bug-7F3K", "7f3k", "BUG-7f3k"])
def test_a_bug_is_found_with_or_without_its_prefix(name: str) -> None:
    assert KINDS[CaseKind.BUG].id_from(name) == "bug-7F3K"


@pytest.mark.parametrize(("name", "is_meant"), [("shop-3#1", True), ("#1", True), ("1", True), ("3#1", False)])
def test_an_issue_case_is_found_by_whole_parts_of_its_id(name: str, is_meant: bool) -> None:
    assert KINDS[CaseKind.ISSUE].is_called(CaseId("local/shop-3#1"), name) is is_meant
