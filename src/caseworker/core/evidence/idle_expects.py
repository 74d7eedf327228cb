"""Finds assertions that check nothing: `expect(x)` or `assertThat(x)` alone, and a promise that nobody waits for.

Reported only if the test lost an assertion. A promise that is not awaited fails after its test has passed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.assertions import Assertion, is_unchanged, replaced
from caseworker.core.evidence.call_arguments import arguments
from caseworker.core.evidence.test_files import ReadTest

_EXPECT: Final = "expect("
_STATES: Final = re.compile(r"(?:\w{1,40}\.)?assertThat\(")
_WAITS: Final = ("await ", "return ")
_UNCALLED: Final = re.compile(r"\.to[A-Z]\w{1,40}$")
_PROMISES: Final = re.compile(r"\.(?:resolves|rejects)\.")


def idle_expect(before: ReadTest, after: ReadTest) -> tuple[str, str] | None:
    """The first new assertion that checks nothing, and why."""
    if is_unchanged(before, after):
        return None
    lost, gained = replaced(before, after)
    return next(_idle(lost, gained), None) if lost else None


def _idle(lost: Sequence[Assertion], gained: Sequence[Assertion]) -> Iterator[tuple[str, str]]:
    waited = {one.key.partition(" ")[2] for one in lost if one.key.startswith(_WAITS)}
    for one in gained:
        said = one.key.removeprefix("await ").rstrip("; ")
        if _states_alone(said):
            yield one.text, "has no matcher: it checks nothing"
        if not said.startswith(_EXPECT) or one.key.endswith(","):
            continue
        if _UNCALLED.search(said) or arguments(said, len(_EXPECT))[1] == len(said) - 1:
            yield one.text, "has no matcher: it checks nothing"
        elif one.key in waited or (_PROMISES.search(said) and said == one.key.rstrip("; ")):
            yield one.text, "is not awaited: the test ends before it is checked"


def _states_alone(said: str) -> bool:
    """Whether the text is `assertThat(x)` alone: with a second argument, it would have an expected value."""
    found = _STATES.match(said)
    given, end = arguments(said, found.end()) if found else ([], 0)
    return len(given) == 1 and end == len(said) - 1
