"""Each claim of the page on security names a test that is there; so does each attack of `make prove`."""

import re
from pathlib import Path

import pytest
from bench.prove.attacks import ATTACKS, results_of

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def is_there(file: str, name: str) -> bool:
    path = ROOT / file
    return path.exists() and (not name or f"def {name}(" in path.read_text())


def test_every_test_that_the_page_on_security_names_is_there() -> None:
    named = NAMED.findall((ROOT / "docs/security.md").read_text())
    assert len(named) > 40
    assert [f"{file}::{name}" for file, name in named if not is_there(file, name)] == []


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.what)
def test_every_attack_has_its_test(attack: object) -> None:
    assert is_there(*attack.test.split("::"))  # type: ignore[attr-defined]  # the type is the parameter's


def test_one_failed_or_skipped_run_of_an_attack_counts(tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    cases = """<testcase classname="tests.a" name="test_x[1]"><failure message="no"/></testcase>
    <testcase classname="tests.a" name="test_x[2]"/><testcase classname="tests.a" name="test_y"/>
    <testcase classname="tests.a" name="test_z"><skipped message="no cgroups"/></testcase>"""
    file.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    assert results_of(file) == {
        "tests/a.py::test_x": "failure: no",
        "tests/a.py::test_y": "stopped",
        "tests/a.py::test_z": "skipped: no cgroups",
    }
