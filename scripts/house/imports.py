"""Counts packages that import each other, at every level of the tree."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Final

import grimp

from scripts.house.measure import Measure
from scripts.house.tree import Tree

SPLIT_BY_SUBJECT: Final = ("core", "app", "activities")
"""Packages that consist of packages. While one is a flat list of modules, its measure has no number."""


def measures(tree: Tree) -> Iterator[Measure]:
    with _found_first(tree.root / "src"):
        graph = grimp.build_graph(tree.package, cache_dir=None)
    split = [f"{tree.package}.{part}" for part in SPLIT_BY_SUBJECT]
    for level in [tree.package, *split]:
        yield _level(graph, level)
    others = sorted(graph.modules - {tree.package, *split})
    pairs = tuple(pair for level in others for pair in _mutual(graph, level))
    yield Measure(name="mutual imports at all deeper levels", now=len(pairs), aim=0, findings=pairs)


def _level(graph: grimp.ImportGraph, level: str) -> Measure:
    name = f"mutual imports between the children of {level}"
    if level not in graph.modules:
        return Measure(name=name, now=None, aim=0, note="there is no such package")
    if not any(graph.find_children(child) for child in graph.find_children(level)):
        return Measure(name=name, now=None, aim=0, note="not split into packages yet")
    pairs = _mutual(graph, level)
    return Measure(name=name, now=len(pairs), aim=0, findings=pairs)


def _mutual(graph: grimp.ImportGraph, level: str) -> tuple[str, ...]:
    return tuple(
        f"{one} <> {other}"
        for one, other in combinations(sorted(graph.find_children(level)), 2)
        if graph.direct_import_exists(importer=one, imported=other, as_packages=True)
        and graph.direct_import_exists(importer=other, imported=one, as_packages=True)
    )


@contextmanager
def _found_first(folder: Path) -> Iterator[None]:
    """Put the folder first on Python's path, so that grimp doesn't measure an installed copy."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
