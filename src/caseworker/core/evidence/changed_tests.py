"""Which changed files hold tests, and the names of their tests. Pure functions on texts."""

from collections.abc import Mapping, Sequence

from caseworker.core.evidence.rust_test_modules import Row, module_lines, rows_of
from caseworker.core.evidence.test_files import read_tests
from caseworker.core.evidence.test_places import is_in_a_test_place, language_of

Texts = Mapping[str, str | None]


def in_source(paths: Sequence[str]) -> list[str]:
    """Files outside of the places for tests that may hold tests beside the code, as in Rust."""
    return [path for path in paths if language_of(path) is not None and not is_in_a_test_place(path)]


def changed_test_files(paths: Sequence[str], before: Texts, after: Texts) -> list[str]:
    """The changed files that hold tests. `before`, `after`: the texts of those that have them beside code."""
    beside = [path for path in in_source(paths) if _all(path, before) != _all(path, after)]
    return [path for path in paths if is_in_a_test_place(path) or path in beside]


def same_tests(paths: Sequence[str], before: Texts, after: Texts) -> bool:
    """Whether the tests and rows are the same. Functions that they call may differ."""
    return all(
        _tests(path, before) == _tests(path, after) and _rows(path, before) == _rows(path, after) for path in paths
    )


def names_of_tests(texts: Texts) -> frozenset[str] | None:
    """The names of all tests in these files. Null: some file can't be read for names."""
    names: set[str] = set()
    for path, text in texts.items():
        tests = read_tests(path, text).tests if text is not None and language_of(path) is not None else ()
        if not tests:
            return None
        names |= {test.name for test in tests} | {row.name for row in _rows(path, texts) if row.name}
    return frozenset(names) or None


def _tests(path: str, texts: Texts) -> list[tuple[str, tuple[str, ...]]]:
    return [(test.name, test.body) for test in read_tests(path, texts.get(path) or "").tests]


def _rows(path: str, texts: Texts) -> list[Row]:
    return rows_of(texts.get(path) or "") if path.endswith(".rs") else []


def _all(path: str, texts: Texts) -> tuple[list[tuple[str, tuple[str, ...]]], list[str]]:
    """The tests, and all other code of test modules in Rust, where a row of a macro may be a test."""
    return _tests(path, texts), module_lines(texts.get(path) or "") if path.endswith(".rs") else []
