"""Measures the workflows: how many classes are above the common base, and how many lines they have."""

import ast
from collections.abc import Iterator
from typing import Final

from scripts.house.classes import ancestors, last_name
from scripts.house.measure import Measure
from scripts.house.tree import Definition, Module, Tree

MOST_LEVELS: Final = 1
MOST_LINES: Final = 300


def measures(tree: Tree) -> Iterator[Measure]:
    flows = [one for one in tree.definitions("flows") if _is_workflow(one.node)]
    if not flows:
        yield Measure(name="workflows", now=None, aim=MOST_LEVELS, note="no class in flows has @workflow.defn")
    for flow in flows:
        yield from _of_flow(tree, flow)


def _is_workflow(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(last_name(one) == "defn" for one in node.decorator_list)


def _of_flow(tree: Tree, flow: Definition) -> Iterator[Measure]:
    base = f"{tree.package}.flows.base"
    own = [one for one in ancestors(tree, flow) if not one.module.inside(base)]
    modules: list[Module] = list(dict.fromkeys(one.module for one in own))
    yield Measure(
        name=f"levels of {flow.node.name} above the base",
        now=_levels(tree, flow, base),
        aim=MOST_LEVELS,
        note=" > ".join(one.node.name for one in own),
    )
    yield Measure(
        name=f"lines of {flow.node.name} without the base",
        now=sum(module.lines for module in modules),
        aim=MOST_LINES,
        note=", ".join(f"{tree.short(module)} {module.lines}" for module in modules),
    )


def _levels(tree: Tree, flow: Definition, base: str) -> int:
    """The longest way from the workflow down to the base class, or to a class with no base of ours."""
    assert isinstance(flow.node, ast.ClassDef)
    below = [tree.find(flow.module, one) for one in flow.node.bases]
    ours = [one for one in below if isinstance(one, Definition) and not one.module.inside(base)]
    return 1 + max((_levels(tree, one, base) for one in ours), default=0)
