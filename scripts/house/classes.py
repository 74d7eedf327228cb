"""Finds what a class of the tree inherits and holds: ancestors, whether it is a record, fields, constructor."""

import ast
from collections.abc import Iterator
from typing import Final

from scripts.house.tree import Definition, Tree

_RECORD_BASES: Final = {"BaseModel", "BaseSettings", "RootModel", "NamedTuple", "TypedDict"}
_ENUM_BASES: Final = {"Enum", "IntEnum", "StrEnum"}


def last_name(expression: ast.expr) -> str:
    """`workflow.defn(name="x")` and `defn` are both `defn`."""
    match expression:
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return last_name(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def ancestors(tree: Tree, start: Definition) -> Iterator[Definition]:
    """The class itself and every class of this tree that it inherits from, each once, nearest first."""
    waiting, seen = [start], set[ast.AST]()
    while waiting:
        here = waiting.pop(0)
        if here.node in seen or not isinstance(here.node, ast.ClassDef):
            continue
        seen.add(here.node)
        yield here
        found = [tree.find(here.module, base) for base in here.node.bases]
        waiting += [base for base in found if isinstance(base, Definition)]


def _inherits(tree: Tree, start: Definition, names: set[str]) -> bool:
    return any(
        last_name(base) in names
        for one in ancestors(tree, start)
        if isinstance(one.node, ast.ClassDef)
        for base in one.node.bases
    )


def is_enum(tree: Tree, one: Definition) -> bool:
    return _inherits(tree, one, _ENUM_BASES)


def is_dataclass(one: Definition) -> bool:
    return any(last_name(decorator) == "dataclass" for decorator in one.node.decorator_list)


def is_record(tree: Tree, one: Definition) -> bool:
    """A pydantic model, a dataclass, a named tuple or a typed dict."""
    return isinstance(one.node, ast.ClassDef) and (is_dataclass(one) or _inherits(tree, one, _RECORD_BASES))


def fields(tree: Tree, one: Definition) -> dict[str, ast.expr]:
    """Names and annotations, with the inherited ones."""
    return {name: field.annotation for name, field in _fields(tree, one).items()}


def required_fields(tree: Tree, one: Definition) -> set[str]:
    return {name for name, field in _fields(tree, one).items() if field.value is None}


def _fields(tree: Tree, one: Definition) -> dict[str, ast.AnnAssign]:
    return {
        statement.target.id: statement
        for owner in reversed(list(ancestors(tree, one)))
        for statement in owner.node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and last_name(statement.annotation) != "ClassVar"
    }


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The number of parameters of a method, without self."""
    taken = function.args
    named = len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)
    return named - 1 + bool(taken.vararg) + bool(taken.kwarg)
