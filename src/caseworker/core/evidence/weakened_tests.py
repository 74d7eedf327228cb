"""Finds tests that a change removes, skips, or makes check less, by reading lines.

It reads arbitrary files, so every line is clipped, no pattern can backtrack far, and each file is read once. It may
miss a well hidden weakening; everything that it reports can be looked up.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.called_helpers import checking_helpers, with_calls
from caseworker.core.evidence.changed_pairs import changes_of_helpers, changes_of_pairs, fewer_words, listed
from caseworker.core.evidence.mocked_subjects import mocked_modules, subjects_of
from caseworker.core.evidence.moved_checks import Elsewhere
from caseworker.core.evidence.paired_tests import Pair, pair_helpers, pair_renamed, pair_tests
from caseworker.core.evidence.renamed_subjects import RenamedSubjects
from caseworker.core.evidence.rust_test_modules import lost_rows
from caseworker.core.evidence.shared_stand_ins import shared_stand_ins
from caseworker.core.evidence.test_files import ReadFile, ReadTest, read_tests
from caseworker.core.evidence.test_places import (
    is_in_a_test_place,
    is_named_like_a_test,
    is_unreadable_test,
    language_of,
)

Texts = Mapping[str, str | None]
MOST_FINDINGS: Final = 50


def may_have_tests(path: str) -> bool:
    """Whether a file may have tests, so that its contents have to be fetched."""
    return language_of(path) is not None or is_named_like_a_test(path) or is_unreadable_test(path)


def weakened(before: Texts, after: Texts, subjects: RenamedSubjects | None = None) -> list[str]:
    """A sentence for each test that was removed, is skipped or checks less. `before`, `after`: the text of all changed
    files by path; null: the file can't be read; missing: there is no such file. `subjects`: what else was renamed."""
    unread = sorted(path for path in {*before, *after} if None in (before.get(path, ""), after.get(path, "")))
    unread = [path for path in unread if may_have_tests(path)]
    old = {path: read_tests(path, text) for path, text in before.items() if path not in unread and text is not None}
    new = {path: read_tests(path, text) for path, text in after.items() if path not in unread and text is not None}
    checking = checking_helpers([*old.values(), *new.values()])
    old = {path: with_calls(file, checking) for path, file in old.items()}
    new = {path: with_calls(file, checking) for path, file in new.items()}
    pairs, gone, added = pair_tests(_all_tests(old), _all_tests(new))
    subjects = subjects or RenamedSubjects()
    renamed, gone, added = pair_renamed(gone, added, subjects)
    elsewhere = Elsewhere(pairs, added)
    gone = [test for test in gone if not elsewhere.takes_over(test, None)]
    pairs = [*pairs, *renamed]
    helpers = pair_helpers(_all_helpers(old), _all_helpers(new))
    found = [
        *(f"{code(path)} is too large to be compared: look at it." for path in unread),
        *_deleted_files(old, new, gone),
        *(f"{code(test.name)} was removed from {code(test.path)}." for test in gone if test.path in new),
        *_skipped(old, new, {before.name: after.name for before, after in renamed}),
        *changes_of_pairs(pairs, elsewhere, subjects),
        *changes_of_helpers(helpers),
        *lost_rows(before, after),
        *_replaced_for_all(before, after, old, new),
        *_files_checking_less(old, new, pairs, gone),
    ]
    return list(at_most(found))


def names_in(texts: Texts) -> frozenset[str]:
    """Names of the tests in these files."""
    read = (read_tests(path, text) for path, text in texts.items() if text is not None)
    return frozenset(test.name for file in read for test in file.tests)


def at_most(found: Sequence[str]) -> tuple[str, ...]:
    """The first findings, and how many more there are."""
    more = len(found) - MOST_FINDINGS
    return tuple(found) if more <= 0 else (*found[:MOST_FINDINGS], f"And {more} more like these.")


def _all_tests(files: Mapping[str, ReadFile]) -> list[ReadTest]:
    return [test for path in sorted(files) for test in files[path].tests]


def _all_helpers(files: Mapping[str, ReadFile]) -> list[ReadTest]:
    return [helper for path in sorted(files) for helper in files[path].helpers]


def _replaced_for_all(
    before: Texts, after: Texts, old: Mapping[str, ReadFile], new: Mapping[str, ReadFile]
) -> Iterator[str]:
    """A sentence for each line added outside of tests that replaces what older tests of the file check."""
    for path in sorted(path for path in old.keys() & new.keys() if is_in_a_test_place(path)):
        was, now = before[path] or "", after[path] or ""
        if was != now:
            subjects = {one for test in old[path].tests for one in subjects_of(test)}
            modules = mocked_modules(path, was, now, subjects)
            for line in (*modules, *shared_stand_ins(path, was, now, new[path], old[path], subjects)):
                yield f"{code(line)} was added to {code(path)}: it replaces what the tests check."


def _deleted_files(old: Mapping[str, ReadFile], new: Mapping[str, ReadFile], gone: Sequence[ReadTest]) -> Iterator[str]:
    kept = {PurePosixPath(path).name for path in new}
    for path in sorted(old.keys() - new.keys()):
        names = [test.name for test in gone if test.path == path]
        if names:
            yield f"{code(path)} was deleted, and with it {listed(names)}."
        elif not old[path].tests and is_named_like_a_test(path) and PurePosixPath(path).name not in kept:
            yield f"{code(path)} was deleted."


def _skipped(old: Mapping[str, ReadFile], new: Mapping[str, ReadFile], renamed: Mapping[str, str]) -> Iterator[str]:
    marks = (mark for read in old.values() for mark in read.marks)
    known = Counter((renamed.get(mark.owner, mark.owner), mark.text) for mark in marks)
    owners = {renamed.get(one.name, one.name) for read in old.values() for one in (*read.tests, *read.helpers)}
    for path in sorted(new):
        for mark in new[path].marks:
            key = (mark.owner, mark.text)
            known[key] -= 1
            is_new = mark.owner not in owners if mark.owner else path not in old
            if known[key] < 0 and not (mark.is_usual and is_new):
                to = f"{code(mark.owner)} in {code(path)}" if mark.owner else code(path)
                yield f"{code(mark.text)} was added to {to}."


def _files_checking_less(
    old: Mapping[str, ReadFile],
    new: Mapping[str, ReadFile],
    pairs: Sequence[Pair],
    gone: Sequence[ReadTest],
) -> Iterator[str]:
    """Files with fewer assertions outside of tests: in helpers, or where the layout hides the tests."""
    told = {after.path for before, after in pairs if after.checks < before.checks} | {test.path for test in gone}
    if _loose_checks(new) >= _loose_checks(old):
        return  # at most moved from one file to another
    for path in sorted(old.keys() & new.keys() - told):
        before, after = old[path].loose_checks, new[path].loose_checks
        if after < before and is_in_a_test_place(path):
            yield f"{code(path)} checks less outside of its tests: {fewer_words(before, after)}."


def _loose_checks(files: Mapping[str, ReadFile]) -> int:
    return sum(file.loose_checks for path, file in files.items() if is_in_a_test_place(path))
