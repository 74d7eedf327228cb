"""Lists every regular expression in the source, and makes texts that are hard for each."""

import ast
import importlib
import itertools
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]  # the parser of `re` has no public name
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType

import caseworker

_LEFT_OUT = ("github_double", ".demos.", "migrations")
"""The double of GitHub and the demos read only what we wrote."""
_ANCHORED = frozenset({"match", "fullmatch"})
_FUNCTIONS = frozenset({"sub", "search", "match", "findall", "split", "fullmatch", "finditer", "subn"})
_PHRASES = (
    "_NEVER_MIND",
    "_CLOSE",
    "_TAKEOVER",
    "_HAND_BACK",
    "_RETRY",
    "_RETRY_BUG",
    "_DROP",
    "_STOP",
    "_RESUME",
    "_GO_ON",
    "_ABORT",
    "_REBASE",
)
_WHOLE = (*_PHRASES, "_ISSUE_COMMANDS", "_PULL_COMMANDS", "_PATH_PATTERNS")
_TABLES = dict.fromkeys(_WHOLE, "fullmatch") | dict.fromkeys(
    ("START", "HELPER", "MARKED_AS_TEST", "CLASS", "NAMED_LATER"), "match"
)
"""How patterns are called that are passed on, or read from a table."""
_ALWAYS = (" ", "\n", "\t", "a", "7", "`", "<", "\\")


@dataclass
class Expression:
    pattern: re.Pattern[str] | re.Pattern[bytes]
    names: list[str] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)

    def run(self, text: str) -> None:
        subject = text.encode("latin-1", "replace") if isinstance(self.pattern.pattern, bytes) else text
        if self.calls and self.calls <= _ANCHORED:
            (self.pattern.fullmatch if "fullmatch" in self.calls else self.pattern.match)(subject)  # type: ignore[arg-type]
        else:
            for _ in self.pattern.finditer(subject):  # type: ignore[arg-type]
                pass


def expressions() -> list[Expression]:
    found: dict[tuple[object, int], Expression] = {}
    calls: dict[str, set[str]] = {}
    for module in _modules():
        for name, value in vars(module).items():
            for pattern in [] if name.startswith("__") else _patterns_in(value):
                _add(found, pattern, f"{module.__name__}.{name}")
        _read_calls(module.__name__, Path(str(module.__file__)), found, calls)
    for expression in found.values():
        called = [calls.get(name, {_TABLES.get(name.rpartition(".")[2], "search")}) for name in expression.names]
        expression.calls |= set().union(*called)
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages(caseworker.__path__, "caseworker."):
        if not any(part in f"{module.name}." for part in _LEFT_OUT):
            yield importlib.import_module(module.name)


def _add(found: dict[tuple[object, int], Expression], pattern: re.Pattern[str], name: str) -> None:
    found.setdefault((pattern.pattern, pattern.flags), Expression(pattern)).names.append(name)


def _patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, dict | tuple | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(part, depth + 1)


def _read_calls(
    module: str, file: Path, found: dict[tuple[object, int], Expression], calls: dict[str, set[str]]
) -> None:
    """Which functions of a named pattern are called; and the patterns that are written where they are used."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of, function = node.func.value, node.func.attr
        if not isinstance(of, ast.Name) or function not in _FUNCTIONS:
            continue
        first = node.args[0] if node.args else None
        if of.id != "re":
            calls.setdefault(f"{module}.{of.id}", set()).add(function)
        elif isinstance(first, ast.Constant) and isinstance(first.value, str):
            name = f"{module} line {node.lineno}"
            _add(found, re.compile(first.value, _flags_in(node)), name)
            calls.setdefault(name, set()).add(function)


def _flags_in(call: ast.Call) -> int:
    named = [part.attr for part in ast.walk(call) if isinstance(part, ast.Attribute) and part.attr.isupper()]
    return sum(getattr(re, name) for name in named)


def hard_texts(expression: Expression) -> Iterator[tuple[str, str]]:
    """(beginning, what is repeated): its own letters and words, alone, in pairs, and after each other."""
    letters, words = _alphabet(expression.pattern)
    letters = list(dict.fromkeys([*letters[:12], *_ALWAYS]))
    units = [*letters, *words[:8]]
    yield from (("", unit) for unit in units)
    yield from (("", one + other) for one, other in itertools.permutations(letters[:10], 2))
    yield from (("", word + gap) for word in words[:6] for gap in (" ", "\n", "-"))
    yield from itertools.product(units, _ALWAYS)


def _alphabet(pattern: re.Pattern[str] | re.Pattern[bytes]) -> tuple[list[str], list[str]]:
    source = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    letters: dict[str, None] = {}
    words: dict[str, None] = {}
    _collect(parser.parse(source, pattern.flags), letters, words)
    return list(letters), [word for word in words if len(word) > 1]


def _collect(parsed: object, letters: dict[str, None], words: dict[str, None]) -> None:
    word = ""
    for kind, value in parsed:  # type: ignore[attr-defined]
        if kind is kinds.LITERAL:
            letters[chr(value)] = None
            word += chr(value)
            continue
        words[word], word = None, ""
        if kind is kinds.IN:
            for part, what in value:
                if part in (kinds.LITERAL, kinds.RANGE):
                    letters[chr(what if part is kinds.LITERAL else what[0])] = None
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                _collect(branch, letters, words)
        elif kind is kinds.SUBPATTERN:
            _collect(value[3], letters, words)
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            _collect(value[2], letters, words)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            _collect(value[1], letters, words)
    words[word] = None
