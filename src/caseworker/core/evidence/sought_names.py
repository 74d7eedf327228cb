"""Finds tests that ask whether a name is there which the change adds, instead of using it.

A bug's test may not be red by a missing name. One that asks with `hasattr` fails without naming it, and is green as
soon as the name is there, whatever the code does.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.line_sentences import line_sentence
from caseworker.core.evidence.renamed_subjects import renamed_subjects
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.evidence.unified_diff import DiffLine, FileDiff

_LINE: Final = 400
_ASSIGNED: Final = re.compile(
    r"^\s{0,40}(?:(?:self|this|exports|module\.exports)\.|@{1,2})?(\w{2,80})(?::[^=\n]{1,80})?\s{0,4}=[^=]"
)
_ASKS_FOR: Final = (
    re.compile(r"\b(?:has|get)attr\(\s{0,4}[\w.()]{1,80},\s{0,4}[\"'](\w{2,80})[\"']"),
    re.compile(r"[\"'](\w{2,80})[\"']\s{1,4}(?:not\s{1,4})?in\s{1,4}(?:dir\(|vars\(|[\w.]{1,80}\.__dict__)"),
    re.compile(r"(?:\bvars\([\w.]{0,80}\)|\.__dict__)(?:\.get\(|\[)\s{0,4}[\"'](\w{2,80})[\"']"),
    re.compile(r"\.toHaveProperty\(\s{0,4}[\"'](\w{2,80})[\"']\s{0,4}\)|\btypeof\s{1,4}[\w.]{1,80}\.(\w{2,80})"),
    re.compile(r"\bexpect\([\w.]{1,80}\.(\w{2,80})\)\.(?:toBe(?:Defined|Truthy)\(|to\.(?:exist|be\.ok)\b)"),
    re.compile(r"\brespond_to\??\(?\s{0,4}:(\w{2,80})|\b(?:method|const)_defined\?\(?\s{0,4}:(\w{2,80})"),
)


def seeking_names(files: Sequence[FileDiff]) -> dict[str, list[str]]:
    """By path, a sentence for the first line of a test that asks for a name which the change adds."""
    added = renamed_subjects(files).added | _assigned(files)
    tests = [file for file in files if is_in_a_test_place(file.path) and not file.deleted and not file.binary]
    found = ((test, next(_seeking(test, added), None)) for test in tests)
    return {test.path: [_sentence(test, line)] for test, line in found if line is not None}


def _assigned(files: Sequence[FileDiff]) -> frozenset[str]:
    """Names that have a value after the change, and had none in the same lines before."""
    lines = [line for file in files if not is_in_a_test_place(file.path) and not file.binary for line in file.lines()]
    names = [(line.kind, found[1]) for line in lines if (found := _ASSIGNED.match(line.text[:_LINE]))]
    known = {name for kind, name in names if kind != "added"}
    return frozenset(name for _, name in names if name not in known)


def _seeking(test: FileDiff, names: frozenset[str]) -> Iterator[DiffLine]:
    for line in test.lines():
        found = (pattern.search(line.text[:_LINE]) for pattern in _ASKS_FOR) if line.kind == "added" else ()
        if any(one is not None and not names.isdisjoint(one.groups()) for one in found):
            yield line


def _sentence(test: FileDiff, line: DiffLine) -> str:
    does = "asks for a name that the change adds, instead of using it"
    return line_sentence(test.path, line.number, does, line.text)
