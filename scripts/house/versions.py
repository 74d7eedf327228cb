"""Counts leftovers of earlier versions: patch markers, names of old rules, migrations, committed histories."""

import ast
from collections.abc import Callable, Iterator
from typing import Final

from scripts.house.classes import last_name
from scripts.house.measure import Measure
from scripts.house.tree import Module, Tree

PATCH_MARKERS: Final = {"patched", "deprecate_patch"}
OLD_NAMES: Final = (
    "first_rules",
    "new_rules",
    "old_rules",
    "at_first",
    "as_before",
    "first_turn_of",
    "every_word",
    "legacy",
    "backward",
)
"""A name that contains one of these, in any case, tells versions of the rules apart."""
MIGRATIONS: Final = 1
MOST_HISTORIES: Final = 25

Place = tuple[int, str]
"""Line and name."""


def measures(tree: Tree) -> Iterator[Measure]:
    yield _places(tree, "patch markers in workflows", _patches)
    yield _places(tree, "names of earlier versions' rules", _old_names)
    migrations = [
        module
        for module in tree.modules.values()
        if module.path.parent.name == "versions" and "migrations" in module.path.parts and not module.is_package
    ]
    yield Measure(
        name="migrations",
        now=len(migrations),
        aim=MIGRATIONS,
        at_least=MIGRATIONS,
        findings=tuple(map(tree.short, migrations)),
    )
    histories = [
        path
        for folder in (tree.root / "tests").rglob("histories")
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    ]
    yield Measure(name="committed histories", now=len(histories), aim=MOST_HISTORIES, at_least=1)


def _places(tree: Tree, name: str, find: Callable[[Module], Iterator[Place]]) -> Measure:
    found = sorted(
        {(tree.short(module), line, what) for module in tree.modules.values() for line, what in find(module)}
    )
    return Measure(
        name=name, now=len(found), aim=0, findings=tuple(f"{path}:{line} {what}" for path, line, what in found)
    )


def _patches(module: Module) -> Iterator[Place]:
    for node in module.nodes:
        if isinstance(node, ast.Call) and last_name(node.func) in PATCH_MARKERS:
            yield node.lineno, last_name(node.func)


def _old_names(module: Module) -> Iterator[Place]:
    if _is_old(module.last):
        yield 1, module.last
    for node in module.nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                pass
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                pass
            case ast.ImportFrom(module=str() as source):
                name = source.rpartition(".")[2]
            case _:
                continue
        if _is_old(name):
            yield node.lineno, name


def _is_old(name: str) -> bool:
    return any(part in name.lower() for part in OLD_NAMES)
