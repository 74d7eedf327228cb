"""Counts places that `docs/documents.md` names and that do not exist: files, and tests in them.

A place stands in backquotes. `core/bug/transitions.py` begins at the package or at the repository;
`tests/core/bug/test_decide.py::test_takeover_and_hand_back` names a test. Other words in backquotes are ignored.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from scripts.house.measure import Measure
from scripts.house.tree import Tree

PAGE: Final = "docs/documents.md"
_PLACE: Final = re.compile(r"`(?P<path>[\w./-]+\.(?:py|md|json|yaml|toml))(?:::(?P<test>\w+))?`")


def measures(tree: Tree) -> Iterator[Measure]:
    page = tree.root / PAGE
    found = list(_PLACE.finditer(page.read_text())) if page.exists() else []
    missing = tuple(dict.fromkeys(one[0].strip("`") for one in found if not _exists(tree, one["path"], one["test"])))
    note = f"of {len(found)}" if page.exists() else f"there is no {PAGE}"
    yield Measure(name=f"places in {PAGE} that do not exist", now=len(missing), aim=0, note=note, findings=missing)


def _exists(tree: Tree, path: str, test: str | None) -> bool:
    homes = (tree.root / path, tree.root / "docs" / path, tree.root / "src" / tree.package / path)
    home = next((home for home in homes if home.is_file()), None)
    return home is not None and (test is None or test in _functions(home))


@cache
def _functions(file: Path) -> frozenset[str]:
    body = ast.walk(ast.parse(file.read_text()))
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
