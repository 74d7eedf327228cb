"""Counts rules that are written more than once: tables keyed by state, and text that is parsed again on its way."""

import ast
from collections.abc import Iterator
from typing import Final

from scripts.house.classes import is_enum
from scripts.house.measure import Measure
from scripts.house.tree import Definition, Module, Tree

FEWEST_KEYS: Final = 8
"""A smaller dict is an exception for some states, not a table of them."""

PARSERS: Final = ("parse", "asks_for_something", "micros_of")
"""Functions that parse what a person wrote into a command or a part of one. Keep this list up to date."""


def measures(tree: Tree) -> Iterator[Measure]:
    yield from _state_tables(tree)
    yield _parses(tree)


def _state_tables(tree: Tree) -> Iterator[Measure]:
    """One measure per enum of states in core."""
    tables: dict[str, list[str]] = {
        one.name: []
        for one in tree.definitions("core")
        if one.node.name.endswith("State") and is_enum(tree, one) and len(one.node.body) >= FEWEST_KEYS
    }
    if not tables:
        yield Measure(name="tables keyed by state", now=None, aim=1, note="no enum of states in core")
    for module in tree.inside("core"):
        for name, table in _dicts(module):
            keys = [_enum_of(tree, module, key) for key in table.keys if key is not None]
            for enum, found in tables.items():
                if keys.count(enum) >= FEWEST_KEYS:
                    found.append(f"{tree.short(module)}:{table.lineno} {name}, {keys.count(enum)} states")
    for enum, found in tables.items():
        yield Measure(name=f"tables keyed by {enum}", now=len(found), aim=1, findings=tuple(found))


def _dicts(module: Module) -> Iterator[tuple[str, ast.Dict]]:
    """The dict literals in module-level assignments, also inside a call, with the name that is assigned."""
    for statement in module.body.body:
        match statement:
            case ast.Assign(targets=[target], value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pass
            case _:
                continue
        yield from ((ast.unparse(target), node) for node in ast.walk(value) if isinstance(node, ast.Dict))


def _enum_of(tree: Tree, module: Module, key: ast.expr) -> str | None:
    if not isinstance(key, ast.Attribute):
        return None
    found = tree.find(module, key.value)
    return found.name if isinstance(found, Definition) else None


def _parses(tree: Tree) -> Measure:
    """Counts calls of parsers from modules that define none."""
    name = "calls that parse text into commands"
    parsers = [one for one in tree.definitions() if one.node.name in PARSERS and _is_in_module(one)]
    if not parsers:
        return Measure(name=name, now=None, aim=1, note="none of PARSERS exists: correct the list in the script")
    homes = {one.module for one in parsers}
    calls = tuple(
        f"{tree.short(module)}:{line} {parser}"
        for module in tree.modules.values()
        if module not in homes
        for line, parser in _calls(tree, module, parsers)
    )
    gone = [parser for parser in PARSERS if parser not in {one.node.name for one in parsers}]
    note = f"gone, correct the list in the script: {', '.join(gone)}" if gone else ""
    return Measure(name=name, now=len(calls), aim=1, note=note, findings=calls)


def _is_in_module(one: Definition) -> bool:
    return one.node in one.module.body.body and not isinstance(one.node, ast.ClassDef)


def _calls(tree: Tree, module: Module, parsers: list[Definition]) -> Iterator[tuple[int, str]]:
    for node in module.nodes:
        if isinstance(node, ast.Call) and (called := tree.find(module, node.func)) in parsers:
            assert isinstance(called, Definition)
            yield node.lineno, called.node.name
