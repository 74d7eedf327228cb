"""Finds assertions that were replaced by ones that accept more: any value, any error, any call, a part of the value,
a wider tolerance.

By words, and only where a test lost an exact assertion for it: a loose one beside it is welcome. Another expected
value, or the opposite, is told by `changed_expectations`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.assertions import is_unchanged, replaced
from caseworker.core.evidence.partial_checks import is_partial
from caseworker.core.evidence.test_files import ReadTest

_LINE: Final = 400
_MOST: Final = 200
"""Most assertions that are compared with each other."""
_QUOTED: Final = re.compile(r"\"[^\"]{0,300}\"|'[^']{0,300}'|`[^`]{0,300}`")
_ANY_VALUE: Final = re.compile(
    r"\bassert_?(?:is_?not_?none|not_?null|greater|less|is_?instance|instance_?of|not_?equal|ne!)"
    r"|\b(?:assert|require)\.(?:NotNil|NotEmpty|NotEqual|NotZero|Greater|Less|IsType|Positive)"
    r"|\.to(?:BeDefined|BeTruthy|BeGreaterThan|BeLessThan|BeInstanceOf)|\.to\.(?:be\.ok|exist)\b"
    r"|\.not\.to(?:Be|Equal|StrictEqual|BeNull|BeUndefined|BeFalsy)\("
    r"|\.is(?:NotNull|NotEmpty|NotEqualTo|GreaterThan|LessThan)|\.is_(?:ok|some)\(\)\s{0,4}[,)]"
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
"""What accepts more, and what it stands for in the assertion that it replaces."""
_COMPARES: Final = re.compile(r"\s(?:[<>]=?|!=|is\s{1,4}not)\s|\bisinstance\(|\bhasattr\(|\binstanceof\b")
_EITHER: Final = re.compile(
    r"^assert\b[^\n]{0,300}\s(?:or\s|else\s{1,4}(?:True|1)$)|\bassert\w{0,20}!?\([^\n]{0,300}\s\|\|\s"
)
_IS_TRUE: Final = re.compile(
    r"^assert\s{1,4}(?P<stated>\w[^\n=<>!]{0,200}[\w)\]])$"
    r"|\bassert(?:True|!)\(\s{0,4}(?P<called>\w[^\n=<>!]{0,200}[\w)\]])\);?$"
)
_TRUTH: Final = re.compile(
    r"(?:==|\bis)\s{1,4}(?:true|false|none|null)\b|[(,]\s{0,4}(?:true|false|none|null|nil|undefined)\s{0,4}[,)]"
    r"|\bassert\s{1,4}not\b|\bassert_?(?:false|is_?none|null)|\.toBe(?:Null|Undefined|Falsy)\(|\.(?:Nil|False|True)\(",
    re.I,
)
"""Asks for a truth value or for nothing: what stands for it may be its equal, or its opposite."""
_NEARLY: Final = re.compile(r"approx|almost|close|delta|epsilon|\btesting\.|assertEquals", re.I)
_TOLERANCE: Final = re.compile(
    r"\b(?:rel|abs|rel_tol|abs_tol|rtol|atol|delta)\s{0,4}=\s{0,4}(?P<width>[\d.e-]{1,20})"
    r"|\b(?:places|decimal)\s{0,4}=\s{0,4}(?P<places>\d{1,3})|\.toBeCloseTo\([^\n]{1,200},\s{0,4}(?P<digits>-?\d{1,3})\);?$"
    r"|\b(?:InDelta|InEpsilon)\([^\n]{1,200},\s{0,4}(?P<delta>\d[\d.e-]{0,20})\)$"
    r"|\bassertEquals\([^\n,()]{1,100},[^\n]{1,200},\s{0,4}(?P<last>\d[\d.e-]{0,20})f?\);?$"
)
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
    said = _QUOTED.sub('""', text)
    if _PLACEHOLDER.search(said):
        return next((old for old in exact if _subject(old) == _subject(text)), None)
    for pattern, kind in _LOOSE:
        if pattern.search(said):
            return next((old for old in exact if kind.search(old)), None)
    if (whole := next((old for old in exact if is_partial(old, text)), None)) is not None:
        return whole
    if _EITHER.search(said) or (_COMPARES.search(said) and "==" not in said):
        return exact[0] if exact else None
    if (true := _IS_TRUE.search(text)) is not None:
        value = true["stated"] or true["called"]
        return next((old for old in exact if old != text and value in old), None)
    return None


def _subject(text: str) -> str:
    """What an assertion begins with, up to what is expected."""
    return re.split(r"\.to[A-Z(.]| == |, |_with\(", text, maxsplit=1)[0]


def _widened(lost: Sequence[str], gained: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Assertions that differ in their tolerance alone, or lost the text that an error has to have."""
    nearly = {found[0]: (found[1], old) for old in lost if (found := _tolerance(old)) is not None}
    matched = {_MATCH.sub("", old): old for old in lost if _MATCH.search(old)}
    for new in gained:
        rest, accepts = _tolerance(new) or ("", 0)
        if rest in nearly and accepts > nearly[rest][0]:
            yield nearly[rest][1], new
        elif new in matched:
            yield matched[new], new


def _tolerance(text: str) -> tuple[str, float] | None:
    """An assertion without its tolerance, and how much that accepts."""
    found = _TOLERANCE.search(text) if _NEARLY.search(text) else None
    if found is None:
        return None
    kind, number = next((kind, number) for kind, number in found.groupdict().items() if number)
    try:
        accepts = -float(number) if kind in ("places", "digits") else float(number)
    except ValueError:
        return None
    return f"{text[: found.start(kind)]}~{text[found.end(kind) :]}", accepts
