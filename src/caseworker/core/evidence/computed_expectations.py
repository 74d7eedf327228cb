"""Finds assertions that expect something computed where a literal was, and ones that ask another function for it.

`assert total() == 3` that becomes `assert total() == want` is the same where `want` is 3. Anything else that is
computed may be what the broken code gives, or the same call once more.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from caseworker.core.evidence.asked_values import as_said, is_written_out
from caseworker.core.evidence.assertions import is_unchanged
from caseworker.core.evidence.call_arguments import arguments
from caseworker.core.evidence.loosened_checks import accepts_more
from caseworker.core.evidence.partial_checks import QUOTED
from caseworker.core.evidence.renamed_subjects import RenamedSubjects
from caseworker.core.evidence.resolved_assertions import Resolved, replaced_in_meaning, without_message
from caseworker.core.evidence.test_files import ReadTest

_LENGTH: Final = 300
_CALLED: Final = re.compile(r"(?<!\w)(?P<name>[A-Za-z_]\w{0,80}+)!?\(")
_FUNCTION: Final = re.compile(r"(?:\w{1,80}+(?:\.|::)){0,8}(?P<name>[A-Za-z_]\w{0,80}+)!?\(")
_KEYWORD: Final = re.compile(r"^\w{1,60}=(?!=)")
_KEEPS: Final = re.compile(
    r"(?:\(\w{1,60} := |(?:list|tuple|dict|str|bytes|asyncio\.run|anyio\.run|trio\.run|Array\.from)\()"
    r"(?P<inner>[^\n]{1,300}?)\)?"
)
"""What a value may be put into without accepting more."""


def computed_expectations(before: ReadTest, after: ReadTest, told: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The assertions whose literal gave way to something computed, each as it was and as it is. Those that were told
    for another reason are left out."""
    if is_unchanged(before, after):
        return []
    lost, gained = replaced_in_meaning(before, after)
    was, now = {old for old, _ in told}, {new for _, new in told}
    lost = [one for one in lost if one.assertion.text not in was]
    gained = [one for one in gained if one.assertion.text not in now]
    return [*_pairs(lost, gained)]


def other_functions(before: ReadTest, after: ReadTest, renamed: RenamedSubjects) -> list[tuple[str, str]]:
    """The assertions that ask another function for the same value, each as it was and as it is."""
    if is_unchanged(before, after):
        return []
    lost, gained = replaced_in_meaning(before, after)
    found = []
    for old in lost:
        other = next((new for new in gained if _asks_another(old, new, renamed)), None)
        if other is not None:
            gained.remove(other)
            found.append((old.assertion.text, other.assertion.text))
    return found


def _pairs(lost: Sequence[Resolved], gained: Sequence[Resolved]) -> Iterator[tuple[str, str]]:
    left = [*gained]
    for old in lost:
        found = next((new for new in left if _computes(old, new)), None)
        if found is not None:
            left.remove(found)
            yield old.assertion.text, found.assertion.text


def _computes(old: Resolved, new: Resolved) -> bool:
    wrapped = (_is_wrapped(subject, value, new) for subject, value in _subjects(old))
    computes = _is_filled_otherwise(old, new) or any(wrapped)
    return computes and not accepts_more(new.assertion.key, old.assertion.key)


def _is_filled_otherwise(old: Resolved, new: Resolved) -> bool:
    """Whether it is the same assertion with something computed in the place of a literal."""
    was = old.asked
    filled = _filled(was.about, new.key) if was.values and was.names_subject else None
    pairs = zip(was.values, filled or (), strict=False)
    return any(_is_computed(one, two, new) for one, two in pairs)


def _is_computed(value: str, now: str, new: Resolved) -> bool:
    return not _is_met_by(value, now) and (not is_written_out(now) or new.assertion.key != new.key)


def _is_met_by(value: str, now: str) -> bool:
    """Whether it is the same value, perhaps with a further condition."""
    return as_said(now) == as_said(value) or now.startswith((f"{value} and ", f"{value} && "))


def _filled(about: str, text: str) -> list[str] | None:
    """What is in the places of the values. Null: it is another assertion."""
    first, *parts = re.split("[\0\1]", about)
    if not text.startswith(first):
        return None
    found, at = [], len(first)
    for number, part in enumerate(parts):
        end = len(text) - len(part) if number == len(parts) - 1 else text.find(part, at)
        if end <= at or text[end : end + len(part)] != part:
            return None
        found.append(_KEYWORD.sub("", without_message(text[at:end])))
        at = end + len(part)
    return [one for one, mark in zip(found, re.findall("[\0\1]", about), strict=True) if mark == "\0"]


@lru_cache(maxsize=1_000)
def _subjects(stated: Resolved) -> tuple[tuple[str, str], ...]:
    """What it is about, and the literal that this has to be."""
    sides = stated.sides
    values = [(one, value) for one, value in sides if is_written_out(value)]
    return tuple((one, value) for one, value in values if not is_written_out(one) or _called(one) > _called(value))


def _is_wrapped(subject: str, value: str, new: Resolved) -> bool:
    """Whether the subject is compared with another value, or is only a part of what is compared."""
    for side, other in new.sides:
        if _bare(side) == subject:
            return not _is_met_by(value, other)
        if (subject, value) in zip(_members(side), _members(other), strict=False):
            return False
    return any(_contains(side[:_LENGTH], subject) for side, _ in new.sides)


def _members(side: str) -> list[str]:
    """What is in a tuple or list."""
    return arguments(side, 1)[0] if side.startswith(("(", "[")) else []


def _contains(side: str, subject: str) -> bool:
    return subject in side and re.search(rf"(?<![\w.]){re.escape(subject)}(?![\w.\[(])", side) is not None


def _bare(side: str) -> str:
    kept = _KEEPS.fullmatch(side)
    return kept["inner"] if kept else side


def _asks_another(old: Resolved, new: Resolved, renamed: RenamedSubjects) -> bool:
    values = {as_said(value): subject for subject, value in _subjects(old)}
    for side, value in new.sides:
        subject = values.get(as_said(value))
        if subject is not None:
            return _is_another(subject, side, renamed)
    return False


def _is_another(subject: str, side: str, renamed: RenamedSubjects) -> bool:
    """Whether both are calls, and neither calls the function of the other one."""
    was, now = _function(subject), _function(side)
    if not was or not now or was in _called(side) or now in _called(subject):
        return False
    return not (was in renamed.gone and now in renamed.added)


def _function(subject: str) -> str:
    """The name of the function that the subject is got from. Empty: it is no call."""
    called = _FUNCTION.match(_bare(subject))
    return called["name"] if called else ""


def _called(text: str) -> set[str]:
    return {found["name"] for found in _CALLED.finditer(QUOTED.sub('""', text))}
