"""Measures sizes: fields of records, lines of files, functions and wiring, parameters of constructors."""

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from scripts.house.classes import fields, is_dataclass, is_record, last_name, parameters, required_fields
from scripts.house.measure import Measure
from scripts.house.tree import Definition, Module, Tree

MOST_FIELDS: Final = 15
MOST_LINES_OF_A_FILE: Final = 300
MOST_LINES_OF_A_FUNCTION: Final = 60
MOST_PARAMETERS: Final = 5
MOST_LINES_OF_WIRING: Final = 120
SHOWN_FILES: Final = 10

SETTINGS: Final = {
    "Summary": "what programs read from `--json`: independent facts under flat names",
    "Policy": "the settings of one case: independent values that are read by name",
    "Settings": "the settings of the program: independent values that are read by name",
    "SurfaceSettings": "the settings of all surfaces, each in a class of its own",
}
"""Records that may have more fields, with the reason."""

Sized = tuple[int, str]


def measures(tree: Tree) -> Iterator[Measure]:
    yield from _large_records(tree)
    yield from _snapshots(tree)
    yield _long_files(tree)
    yield _long_functions(tree)
    yield _wide_constructors(tree)
    yield _wiring(tree)


def _counted(name: str, unit: str, over: Iterable[Sized], allowed: tuple[str, ...] = ()) -> Measure:
    """The number of items over a limit; the aim is none."""
    found = sorted(over, reverse=True)
    return Measure(
        name=name,
        now=len(found),
        aim=0,
        note=f"largest: {found[0][1]}, {found[0][0]}" if found else "",
        findings=tuple(f"{what}: {size} {unit}" for size, what in found),
        allowed=allowed,
    )


def _large_records(tree: Tree) -> Iterator[Measure]:
    core = f"{tree.package}.core"
    large = [
        (len(held), one)
        for one in tree.definitions()
        if is_record(tree, one) and len(held := fields(tree, one)) > MOST_FIELDS
    ]
    for where, is_here in (("core", True), ("the other packages", False)):
        here = [(size, one) for size, one in large if one.module.inside(core) is is_here]
        yield _counted(
            f"records with more than {MOST_FIELDS} fields in {where}",
            "fields",
            [(size, one.name) for size, one in here if not _is_setting(one)],
            tuple(f"{one.name}, {size} fields: {SETTINGS[one.node.name]}" for size, one in here if _is_setting(one)),
        )


def _is_setting(one: Definition) -> bool:
    return one.node.name in SETTINGS


def _snapshots(tree: Tree) -> Iterator[Measure]:
    """The snapshot of a kind of case is the record in core that has the case's own id."""
    found = [
        (one, held)
        for one in tree.definitions("core")
        if is_record(tree, one) and "id" in (held := fields(tree, one)) and last_name(held["id"]) == "CaseId"
    ]
    if not found:
        yield Measure(name="fields of a snapshot", now=None, aim=MOST_FIELDS, note="no record in core has `id: CaseId`")
    for one, held in found:
        yield Measure(name=f"fields of the snapshot {one.name}", now=len(held), aim=MOST_FIELDS)


def _long_files(tree: Tree) -> Measure:
    sized = sorted(((module.lines, tree.short(module)) for module in tree.modules.values()), reverse=True)
    over = [lines for lines, _ in sized if lines > MOST_LINES_OF_A_FILE]
    return Measure(
        name=f"source files over {MOST_LINES_OF_A_FILE} lines",
        now=len(over),
        aim=0,
        note=f"largest: {sized[0][1]}, {sized[0][0]}" if sized else "",
        findings=tuple(f"{path}: {lines} lines" for lines, path in sized[: max(SHOWN_FILES, len(over))]),
        shows_findings=True,
    )


def _long_functions(tree: Tree) -> Measure:
    lengths = ((_length(one), one.name) for one in tree.definitions() if not isinstance(one.node, ast.ClassDef))
    over = [(lines, name) for lines, name in lengths if lines > MOST_LINES_OF_A_FUNCTION]
    return _counted(f"functions over {MOST_LINES_OF_A_FUNCTION} lines", "lines", over)


def _length(one: Definition) -> int:
    return (one.node.end_lineno or one.node.lineno) - one.node.lineno + 1


def _wide_constructors(tree: Tree) -> Measure:
    taken = ((_taken(tree, one), one.name) for one in tree.definitions() if isinstance(one.node, ast.ClassDef))
    over = [(count, name) for count, name in taken if count > MOST_PARAMETERS]
    return _counted(f"constructors with more than {MOST_PARAMETERS} parameters", "parameters", over)


def _taken(tree: Tree, one: Definition) -> int:
    """How many parameters a constructor takes. A dataclass counts if it does work, that is, has async methods. Records
    have limits of their own, and a field with a default is the object's own state."""
    for statement in one.node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            return parameters(statement)
    works = any(isinstance(statement, ast.AsyncFunctionDef) for statement in one.node.body)
    return len(required_fields(tree, one)) if works and is_dataclass(one) else 0


def _wiring(tree: Tree) -> Measure:
    name = "lines of wiring"
    homes = [module for module in tree.modules.values() if module.last == "wiring"]
    if not homes:
        return Measure(name=name, now=None, aim=MOST_LINES_OF_WIRING, note="there is no module `wiring`")
    parts: list[Module] = [module for home in homes for module in tree.modules.values() if module.inside(home.name)]
    lines = sum(module.lines for module in parts)
    return Measure(name=name, now=lines, aim=MOST_LINES_OF_WIRING, note=", ".join(map(tree.short, parts)))
