"""Pairs each test before a change with what became of it: the same name, or another name and the same body."""

from collections import Counter
from collections.abc import Iterable, Sequence

from caseworker.core.evidence.renamed_subjects import RenamedSubjects, body_key
from caseworker.core.evidence.test_files import ReadTest

Pair = tuple[ReadTest, ReadTest]


def pair_tests(old: Sequence[ReadTest], new: Sequence[ReadTest]) -> tuple[list[Pair], list[ReadTest], list[ReadTest]]:
    """Pairs each old test with the new one: by path and name, else by name alone. Also returns the unpaired ones."""
    pairs: list[Pair] = []
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


def pair_renamed(
    gone: Iterable[ReadTest], added: Iterable[ReadTest], subjects: RenamedSubjects
) -> tuple[list[Pair], list[ReadTest], list[ReadTest]]:
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


def pair_helpers(old: Sequence[ReadTest], new: Sequence[ReadTest]) -> list[Pair]:
    """Pairs functions that tests call, by path and name. Several of one name can't be told apart, and are left out."""
    was, now = (Counter(_path_and_name(one) for one in several) for several in (old, new))
    before = {_path_and_name(one): one for one in old}
    return [(before[key], one) for one in new if was[key := _path_and_name(one)] == now[key] == 1]
