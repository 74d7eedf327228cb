"""Finds names that a change replaced in the code, so that a test which follows them is known as the same test."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.evidence.test_files import ReadTest
from caseworker.core.evidence.test_places import is_in_a_test_place
from caseworker.core.evidence.unified_diff import FileDiff

_LINE: Final = 400
_MOST: Final = 2_000
_DEFINED: Final = re.compile(
    r"\b(?:def|class|fn|func|fun|function|const|let|var|val|struct|interface|type|enum|trait|mod|object)\s{1,4}"
    r"(?:\([^)\n]{0,80}\)\s{0,4})?(?P<name>\w{2,80})"
    r"|\b(?:public|private|protected|static)\s(?:[\w<>\[\].]{1,40}\s){1,3}(?P<method>\w{2,80})\("
)
_WORD: Final = re.compile(r"\w{1,80}")


@dataclass(frozen=True)
class RenamedSubjects:
    gone: frozenset[str] = frozenset()
    """Names whose definition was removed from the code."""
    added: frozenset[str] = frozenset()


def renamed_subjects(files: Sequence[FileDiff]) -> RenamedSubjects:
    code = [file for file in files if not is_in_a_test_place(file.path) and not file.binary]
    gone, added = set(_defined(code, "removed")), set(_defined(code, "added"))
    return RenamedSubjects(frozenset(gone - added), frozenset(added - gone))


def body_key(test: ReadTest, replaced: frozenset[str]) -> tuple[str, ...]:
    """Its lines, with a number for each replaced name: the same for two tests that differ in these names alone."""
    if not replaced:
        return test.body
    numbers: dict[str, str] = {}

    def numbered(word: re.Match[str]) -> str:
        return numbers.setdefault(word[0], f"\0{len(numbers)}") if word[0] in replaced else word[0]

    return tuple(_WORD.sub(numbered, line) for line in test.body)


def _defined(files: Sequence[FileDiff], kind: str) -> Iterator[str]:
    count = 0
    for file in files:
        if file.renamed:
            yield PurePosixPath(file.old_path if kind == "removed" else file.path).stem
        for line in file.lines():
            if line.kind == kind:
                for found in _DEFINED.finditer(line.text[:_LINE]):
                    yield found["name"] or found["method"]
                    count += 1
            if count > _MOST:
                return
