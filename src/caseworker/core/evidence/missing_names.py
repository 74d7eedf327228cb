"""Finds the name that a failed test lacked: a function, class, module or parameter that is not there (yet).

Only a new feature may be proven red that way, and only by a name that the change then provides.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.evidence.test_places import is_in_a_test_place

_BUILT_IN: Final = frozenset(
    {"NoneType", "int", "str", "float", "bool", "bytes", "list", "tuple", "dict", "set", "function", "generator"}
)
"""An attribute that one of these lacks is a wrong value, not a missing name."""
_BY_PARAMETERS: Final = (
    r"TypeError: [^\n]{1,200}\) got an unexpected keyword argument '(?P<name>\w+)'",
    r"TypeError: (?:\w+\.){0,8}(?P<name>\w+)\(\) takes (?:from \d+ to )?\d+ positional arguments? but",
    r"(?:too many|not enough) arguments in call to (?:\w+\.){0,8}(?P<name>\w+)",
    r"\b(?:method|constructor) (?P<name>\w+) in [^\n]{1,200} cannot be applied to given types",
    r"error: too (?:many|few) arguments to function ['\u2018](?:[^'(\n]{0,100}[ *&:])?(?P<name>\w+)[('\u2019]",
)
"""Errors of a test that passes arguments which a function does not accept yet. The name is the function's, or the
parameter's where the error gives it."""
_OF_RUBY: Final = (
    r"undefined (?:local variable or )?method [`'](?P<name>\w+)[?!=]?' for "
    r"(?!nil|true|false|[\d\"'\[{:]|an instance of (?:Integer|Float|String|Symbol|Array|Hash)\b)",
    # Its innermost place is in the function that is called: the next one calls it.
    r"unknown keywords?: :(?P<name>\w+)[^\n]{0,200}(?:\n[^\n]{0,300}\.rb:\d+:in [^\n]{1,200})?",
)
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"ImportError: cannot import name ['\"](?P<name>\w+)['\"]",
        r"ModuleNotFoundError: No module named ['\"](?P<name>[\w.]+)['\"]",
        r"NameError: name ['\"](?P<name>\w+)['\"] is not defined",
        r"AttributeError: (?:partially initialized )?module ['\"][\w.]+['\"] has no attribute ['\"](?P<name>\w+)['\"]",
        r"AttributeError: type object ['\"]\w+['\"] has no attribute ['\"](?P<name>\w+)['\"]",
        r"AttributeError: ['\"](?P<of>\w+)['\"] object has no attribute ['\"](?P<name>\w+)['\"]",
        r"ReferenceError: (?P<name>[\w$]+) is not defined",
        r"TypeError: (?:[^\n]{0,200}[.) ])?(?P<name>[\w$]+)\)? is not a (?:function|constructor)",
        r"Cannot find module ['\"](?P<name>[^'\"\n]{1,200})['\"]",
        r"\bundefined: (?:\w+\.)?(?P<name>\w+)",
        r"cannot find (?:function|type|value|macro|struct|trait)[^\n`]{0,60}`(?P<name>\w+)`",
        r"no (?:method|function or associated item|field)[^\n`]{0,40} ?`(?P<name>\w+)` (?:found|on type)",
        r"unresolved import `(?:\w+::)*(?P<name>\w+)`",
        r"symbol:\s+(?:class|method|variable) (?P<name>\w+)",
        *_BY_PARAMETERS,
        *_OF_RUBY,
        r"error TS\d{1,5}: Property '(?P<name>\w+)' does not exist on type",
        r"error TS\d{1,5}: [^\n]{1,200} has no exported member '(?P<name>\w+)'",
        r"unknown field (?P<name>\w+) in struct",
    )
)
_PLACE: Final = re.compile(
    r'(?:^|\s)(?:File "(?P<quoted>[^"\n]{1,300})", line \d+|(?P<plain>[\w./-]{1,300}\.py):\d+: )'
)

_SCRIPT_PLACE: Final = re.compile(r"\bat [^\n]{0,200}?(?P<path>[\w@./-]{1,300}\.[cm]?[jt]sx?):\d+:\d+")
_RUBY_PLACE: Final = re.compile(r"(?P<path>[\w@./-]{1,300}\.rb):\d+:in ")


def missing_name(detail: str) -> str:
    """The name that was missing where the test itself used it. Empty: it failed for another reason."""
    found = [match for pattern in _PATTERNS if (match := _last(pattern, detail)) is not None]
    if not found:
        return ""
    last = max(found, key=lambda match: match.start())
    if last.groupdict().get("of") in _BUILT_IN or not _raised_in_a_test(detail, last):
        return ""
    return last["name"]


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    match = None
    for match in pattern.finditer(text):  # noqa: B007 - the last one counts
        pass
    return match


def _raised_in_a_test(detail: str, error: re.Match[str]) -> bool:
    """Whether the innermost place that is named is in a test. True if no place is named. Scripts and Ruby name the
    innermost place first, Ruby also ahead of its error. Python names it last."""
    line, end = detail.rfind("\n", 0, error.start()) + 1, error.end()
    first = (
        _RUBY_PLACE.search(detail, line, error.start()),
        _SCRIPT_PLACE.search(detail, end),
        _RUBY_PLACE.search(detail, end),
    )
    if (place := next(filter(None, first), None)) is not None:
        return is_in_a_test_place(place["path"].lstrip("/"))
    places = [found["quoted"] or found["plain"] for found in _PLACE.finditer(detail[: end + 400])]
    return not places or is_in_a_test_place(places[-1].lstrip("/"))


def provides(name: str, added: Mapping[str, str]) -> bool:
    """Whether the change adds this name outside of tests. `added`: the added lines of each changed file, by path."""
    word = re.compile(rf"(?<!\w){re.escape(name.rpartition('.')[2].rpartition('/')[2])}(?!\w)")
    others = {path: lines for path, lines in added.items() if not is_in_a_test_place(path)}
    return any(word.search(lines) or _is_module(path, name) for path, lines in others.items())


def _is_module(path: str, name: str) -> bool:
    parts = PurePosixPath(path).with_suffix("").parts
    wanted = tuple(part for part in re.split(r"[./]", name) if part)
    return bool(wanted) and (parts[-len(wanted) :] == wanted or parts[-len(wanted) - 1 : -1] == wanted)
