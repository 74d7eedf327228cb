"""How far an assertion lets a number be off: by what it is given, or else by what its function accepts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caseworker.core.evidence.call_arguments import arguments

_FOR_ROUNDING: Final = 0.01
"""Tolerance that is no weakening when an exact comparison gets one: floats are rounded."""
_NUMBER: Final = re.compile(r"-?\d[\d_]{0,20}(?:\.\d{0,20})?(?:e[+-]?\d{1,3})?", re.I)
_NAMED: Final = re.compile(
    r"(?P<name>rel|abs|rel_tol|abs_tol|rtol|atol|delta|places|decimal)\s{0,4}=\s{0,4}(?P<value>\S{1,40})"
)
_DIGITS: Final = frozenset({"places", "decimal"})
_DISTANCE: Final = re.compile(
    r"\b[aA]bs\([^\n]{1,200}\)(?:\s{0,4}<=?\s{0,4}|\)\.toBeLessThan\()(?P<width>\d[\d._e-]{0,20})"
)


@dataclass(frozen=True, kw_only=True)
class _Nearly:
    """A function that accepts a number near another."""

    call: re.Pattern[str]
    exactly: str | None  # the function that accepts no other number. Null: there is none, the number is compared
    ahead: int  # arguments ahead of the tolerance
    usual: float = 0.0  # what it accepts if no tolerance is given
    in_digits: bool = False  # a tolerance without a name says how many digits count


_NEARLY: Final = (
    _Nearly(call=re.compile(r"\b(?:pytest\.)?approx\("), exactly=None, ahead=1, usual=1e-6),
    _Nearly(call=re.compile(r"\bassertAlmostEqual\("), exactly="assertEqual(", ahead=2, usual=1e-7, in_digits=True),
    _Nearly(call=re.compile(r"\btoBeCloseTo\("), exactly="toBe(", ahead=1, usual=1e-2, in_digits=True),
    _Nearly(call=re.compile(r"\bIn(?:Delta|Epsilon)\("), exactly="Equal(", ahead=3),
    _Nearly(call=re.compile(r"\bassertEquals\("), exactly="assertEquals(", ahead=2),
    _Nearly(call=re.compile(r"\bassert_allclose\("), exactly="assert_array_equal(", ahead=2, usual=1e-7),
)


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    rest: str
    """The assertion as it would be if it accepted no other number."""
    accepts: float

    def is_wider_than(self, other: "Tolerance") -> bool:
        return self.rest == other.rest and self.accepts > (other.accepts or _FOR_ROUNDING)


def tolerance(text: str) -> Tolerance | None:
    """Null: it can't be read."""
    for nearly in _NEARLY:
        if (found := nearly.call.search(text)) is not None:
            return _of_call(text, found, nearly)
    found = _DISTANCE.search(text)
    if found is None:
        return Tolerance(rest=text, accepts=0.0)
    width = _accepted(found["width"], in_digits=False)
    rest = f"{text[: found.start('width')]}~{text[found.end('width') :]}"
    return None if width is None else Tolerance(rest=rest, accepts=width)


def _of_call(text: str, found: re.Match[str], nearly: _Nearly) -> Tolerance | None:
    given, end = arguments(text, found.end())
    named = [one for argument in given if (one := _NAMED.fullmatch(argument)) is not None]
    plain = [argument for argument in given if _NAMED.fullmatch(argument) is None]
    said = [_accepted(one["value"], in_digits=one["name"] in _DIGITS) for one in named]
    if len(plain) > nearly.ahead and _NUMBER.fullmatch(plain[nearly.ahead].rstrip("fF")):
        said.append(_accepted(plain.pop(nearly.ahead).rstrip("fF"), in_digits=nearly.in_digits))
    known = [one for one in said if one is not None]
    if not given or len(known) < len(said):
        return None
    return Tolerance(rest=_exact(text, found, end, nearly, plain), accepts=max(known, default=nearly.usual))


def _exact(text: str, found: re.Match[str], end: int, nearly: _Nearly, given: Sequence[str]) -> str:
    inside = ", ".join(given)
    call = inside if nearly.exactly is None else f"{nearly.exactly}{inside})"
    return f"{text[: found.start()]}{call}{text[end + 1 :]}"


def _accepted(number: str, *, in_digits: bool) -> float | None:
    if _NUMBER.fullmatch(number) is None:
        return None
    value = float(number)
    return 10.0 ** -max(-300.0, min(300.0, value)) if in_digits else value
