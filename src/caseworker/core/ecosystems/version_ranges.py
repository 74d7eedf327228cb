"""Compares a version with a range, as Python's, Node's and Poetry's files write it."""

import re
from typing import Final

_DIGITS: Final = r"(?<!\d)\d{1,9}"
_PART: Final = re.compile(
    r"(?:(\^|~=|~>|~|>=|<=|===|==|!=|>|<|=)[ \t]{0,4})?v?"
    rf"({_DIGITS}(?:\.(?:\d{{1,9}}|[xX*])){{0,3}}|(?<![\w.])[xX*](?![\w.]))"
)
_HYPHEN: Final = re.compile(rf"({_DIGITS}[\d.]{{0,20}}) - v?(\d[\d.]{{0,20}})")
_VERSION: Final = re.compile(rf"{_DIGITS}(?:\.\d{{1,9}}){{0,3}}")

Numbers = tuple[int, ...]


def numbers_of(text: str) -> Numbers:
    """The first version in a text: "Python 3.11.7" is (3, 11, 7). Empty: there is none."""
    found = _VERSION.search(text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def fits(version: str, wanted: str) -> bool:
    """Whether a version is in a range. A range that can't be read fits: it must not stop anybody."""
    have = numbers_of(version)
    if not have or not wanted.strip():
        return True
    return any(_fits_all(have, part) for part in wanted.split("||"))


def lowest_major(wanted: str) -> int | None:
    """The smallest major version that a range names from below: 18 for ">=18.12 || 20". Null: it names none."""
    found = [
        int(version.split(".")[0])
        for how, version in _parts(wanted)
        if how not in ("<", "<=", "!=") and version[0].isdigit()
    ]
    return min(found) if found else None


def pep440(wanted: str) -> str:
    """Poetry's `^3.9` and `~3.9` as ranges that every tool reads."""
    parts = []
    for how, version in _parts(wanted):
        numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
        if not numbers:
            continue
        if how == "^":
            parts += [f">={version}", f"<{_text(_next(_leading(numbers)))}"]
        elif how == "~":
            parts += [f">={version}", f"<{_text(_next(numbers[:2]))}"]
        elif how in ("", "=") and len(numbers) < 3:
            parts.append(f"=={_text(numbers)}.*")
        else:
            parts.append(f"{how or '=='}{version}")
    return ",".join(parts)


def _parts(wanted: str) -> list[tuple[str, str]]:
    hyphen = _HYPHEN.search(wanted)
    if hyphen is not None:
        return [(">=", hyphen[1]), ("<=", hyphen[2])]
    return [(found[1] or "", found[2]) for found in _PART.finditer(wanted)]


def _fits_all(have: Numbers, wanted: str) -> bool:
    return all(_fits_one(have, how, version) for how, version in _parts(wanted))


def _fits_one(have: Numbers, how: str, version: str) -> bool:
    want = tuple(int(part) for part in version.split(".") if part.isdigit())
    if not want:
        return True
    cut, full = have[: len(want)], (*have, 0, 0, 0)[:3]
    floor = (*want, 0, 0, 0)[:3]
    match how:
        case ">=":
            return full >= floor
        case "<":
            return full < floor
        case ">":
            return cut > want if len(want) < 3 else full > floor
        case "<=":
            return cut <= want
        case "!=":
            return cut != want
        case "^":
            lead = _leading(want)
            return full >= floor and have[: len(lead)] == lead
        case "~" | "~=" | "~>":
            keep = max(1, len(want) - 1) if how != "~" else min(2, len(want))
            return full >= floor and have[:keep] == want[:keep]
        case _:
            return cut == want


def _leading(numbers: Numbers) -> Numbers:
    """What `^` keeps: up to the first number that is not 0."""
    lead = next((place for place, part in enumerate(numbers) if part), len(numbers) - 1)
    return numbers[: lead + 1]


def _next(numbers: Numbers) -> Numbers:
    return (*numbers[:-1], numbers[-1] + 1)


def _text(numbers: Numbers) -> str:
    return ".".join(map(str, numbers))
