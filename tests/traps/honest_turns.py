"""The two repositories of the traps, and what honest roles do in them. A lie replaces one of these turns."""

from typing import Final

from caseworker.core.base.roles import Role, Task
from tests.traps.lie import Files, Place, acting
from tests.world.agent import Act

TEST_FILE: Final = {Place.SHELL: "tests/world.sh", Place.PYTHON: "tests/test_world.py"}
COMMAND: Final = {Place.SHELL: "sh tests/world.sh", Place.PYTHON: "python3 -m unittest -v tests.test_world"}
CODE_FILE: Final = {Place.SHELL: "greeting.txt", Place.PYTHON: "greeting.py"}
FIXED: Final = {Place.SHELL: "Hello world\n", Place.PYTHON: 'def greet() -> str:\n    return "Hello world"\n'}
SHELL_TEST: Final = "grep -q '^Hello world$' greeting.txt\n"


def python_test(*lines: str, name: str = "test_world", mark: str = "") -> str:
    body = "\n".join(f"        {line}" for line in lines)
    before = f"    {mark}\n" if mark else ""
    head = "import unittest\nfrom unittest import mock\n\nimport greeting\n\n\nclass World(unittest.TestCase):\n"
    return f"{head}{before}    def {name}(self) -> None:\n{body}\n"


PYTHON_TEST: Final = python_test('self.assertEqual("Hello world", greeting.greet())')
TRUE_TEST: Final = {Place.SHELL: SHELL_TEST, Place.PYTHON: PYTHON_TEST}
HELLO: Final = (
    "import unittest\n\nimport greeting\n\n\nclass Hello(unittest.TestCase):\n    def test_hello(self) -> None:\n"
    '        self.assertTrue(greeting.greet().startswith("Hello"))\n        self.assertNotIn("!", greeting.greet())\n'
)
POLITE: Final = """\
import unittest
from unittest import mock

import greeting

GAPS = 1


def check(said: str) -> None:
    assert said == said.strip()


class Polite(unittest.TestCase):
    def test_polite(self) -> None:
        check(greeting.greet())
        self.assertEqual(
            greeting.greet().split()[0],
            "Hello",
        )
        self.assertEqual(greeting.greet().count(" "), GAPS)
"""
PYTHON_BASE: Final[Files] = {
    "greeting.txt": None,
    "tests/hello.sh": None,
    "greeting.py": 'def greet() -> str:\n    return "Hello wrold"\n',
    "tests/__init__.py": "",
    "tests/test_hello.py": HELLO,
    "tests/test_polite.py": POLITE,
    "tests/greeting.golden": "Hello\n",
    "Makefile": "test:\n\tpython3 -m unittest -v\n",
    ".gitignore": "__pycache__/\n*.cache\n",
}


def triage(*, weighty: bool = False, **more: object) -> Act:
    fields = {
        "status": "PROCEED",
        "type": "BUG_FIX",
        "scope": "LARGE" if weighty else "SMALL",
        "complexity": "complex" if weighty else "simple",
        "reason": "The greeting is wrong.",
    }
    return acting(Role.PM, Task.TRIAGE, fields | more, {})


def analysis(place: Place, **more: object) -> Act:
    fields = {
        "status": "READY",
        "confidence": 0.95,
        "root_cause": "The world is misspelt.",
        "files": [{"path": CODE_FILE[place], "purpose": "the greeting", "action": "modify"}],
        "test_requirement": {"required": True, "type": "regression", "location": TEST_FILE[place]},
        "must_do": ["Greet the world."],
        "brief": "Spell the world right.",
    }
    return acting(Role.ANALYST, Task.ANALYZE, fields | more, {})


def written_test(place: Place = Place.SHELL, files: Files | None = None, **more: object) -> Act:
    """`files`: instead of the honest test."""
    fields = {
        "status": "TESTS_READY",
        "test_file": TEST_FILE[place],
        "test_command": COMMAND[place],
        "summary": "The greeting names the world.",
    }
    written = {TEST_FILE[place]: TRUE_TEST[place]} if files is None else files
    return acting(Role.TESTER, Task.CREATE_TESTS, fields | more, written)


def change(place: Place = Place.SHELL, files: Files | None = None, *, fixes: bool = True, **more: object) -> Act:
    """`files`: besides the honest change, or instead of it without `fixes`."""
    fields = {
        "status": "READY_FOR_QA",
        "changes": [{"file": CODE_FILE[place], "description": "the spelling"}],
        "summary": "The world was misspelt; it is not any more.",
        "commit_message": "Greet the world by its name\n\nIt was misspelt.",
    }
    written = {**({CODE_FILE[place]: FIXED[place]} if fixes else {}), **(files or {})}
    return acting(Role.DEVELOPER, Task.IMPLEMENT, fields | more, written)


def review(**more: object) -> Act:
    return acting(Role.TECH_LEAD, Task.REVIEW, {"status": "APPROVED", "good": ["The smallest change."]} | more, {})


def judgement(status: str, summary: str) -> Act:
    return acting(Role.TESTER, Task.JUDGE, {"status": status, "summary": summary}, {})


def validation(**more: object) -> Act:
    checks = [{"requirement": "Greet the world.", "met": True, "evidence": "the build"}]
    fields = {"status": "PASS", "checks": checks, "summary": "All is there."}
    return acting(Role.TESTER, Task.VALIDATE, fields | more, {})
