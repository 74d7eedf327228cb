"""The counts of gerunds and of repeated names of modules."""

from pathlib import Path

import pytest
from scripts.house import names

from tests.house.small_tree import measured, plant


@pytest.mark.parametrize(
    ("module", "expected"),
    [("hearing", True), ("turn_taking", True), ("routing", False), ("wiring", False), ("taking_turns", False)],
)
def test_a_gerund_ends_in_ing_and_is_no_noun(module: str, expected: bool) -> None:
    assert names.is_gerund(module) is expected


def test_gerunds_are_listed_and_packages_count(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"core/knowing.py": "", "core/hearing/words.py": ""})
    found = measured(names.measures, tree, "modules named by gerunds")
    assert found.findings == ("core/hearing/__init__.py", "core/knowing.py")


def test_a_name_that_occurs_twice_is_listed_unless_it_is_allowed(tmp_path: Path) -> None:
    twice = {f"{folder}/{name}.py": "" for folder in ("agents", "forges") for name in ("poll", "slack")}
    found = measured(names.measures, plant(tmp_path, twice), "module names that occur twice")
    assert (found.now, found.findings) == (1, ("poll: agents/poll.py, forges/poll.py",))
    assert found.allowed == ("slack: a surface: its part in each layer (agents/slack.py, forges/slack.py)",)


def test_the_same_module_for_each_kind_of_case_is_one_name(tmp_path: Path) -> None:
    same = {"core/bug/decide.py": "", "core/issue/decide.py": ""}
    assert measured(names.measures, plant(tmp_path / "same", same), "module names").now == 0
    apart = {"core/bug/decide.py": "", "activities/issue/decide.py": ""}
    found = measured(names.measures, plant(tmp_path / "apart", apart), "module names")
    assert found.findings == ("decide: activities/issue/decide.py, core/bug/decide.py",)
