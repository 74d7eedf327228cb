"""Finds variables of a test, and constants of its file, that hold another value than before where an assertion expects
them: `WANTED = 3` that becomes `WANTED = 4` below `assert total() == WANTED`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from caseworker.core.evidence.asked_values import asked
from caseworker.core.evidence.assertions import GO_FAILURE, Assertion, assertions, without_layout
from caseworker.core.evidence.assigned_values import STRING, assigned_values
from caseworker.core.evidence.test_files import ReadTest

_MOST: Final = 100
"""Most assertions that are looked into."""
_MOST_NAMES: Final = 50
"""Most changed variables of one test that are looked into."""
_LITERAL: Final = re.compile(r"[rbuRBU]{0,2}\"|-?\d|[\[{(A-Z]|(?:true|false|null|nil|undefined)\b|vec!\[")
"""The beginning of a value that is written out, with its strings as `""`."""
_COMPUTED: Final = re.compile(r"(?<![\w.])[a-z_]\w{0,60}\(|\.\w{1,60}\(|\bfor\b")
"""Marks of a computed value. It may change with the code, so it is not compared."""
_NAME: Final = re.compile(r"\$?[A-Za-z_]\w{0,60}+")
_BETWEEN_STRINGS: Final = re.compile(r"\"\s{1,4}[rbf]{0,2}\"|'\s{1,4}[rbf]{0,2}'")
_ONE_STRING: Final = re.compile(r"\((?P<string>[rbf]{0,2}(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'))\)")


def changed_variables(before: ReadTest, after: ReadTest) -> list[tuple[str, str]]:
    """The assignments that changed, each as it was and as it is, below assertions that are the same as before."""
    if before.body == after.body and before.constants == after.constants:
        return []
    was, now = ({**test.constants, **assigned_values(test.body)} for test in (before, after))
    changed = {name for name in was.keys() & now.keys() if was[name] != now[name]}
    if not changed:
        return []
    stated = assertions(before)
    same = [*(Counter(stated) & Counter(assertions(after)))][:_MOST]
    named = [name for name in dict.fromkeys(_NAME.findall(" ".join(one.key for one in same))) if name in changed]
    found = []
    for name in named[:_MOST_NAMES]:
        old, new = _plain(was[name]), _plain(now[name])
        if old != new and _is_written_out(old) and not _is_given(name, before, stated):
            found += [(f"{name} = {old}", f"{name} = {new}")] if any(_expects(one.key, name) for one in same) else []
    return found


def _is_written_out(value: str) -> bool:
    plain = STRING.sub('""', value)
    return _LITERAL.match(plain) is not None and _COMPUTED.search(plain) is None


def _is_given(name: str, test: ReadTest, stated: Sequence[Assertion]) -> bool:
    """Whether the test uses the variable outside of its assertions: then it is an input as well."""
    lines = (test.opening, *test.lines) if test.opening is not None else test.lines
    checking = [line.text for line in lines if line.checks and not GO_FAILURE.match(line.text)]
    others = sum(_times(name, line.text) for line in lines if not line.checks)
    in_further_lines = sum(_times(name, one.text) for one in stated) - sum(_times(name, text) for text in checking)
    return others > in_further_lines + (name in assigned_values(test.body))


def _times(name: str, text: str) -> int:
    return name in text and len(re.findall(rf"(?<![\w.$]){re.escape(name)}(?!\w)", text))


def _expects(assertion: str, name: str) -> bool:
    """Whether another value of the variable is another expectation, and not another input."""
    named = re.compile(rf"(?<![\w.$]){re.escape(name)}(?![\w.(\[]|::)")
    if named.search(assertion) is None:
        return False
    one, other = (asked(named.sub(value, assertion)) for value in ('"before"', '"after"'))
    return one.differs_in_values_from(other)


def _plain(value: str) -> str:
    """The same for a text in one and in several parts, and for one and several lines."""
    return _ONE_STRING.sub(r"\g<string>", _BETWEEN_STRINGS.sub("", without_layout(value)))
