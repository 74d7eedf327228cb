"""Parses the source tree, and finds where a name used in one module is defined."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

Node = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_MOST_STEPS: Final = 20
"""At most so many imports and aliases are followed from a name to its definition, so that a circle ends."""


@dataclass(frozen=True)
class Imported:
    """What an import statement binds a name to: a module, or something in it."""

    module: str
    name: str | None = None


Binding = Node | Imported | ast.expr


@dataclass(frozen=True, eq=False)
class Module:
    name: str
    """Dotted, with the package: `caseworker.core.case`."""
    path: Path
    body: ast.Module
    lines: int

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    def inside(self, package: str) -> bool:
        return self.name == package or self.name.startswith(f"{package}.")

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of its syntax tree, which most measures look through."""
        return tuple(ast.walk(self.body))

    @cached_property
    def definitions(self) -> tuple[Node, ...]:
        """Every class and function, also nested ones and methods."""
        return tuple(node for node in self.nodes if isinstance(node, Node))

    @cached_property
    def bindings(self) -> dict[str, Binding]:
        return dict(self._bindings(self.body.body))

    def _bindings(self, statements: Iterable[ast.stmt]) -> Iterator[tuple[str, Binding]]:
        for statement in statements:
            match statement:
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield statement.name, statement
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield name, value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    yield name, value
                case ast.Import(names=names):
                    for alias in names:
                        yield (
                            alias.asname or alias.name.partition(".")[0],
                            Imported(alias.name if alias.asname else alias.name.partition(".")[0]),
                        )
                case ast.ImportFrom(names=names):
                    source = self._source(statement)
                    for alias in names:
                        yield alias.asname or alias.name, Imported(source, alias.name)
                case ast.With(body=body) | ast.If(body=body) | ast.Try(body=body):
                    yield from self._bindings(body)
                case _:
                    pass

    def _source(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        up = statement.level - (1 if self.is_package else 0)
        parts = self.name.split(".")
        parents = parts[: len(parts) - up]
        return ".".join([*parents, statement.module] if statement.module else parents)


@dataclass(frozen=True)
class Definition:
    """A class or function, and the module that it is written in."""

    module: Module
    node: Node

    @property
    def name(self) -> str:
        return f"{self.module.name.partition('.')[2]}.{self.node.name}"


@dataclass(frozen=True, eq=False)
class Tree:
    root: Path
    """The repository's folder: holds src, tests and docs."""
    package: str
    modules: dict[str, Module]

    def inside(self, part: str) -> list[Module]:
        """All modules of one part of the package, such as `core`."""
        return [module for module in self.modules.values() if module.inside(f"{self.package}.{part}")]

    def definitions(self, part: str = "") -> Iterator[Definition]:
        """Every class and function, also nested ones and methods."""
        for module in self.inside(part) if part else self.modules.values():
            for node in module.definitions:
                yield Definition(module, node)

    def short(self, module: Module) -> str:
        return module.path.relative_to(self.root / "src" / self.package).as_posix()

    def find(self, module: Module, expression: ast.expr, way: int = 0) -> Definition | Module | None:
        """What an expression such as `Case`, `case.Case` or `Case[int]` names; None for what is not in this tree."""
        match expression:
            case ast.Subscript(value=value):
                return self.find(module, value, way + 1)
            case ast.Name(id=name):
                return self._named(module, name, way + 1)
            case ast.Attribute(value=value, attr=name):
                holder = self.find(module, value, way + 1)
                return self._named(holder, name, way + 1) if isinstance(holder, Module) else None
            case _:
                return None

    def _named(self, module: Module, name: str, way: int) -> Definition | Module | None:
        if way > _MOST_STEPS:
            return None
        match module.bindings.get(name):
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() as node:
                return Definition(module, node)
            case Imported(source, None):
                return self.modules.get(source)
            case Imported(source, str() as imported):
                owner = self.modules.get(source)
                return owner and (self._named(owner, imported, way + 1) or self.modules.get(f"{source}.{imported}"))
            case ast.expr() as value:
                return self.find(module, value, way + 1)
            case _:
                return self.modules.get(f"{module.name}.{name}")


def read_tree(root: Path, package: str) -> Tree:
    """Parse src without what mypy is told to leave out, such as the demos' sample projects."""
    source, left_out = root / "src", _left_out(root)
    modules = {}
    for path in sorted((source / package).rglob("*.py")):
        if any(pattern.search(path.relative_to(root).as_posix()) for pattern in left_out):
            continue
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text()
        modules[name] = Module(name, path, ast.parse(text, filename=str(path)), len(text.splitlines()))
    return Tree(root, package, modules)


def _left_out(root: Path) -> list[re.Pattern[str]]:
    file = root / "pyproject.toml"
    settings = tomllib.loads(file.read_text()) if file.exists() else {}
    patterns = settings.get("tool", {}).get("mypy", {}).get("exclude", [])
    return [re.compile(pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns)]
