"""Finds tests that a change removes, skips, or makes check less, by reading lines.

It reads arbitrary files, so every line is clipped, no pattern can backtrack far, and each file is read once. It may
miss a well hidden weakening; everything that it reports can be looked up.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.changed_expectations import expected_otherwise
from caseworker.core.evidence.loosened_checks import loosened
from caseworker.core.evidence.renamed_subjects import RenamedSubjects, body_key
from caseworker.core.evidence.shields import new_shield, shields
from caseworker.core.evidence.test_files import ReadFile, ReadTest, read_tests
from caseworker.core.evidence.test_places import (
    is_in_a_test_place,
    is_named_like_a_test,
    is_unreadable_test,
    language_of,
)

MOST_FINDINGS: Final = 50
_SHOWN: Final = 120
_MOST_NAMES: Final = 5
"""Most tests named of a deleted file."""


def may_have_tests(path: str) -> bool:
    """Whether a file may have tests, so that its contents have to be fetched."""
    return language_of(path) is not None or is_named_like_a_test(path) or is_unreadable_test(path)


def weakened(
    before: Mapping[str, str | None], after: Mapping[str, str | None], subjects: RenamedSubjects | None = None
) -> list[str]:
    """A sentence for each test that was removed, is skipped or checks less. `before`, `after`: the text of all changed
    files by path; null: the file can't be read; missing: there is no such file. `subjects`: what else was renamed."""
    unread = sorted(path for path in {*before, *after} if None in (before.get(path, ""), after.get(path, "")))
    old = {path: read_tests(path, text) for path, text in before.items() if path not in unread and text is not None}
    new = {path: read_tests(path, text) for path, text in after.items() if path not in unread and text is not None}
    pairs, gone, added = _pair_tests(_all_tests(old), _all_tests(new))
    renamed, gone, added = _renamed(gone, added, subjects or RenamedSubjects())
    elsewhere = _Elsewhere(pairs, added)
    gone = [test for test in gone if not elsewhere.takes_over(test, None)]
    pairs = [*pairs, *renamed]
    found = [
        *(f"{code(path)} is too large to be compared: look at it." for path in unread),
        *_deleted_files(old, new, gone),
        *(f"{code(test.name)} was removed from {code(test.path)}." for test in gone if test.path in new),
        *_skipped(old, new, {before.name: after.name for before, after in renamed}),
        *_checking_less(pairs, elsewhere),
        *_loosened(pairs, elsewhere),
        *_expecting_otherwise(pairs),
        *_shielded(pairs),
        *_files_checking_less(old, new, pairs, gone),
    ]
    return list(at_most(found))


def names_in(texts: Mapping[str, str | None]) -> frozenset[str]:
    """Names of the tests in these files."""
    read = (read_tests(path, text) for path, text in texts.items() if text is not None)
    return frozenset(test.name for file in read for test in file.tests)


def at_most(found: Sequence[str]) -> tuple[str, ...]:
    """The first findings, and how many more there are."""
    more = len(found) - MOST_FINDINGS
    return tuple(found) if more <= 0 else (*found[:MOST_FINDINGS], f"And {more} more like these.")


def _all_tests(files: Mapping[str, ReadFile]) -> list[ReadTest]:
    return [test for path in sorted(files) for test in files[path].tests]


def _pair_tests(
    old: Sequence[ReadTest], new: Sequence[ReadTest]
) -> tuple[list[tuple[ReadTest, ReadTest]], list[ReadTest], list[ReadTest]]:
    """Pairs each old test with the new one: by path and name, else by name alone. Also returns the unpaired ones."""
    pairs: list[tuple[ReadTest, ReadTest]] = []
    for key in (_path_and_name, _name):
        waiting: dict[tuple[str, ...], list[ReadTest]] = {}
        for test in reversed(new):
            waiting.setdefault(key(test), []).append(test)
        left = []
        for test in old:
            same = waiting.get(key(test))
            if same:
                pairs.append((test, same.pop()))
            else:
                left.append(test)
        old, new = left, [test for tests in waiting.values() for test in tests]
    return pairs, list(old), list(new)


def _path_and_name(test: ReadTest) -> tuple[str, ...]:
    return test.path, test.name


def _name(test: ReadTest) -> tuple[str, ...]:
    return (test.name,)


def _renamed(
    gone: Iterable[ReadTest], added: Iterable[ReadTest], subjects: RenamedSubjects
) -> tuple[list[tuple[ReadTest, ReadTest]], list[ReadTest], list[ReadTest]]:
    """Pairs each removed test with one of another name and the same body. Also returns the unpaired ones."""
    waiting: dict[tuple[str, ...], list[ReadTest]] = {}
    for test in added:
        waiting.setdefault(body_key(test, subjects.added), []).append(test)
    pairs, left = [], []
    for test in gone:
        same = waiting.get(body_key(test, subjects.gone)) if test.lines else None
        if same:
            pairs.append((test, same.pop(0)))
        else:
            left.append(test)
    return pairs, left, [test for tests in waiting.values() for test in tests]


