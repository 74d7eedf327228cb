"""Sentences about tests and their helpers that existed before a change and now check less, or something else."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.changed_cases import other_cases
from caseworker.core.evidence.changed_expectations import expected_otherwise
from caseworker.core.evidence.changed_rows import changed_rows
from caseworker.core.evidence.changed_variables import changed_variables
from caseworker.core.evidence.computed_expectations import computed_expectations, other_functions
from caseworker.core.evidence.disabled_checks import new_disabled_check
from caseworker.core.evidence.idle_expects import idle_expect
from caseworker.core.evidence.loosened_checks import loosened
from caseworker.core.evidence.mocked_subjects import new_mock
from caseworker.core.evidence.moved_checks import Elsewhere
from caseworker.core.evidence.paired_tests import Pair
from caseworker.core.evidence.renamed_subjects import RenamedSubjects
from caseworker.core.evidence.test_files import ReadTest

_SHOWN: Final = 120
_MOST_NAMES: Final = 5
"""Most tests that are named in one sentence."""


def changes_of_pairs(pairs: Sequence[Pair], elsewhere: Elsewhere, renamed: RenamedSubjects) -> list[str]:
    return [
        *_checking_less(pairs, elsewhere),
        *_loosened(pairs, elsewhere),
        *_idle(pairs),
        *_expecting_otherwise(pairs),
        *_asking_otherwise(pairs, renamed),
        *_shielded(pairs),
        *_mocked(pairs),
    ]


def changes_of_helpers(pairs: Sequence[Pair]) -> list[str]:
    """Does not count the assertions of one helper: they often move to another, so they are counted by file."""
    pairs = [pair for pair in pairs if pair[0].checks]
    return [*_loosened(pairs, None), *_idle(pairs), *_expecting_otherwise(pairs), *_shielded(pairs), *_mocked(pairs)]


def listed(names: Sequence[str]) -> str:
    shown = ", ".join(code(name) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def fewer_words(before: int, after: int) -> str:
    return f"{after} assertion{'' if after == 1 else 's'} instead of {before}"


def _checking_less(pairs: Iterable[Pair], elsewhere: Elsewhere) -> Iterator[str]:
    for before, after in pairs:
        if after.checks + after.handed_over < before.checks and not elsewhere.takes_over(before, after):
            yield f"{code(after.name)} in {code(after.path)} checks less: {fewer_words(before.checks, after.checks)}."


def _loosened(pairs: Iterable[Pair], elsewhere: Elsewhere | None) -> Iterator[str]:
    for before, after in pairs:
        fewer = after.checks < before.checks  # told already
        found = loosened(before, after) if elsewhere is None or not fewer else None
        if found and not (elsewhere and elsewhere.takes_over(before, after)):
            old, new = (code(text[:_SHOWN]) for text in found)
            yield f"{new} in {code(after.name)} in {code(after.path)} accepts more than {old}, which it replaces."


def _expecting_otherwise(pairs: Iterable[Pair]) -> Iterator[str]:
    """One sentence for each file: a change of behaviour may change what many tests expect."""
    by_path: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for before, after in pairs:
        if not _told_as_less(before, after):
            told = expected_otherwise(before, after)
            changed = (
                *told,
                *computed_expectations(before, after, told),
                *changed_rows(before, after),
                *changed_variables(before, after),
            )
            by_path.setdefault(after.path, []).extend((after.name, one) for one in changed)
    for path, found in by_path.items():
        if found:
            many = "another value" if len(found) == 1 else "other values"
            yield _otherwise(path, found, f"expect{_s_of_one(found)} {many} than before")


def _asking_otherwise(pairs: Iterable[Pair], renamed: RenamedSubjects) -> Iterator[str]:
    """One sentence for each file. Tests that expect another value are left out: `_expecting_otherwise` reports them."""
    by_path: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for before, after in pairs:
        if not (_told_as_less(before, after) or expected_otherwise(before, after)):
            changed = other_cases(before, after) or other_functions(before, after, renamed)
            by_path.setdefault(after.path, []).extend((after.name, one) for one in changed)
    for path, found in by_path.items():
        if found:
            many = "another case" if len(found) == 1 else "other cases"
            yield _otherwise(path, found, f"ask{_s_of_one(found)} about {many} than before")


def _told_as_less(before: ReadTest, after: ReadTest) -> bool:
    return after.checks < before.checks or loosened(before, after) is not None


def _s_of_one(found: Sequence[tuple[str, tuple[str, str]]]) -> str:
    return "s" if len({name for name, _ in found}) == 1 else ""


def _otherwise(path: str, found: Sequence[tuple[str, tuple[str, str]]], does: str) -> str:
    names = list(dict.fromkeys(name for name, _ in found))
    old, new = _where_they_differ(*found[0][1])
    first = "" if len(found) == 1 else ", the first"
    return f"{listed(names)} in {code(path)} {does}{first}: {new} instead of {old}."


def _where_they_differ(old: str, new: str) -> tuple[str, str]:
    """Two texts in code style, without what both begin with if they are long."""
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), 0)
    start = max(0, same - _SHOWN // 2)
    if not start:
        return code(old[:_SHOWN]), code(new[:_SHOWN])
    return code(f"...{old[start : start + _SHOWN]}"), code(f"...{new[start : start + _SHOWN]}")


def _shielded(pairs: Iterable[Pair]) -> Iterator[str]:
    for before, after in pairs:
        if before.checks and (line := new_disabled_check(before, after)) is not None:
            where = f"{code(after.name)} in {code(after.path)}"
            yield f"{code(line[:_SHOWN])} was added to {where}: its assertions may not count any more."


def _idle(pairs: Iterable[Pair]) -> Iterator[str]:
    for before, after in pairs:
        if (found := idle_expect(before, after)) is not None:
            line, why = found
            yield f"{code(line[:_SHOWN])} in {code(after.name)} in {code(after.path)} {why}."


def _mocked(pairs: Iterable[Pair]) -> Iterator[str]:
    for before, after in pairs:
        if (line := new_mock(before, after)) is not None:
            where = f"{code(after.name)} in {code(after.path)}"
            yield f"{code(line[:_SHOWN])} was added to {where}: it replaces what the test checks."
