"""The measures of flows, on small planted flows."""

from pathlib import Path

from scripts.house import flows
from scripts.house.measure import Measure
from scripts.house.tree import Tree

from tests.house.small_tree import measured, plant

BASE = {"flows/base.py": "class CaseFlow(Generic[S]):\n    pass\n" + "\n" * 98}
STEPS = """\
with workflow.unsafe.imports_passed_through():
    from tiny.flows.base import CaseFlow
class Steps(CaseFlow[Case]):
    pass
"""
ON_THE_BASE = """\
from tiny.flows.base import CaseFlow
@workflow.defn(name='issue')
class IssueWorkflow(CaseFlow[Case]):
    pass
"""


def _of(tree: Tree) -> tuple[Measure, Measure]:
    return (
        measured(flows.measures, tree, "levels of IssueWorkflow"),
        measured(flows.measures, tree, "lines of IssueWorkflow"),
    )


def test_a_flow_on_the_base_has_one_level_and_only_its_own_lines(tmp_path: Path) -> None:
    levels, lines = _of(plant(tmp_path, {**BASE, "flows/issue.py": ON_THE_BASE}))
    assert (levels.now, levels.met, lines.now, lines.met) == (1, True, 4, True)


def test_a_class_between_flow_and_base_is_a_level_and_its_module_counts(tmp_path: Path) -> None:
    text = "from .steps import Steps\n@workflow.defn\nclass IssueWorkflow(Steps):\n    pass\n" + "\n" * 293
    tree = plant(tmp_path, {**BASE, "flows/issue/flow.py": text, "flows/issue/steps.py": STEPS})
    levels, lines = _of(tree)
    assert (levels.now, levels.met, levels.note) == (2, False, "IssueWorkflow > Steps")
    assert (lines.now, lines.met) == (301, False)


def test_two_mixins_side_by_side_are_one_level(tmp_path: Path) -> None:
    text = "class One: ...\nclass Two: ...\n@workflow.defn\nclass IssueWorkflow(One, Two): ...\n"
    assert _of(plant(tmp_path, {"flows/issue.py": text}))[0].now == 2


def test_a_tree_without_workflows_misses_the_aim(tmp_path: Path) -> None:
    assert not measured(flows.measures, plant(tmp_path, {"flows/issue.py": "class Flow: ...\n"}), "workflows").met
