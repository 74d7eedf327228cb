"""Finds lines that were added around an assertion which was there before, and may keep it from counting.

A condition, a function that the test does not call or wait for, and one that expects the assertion to fail.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from caseworker.core.evidence.test_files import BodyLine, ReadTest
from caseworker.core.evidence.test_syntax import CHECK

_CONDITION: Final = re.compile(r"^(?:\}\s{0,4})?(?:if|elif|else|while|unless|match|switch)\b")
_IS_TO_FAIL: Final = re.compile(
    r"\b(?:raises|assertRaises\w{0,10}|assertThrows\w{0,10}|assertFailsWith)[(<]\s{0,4}(?:AssertionError|Exception|BaseException|Throwable)\b"
    r"|\b(?:assert\.throws|expect)\(\s{0,4}\(\)\s{0,4}=>\s{0,4}\{$"
)
_NAMED: Final = re.compile(
    r"^(?:async\s{1,4})?(?:def|function|fn)\s{1,4}(?P<function>\w{1,80})"
    r"|^(?:(?:const|let|var|val)\s{1,4})?(?P<variable>\w{1,80})\s{0,4}:?=\s{0,4}(?:async\s{0,4})?"
    r"(?:func\(|function\b|\([^()\n]{0,200}\)\s{0,4}=>|\|[^|\n]{0,100}\||\w{1,80}\s{0,4}=>)"
)
_LATER: Final = re.compile(
    r"\.(?:then|finally)\(|\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\(|^go\s{1,4}func\b"
)
_WAITS: Final = re.compile(r"\b(?:await|return|yield)\b|\bcy\.|=>\s{0,4}[^\s{]")
_TOLD_TO_WAIT: Final = re.compile(r"\bdone\b|\.Wait\(|<-|\b(?:run|advance)\w{0,20}Timers|\.tick\(")
_ON_ITS_LINE: Final = re.compile(
    r"^(?:\}\s{0,4})?(?:else\s{1,4})?(?:if|unless|while)\b|(?:&&|\|\||\?)\s{0,4}(?:(?:await|void)\s{1,4})?$"
)
_WORD: Final = re.compile(r"\w{1,80}")


def new_around_checks(before: ReadTest, after: ReadTest, new: Collection[str]) -> Iterator[str]:
    """The lines among the new ones around an assertion that was there before, and had fewer around it."""
    was, now = _around_checks(before), _around_checks(after)
    for text, several in was.items():
        for old, around in zip(several, now.get(text, ()), strict=False):
            if len(around) > len(old):
                yield from (line for line in around if line in new)
    checks = {_check_in(line)[1] for line in before.lines if line.checks}
    for line in after.lines:
        if line.checks and line.text in new:
            ahead, check = _check_in(line)
            if check in checks and (_ON_ITS_LINE.search(ahead) or _IS_TO_FAIL.search(ahead)):
                yield line.text


def _around_checks(test: ReadTest) -> dict[str, list[list[str]]]:
    """By the text of an assertion, what is around each that has it, those with the fewest first."""
    found: dict[str, list[list[str]]] = {}
    around: list[BodyLine] = []
    idle = _IdleFunctions(test)
    for line in test.lines:
        while around and around[-1].indent >= line.indent:
            around.pop()
        if line.checks:
            outer = [one.text for one in around]
            waits = any(_WAITS.search(text) for text in outer)
            lines = [text for text in outer if _may_not_run(text) or idle.has(text, waits=waits)]
            found.setdefault(line.text, []).append(lines)
        around.append(line)
    return {text: sorted(several, key=len) for text, several in found.items()}


def _may_not_run(line: str) -> bool:
    return _CONDITION.search(line) is not None or _IS_TO_FAIL.search(line) is not None


class _IdleFunctions:
    """The functions in a test that it does not call by their names, or does not wait for."""

    def __init__(self, test: ReadTest) -> None:
        self._words = Counter(word for line in test.lines for word in set(_WORD.findall(line.text)))
        self._is_told_to_wait = any(_TOLD_TO_WAIT.search(line.text) for line in test.lines)
        pairs = zip(test.body, test.body[1:], strict=False)
        self._decorated = {line for above, line in pairs if above.startswith(("@", "#["))}

    def has(self, line: str, *, waits: bool) -> bool:
        """`waits`: whether the test waits for what is around the line."""
        if (named := _NAMED.match(line)) is not None:
            return line not in self._decorated and self._words[named["function"] or named["variable"]] == 1
        return not waits and not self._is_told_to_wait and _LATER.search(line) is not None


def _check_in(line: BodyLine) -> tuple[str, str]:
    """Splits a line into the part before its last assertion, and the assertion."""
    start = max((found.start() for found in CHECK.finditer(line.text)), default=0)
    return line.text[:start], line.text[start:].rstrip(" ;)}")