class _Elsewhere:
    """What the new tests check, and those that check more than before: a test may have been split."""

    def __init__(self, pairs: Iterable[tuple[ReadTest, ReadTest]], added: Iterable[ReadTest]) -> None:
        fair = [test for test in added if next(shields(test), None) is None]
        self._lines = {line for test in fair for line in test.body}
        self._checks = sum((_checks_of(test) for test in fair), Counter[str]())
        for before, after in pairs:
            self._checks += _checks_of(after) - _checks_of(before)

    def takes_over(self, before: ReadTest, after: ReadTest | None) -> bool:
        """Whether all that a test does not check any more is checked here, by the same lines. Each counts once."""
        lost = _checks_of(before) - (_checks_of(after) if after else Counter())
        lines = self._lines.union(after.body if after else ())
        if not lost or lost.total() < before.checks - (after.checks if after else 0):
            return False
        if not lost <= self._checks or not lines.issuperset(before.body):
            return False
        self._checks -= lost
        return True


def _checks_of(test: ReadTest) -> Counter[str]:
    return Counter(line.text for line in test.lines if line.checks)


def _deleted_files(old: Mapping[str, ReadFile], new: Mapping[str, ReadFile], gone: Sequence[ReadTest]) -> Iterator[str]:
    kept = {PurePosixPath(path).name for path in new}
    for path in sorted(old.keys() - new.keys()):
        names = [test.name for test in gone if test.path == path]
        if names:
            yield f"{code(path)} was deleted, and with it {_listed(names)}."
        elif not old[path].tests and is_named_like_a_test(path) and PurePosixPath(path).name not in kept:
            yield f"{code(path)} was deleted."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(code(name) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def _skipped(old: Mapping[str, ReadFile], new: Mapping[str, ReadFile], renamed: Mapping[str, str]) -> Iterator[str]:
    marks = (mark for read in old.values() for mark in read.marks)
    known = Counter((renamed.get(mark.owner, mark.owner), mark.text) for mark in marks)
    for path in sorted(new):
        for mark in new[path].marks:
            key = (mark.owner, mark.text)
            known[key] -= 1
            if known[key] < 0:
                to = f"{code(mark.owner)} in {code(path)}" if mark.owner else code(path)
                yield f"{code(mark.text)} was added to {to}."


def _checking_less(pairs: Iterable[tuple[ReadTest, ReadTest]], elsewhere: _Elsewhere) -> Iterator[str]:
    for before, after in pairs:
        if after.checks < before.checks and not elsewhere.takes_over(before, after):
            yield f"{code(after.name)} in {code(after.path)} checks less: {_fewer_words(before.checks, after.checks)}."


def _loosened(pairs: Iterable[tuple[ReadTest, ReadTest]], elsewhere: _Elsewhere) -> Iterator[str]:
    for before, after in pairs:
        fewer = after.checks < before.checks  # told already
        if not fewer and (found := loosened(before, after)) and not elsewhere.takes_over(before, after):
            old, new = (code(text[:_SHOWN]) for text in found)
            yield f"{new} in {code(after.name)} in {code(after.path)} accepts more than {old}, which it replaces."


def _expecting_otherwise(pairs: Iterable[tuple[ReadTest, ReadTest]]) -> Iterator[str]:
    """One sentence for each file: a change of behaviour may change what many tests expect."""
    by_path: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for before, after in pairs:
        if not (after.checks < before.checks or loosened(before, after)):  # told already
            found = [(after.name, one) for one in expected_otherwise(before, after)]
            by_path.setdefault(after.path, []).extend(found)
    for path, found in by_path.items():
        names = list(dict.fromkeys(name for name, _ in found))
        if found:
            old, new = _where_they_differ(*found[0][1])
            expects = f"expect{'s' if len(names) == 1 else ''} {'another value' if len(found) == 1 else 'other values'}"
            first = "" if len(found) == 1 else ", the first"
            yield f"{_listed(names)} in {code(path)} {expects} than before{first}: {new} instead of {old}."


def _where_they_differ(old: str, new: str) -> tuple[str, str]:
    """Two texts in code style, without what both begin with if they are long."""
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), 0)
    start = max(0, same - _SHOWN // 2)
    if not start:
        return code(old[:_SHOWN]), code(new[:_SHOWN])
    return code(f"...{old[start : start + _SHOWN]}"), code(f"...{new[start : start + _SHOWN]}")


def _shielded(pairs: Iterable[tuple[ReadTest, ReadTest]]) -> Iterator[str]:
    for before, after in pairs:
        if before.checks and (line := new_shield(before, after)) is not None:
            where = f"{code(after.name)} in {code(after.path)}"
            yield f"{code(line[:_SHOWN])} was added to {where}: its assertions may not count any more."


def _fewer_words(before: int, after: int) -> str:
    return f"{after} assertion{'' if after == 1 else 's'} instead of {before}"


def _files_checking_less(
    old: Mapping[str, ReadFile],
    new: Mapping[str, ReadFile],
    pairs: Sequence[tuple[ReadTest, ReadTest]],
    gone: Sequence[ReadTest],
) -> Iterator[str]:
    """Files with fewer assertions outside of tests: in helpers, or where the layout hides the tests."""
    told = {after.path for before, after in pairs if after.checks < before.checks} | {test.path for test in gone}
    if _loose_checks(new) >= _loose_checks(old):
        return  # at most moved from one file to another
    for path in sorted(old.keys() & new.keys() - told):
        before, after = old[path].loose_checks, new[path].loose_checks
        if after < before and is_in_a_test_place(path):
            yield f"{code(path)} checks less outside of its tests: {_fewer_words(before, after)}."


def _loose_checks(files: Mapping[str, ReadFile]) -> int:
    return sum(file.loose_checks for path, file in files.items() if is_in_a_test_place(path))
