"""The check that the places named in docs/documents.md exist."""

from pathlib import Path

from scripts.house import documents
from scripts.house.measure import Measure

from tests.house.small_tree import measured, plant


def _of(root: Path, page: str) -> Measure:
    beside = {"docs/documents.md": page, "docs/states.md": "", "tests/test_bug.py": "async def test_asks(): ...\n"}
    return measured(documents.measures, plant(root, {"core/bug.py": ""}, beside), "places in")


def test_files_and_tests_that_exist_are_found(tmp_path: Path) -> None:
    found = _of(tmp_path, "`core/bug.py`, `docs/states.md`, `states.md`, `tests/test_bug.py::test_asks`, `a word`")
    assert (found.now, found.note) == (0, "of 4")


def test_a_missing_file_and_a_missing_test_are_named(tmp_path: Path) -> None:
    found = _of(tmp_path, "`core/gone.py` and `tests/test_bug.py::test_gone`")
    assert (found.met, found.findings) == (False, ("core/gone.py", "tests/test_bug.py::test_gone"))
