"""Finds assertions that were replaced by ones that accept more: any value, any error, any call, a part of the value,
a wider tolerance.

By words, and only where a test lost an exact assertion for it: a loose one beside it is welcome. Another expected
value, or the opposite, is told by `changed_expectations`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.assertions import is_unchanged, replaced, states_a_tuple
from caseworker.core.evidence.partial_checks import QUOTED, is_given_whole, is_partial
from caseworker.core.evidence.test_files import ReadTest
from caseworker.core.evidence.tolerances import tolerance

_LINE: Final = 400
_MOST: Final = 100
"""Most assertions that are compared with each other."""
_ANY_VALUE: Final = re.compile(
    r"\bassert_?(?:is_?not_?none|not_?null|greater|less|is_?instance|instance_?of|not_?equal|ne!)"
    r"|\b(?:assert|require)\.(?:NotNil|NotEmpty|NotEqual|NotZero|Greater|Less|IsType|Positive)"
    r"|\.to(?:BeDefined|BeTruthy|BeGreaterThan|BeLessThan|BeInstanceOf)|\.to\.(?:be\.ok|exist)\b"
    r"|\.not\.to(?:Be|Equal|StrictEqual|BeNull|BeUndefined|BeFalsy)\("
    r"|\.is(?:NotNull|NotEmpty|NotEqualTo|GreaterThan|LessThan)|\.is_(?:ok|some)\(\)\s{0,4}[,)]"
    r"|\bt\.(?:truthy|falsy|assert|pass|not|notDeepEqual|notThrows)\("
    r"|\bgomock\.Any\(\)|\bany(?:String|Int|Long)?\(\)",
    re.I,
)
_PLACEHOLDER: Final = re.compile(r"\bmock\.ANY\b|\bexpect\.any(?:thing)?\(")
"""Accepts any value in its place: the rest of the assertion counts."""
_ANY_ERROR: Final = re.compile(
    r"\b(?:raises|assertRaises)\(\s{0,4}(?:Base)?Exception\s{0,4}[,)]|\.toThrow(?:Error)?\(\)"
    r"|\bassertThrows\(\s{0,4}(?:Throwable|Exception|RuntimeException)\.class"
)
_ANY_CALL: Final = re.compile(r"\bassert_called(?:_once)?\(\)|\.toHaveBeenCalled\(\)")
_LOOSE: Final = (
    (_ANY_VALUE, re.compile("")),
    (_ANY_ERROR, re.compile(r"raises|throw", re.I)),
    (_ANY_CALL, re.compile(r"called", re.I)),
)
"""Patterns of assertions that accept more, each with one of the assertions that they may replace."""
_COMPARES: Final = re.compile(r"\s(?:[<>]=?|!=|is\s{1,4}not)\s|\bisinstance\(|\bhasattr\(|\binstanceof\b")
_EITHER: Final = re.compile(
    r"^assert not \([^\n]{0,300}\s&&\s"
    r"|^assert\b[^\n]{0,300}\s(?:or\s|else\s{1,4}(?:True|1)$)|\bassert\w{0,20}!?\([^\n]{0,300}\s\|\|\s"
)
_GO_UNLESS: Final = "assert not ("
_IS_TRUE: Final = re.compile(
    r"^assert\s{1,4}(?P<stated>\w[^\n=<>!]{0,200}[\w)\]])$"
    r"|\bassert(?:True|!)\(\s{0,4}(?P<called>\w[^\n=<>!]{0,200}[\w)\]])\);?$"
)
_TRUTH: Final = re.compile(
    r"(?:==|\bis)\s{1,4}(?:true|false|none|null)\b|[(,]\s{0,4}(?:true|false|none|null|nil|undefined)\s{0,4}[,)]"
    r"|\bassert\s{1,4}not\b|\bassert_?(?:false|is_?none|null)|\.toBe(?:Null|Undefined|Falsy)\(|\.(?:Nil|False|True)\(",
    re.I,
)
"""Compares with true, false or null. An equal or opposite form may replace such an assertion, so it does not count as
an exact one."""
_MATCH: Final = re.compile(r",\s{0,4}match\s{0,4}=[^\n]{1,300}(?=\))")
"""The text that an error has to have."""


def loosened(before: ReadTest, after: ReadTest) -> tuple[str, str] | None:
    """The first assertion that was replaced by one that accepts more, and that one."""
    if is_unchanged(before, after):
        return None
    lost, gained = replaced(before, after)
    texts = {one.key[:_LINE]: one.text for one in (*gained, *lost)}
    was, now = ([one.key[:_LINE] for one in several[:_MOST]] for several in (lost, gained))
    found = _first(was, now)
    return (texts[found[0]], texts[found[1]]) if found else None


def accepts_more(old: str, new: str) -> bool:
    """Whether one assertion accepts more than another in its place."""
    return _first([old[:_LINE]], [new[:_LINE]]) is not None


def _first(lost: Sequence[str], gained: Sequence[str]) -> tuple[str, str] | None:
    return next(_widened(lost, gained), None) or _replaced(lost, gained)


def _replaced(lost: Sequence[str], gained: Sequence[str]) -> tuple[str, str] | None:
    exact = [text for text in lost if not _TRUTH.search(text) and _stands_for(text, lost) is None]
    loose = [(old, text) for text in gained if (old := _stands_for(text, exact)) is not None]
    is_fewer = len(exact) > len(gained) - len(loose)
    return loose[0] if loose and is_fewer else None


def _stands_for(text: str, exact: Sequence[str]) -> str | None:
    """The assertion that this one may have replaced. Null: it is exact itself."""
    said = QUOTED.sub('""', text)
    if _PLACEHOLDER.search(said):
        return next((old for old in exact if _subject(old) == _subject(text)), None)
    if _is_one_of_several(said):
        return None
    for pattern, kind in _LOOSE:
        if pattern.search(said):
            return next((old for old in exact if kind.search(old)), None)
    if states_a_tuple(text):
        return next((old for old in exact if old.removeprefix("assert ") in text), None)
    if (whole := next((old for old in exact if is_partial(old, text)), None)) is not None:
        return whole
    if _EITHER.search(said) or (_COMPARES.search(said) and "==" not in said):
        return exact[0] if exact else None
    if (true := _IS_TRUE.search(text)) is not None:
        value = true["stated"] or true["called"]
        return next((old for old in exact if old != text and (value in old or is_given_whole(old, value))), None)
    return None


def _is_one_of_several(text: str) -> bool:
    """Whether Go fails if one of several conditions holds, and one of them alone may be exact."""
    conditions = text.removeprefix(_GO_UNLESS).split(" || ") if text.startswith(_GO_UNLESS) else []
    return len(conditions) > 1 and any("!" in one and " && " not in one for one in conditions)


def _subject(text: str) -> str:
    """The beginning of an assertion, up to the expected value."""
    return re.split(r"\.to[A-Z(.]| == |, |_with\(", text, maxsplit=1)[0]


def _widened(lost: Sequence[str], gained: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Assertions that differ in their tolerance alone, or lost the text that an error has to have."""
    before = [(old, width) for old in lost if (width := tolerance(old)) is not None]
    matched = {_MATCH.sub("", old): old for old in lost if _MATCH.search(old)}
    for new in gained:
        now = tolerance(new)
        narrow = next((old for old, was in before if now is not None and now.is_wider_than(was)), None)
        if narrow is not None:
            yield narrow, new
        elif new in matched:
            yield matched[new], new
