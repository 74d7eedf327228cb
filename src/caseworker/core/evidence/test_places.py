"""Tells from a path whether a file is a test, and in which language we read it."""

import re
from pathlib import PurePosixPath
from typing import Final

_LANGUAGES: Final = {
    "py": "python",
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), "script"),
    "go": "go",
    "rs": "rust",
    **dict.fromkeys(("java", "kt", "kts"), "java"),
}
_BY_CONTENT: Final = ("rust", "java")
"""Languages whose tests are marked in the code. In all others the path tells which files are tests."""
_OTHER_CODE: Final = frozenset(
    {"bats", "c", "cc", "cpp", "cs", "dart", "ex", "exs", "php", "rb", "scala", "sh", "swift"}
)
_TEST_FOLDERS: Final = frozenset({"test", "tests", "testing", "__tests__", "spec", "specs", "e2e"})
_TEST_FILE: Final = re.compile(
    r"(?:test_|tests?\.|conftest\.).*|.*(?:_test|_tests|_spec|\.test|\.spec|Tests?|Spec)\.\w+"
)


def language_of(path: str) -> str | None:
    """The language to read tests in. Null: the file has no tests, or none that we can read."""
    language = _LANGUAGES.get(_ending(path))
    return language if language in _BY_CONTENT or is_in_a_test_place(path) else None


def is_in_a_test_place(path: str) -> bool:
    return is_named_like_a_test(path) or not _TEST_FOLDERS.isdisjoint(PurePosixPath(path).parts[:-1])


def is_unreadable_test(path: str) -> bool:
    """Whether it is a test in a language that we can't read."""
    return is_in_a_test_place(path) and _ending(path) in _OTHER_CODE


def is_named_like_a_test(path: str) -> bool:
    known = _ending(path) in _LANGUAGES or _ending(path) in _OTHER_CODE
    return known and _TEST_FILE.fullmatch(PurePosixPath(path).name[-200:]) is not None


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lstrip(".").lower()
