"""Lies about the run: tests that are there and do not run, run and can't fail, or are not asked."""

from pathlib import Path
from typing import Final

from tests.traps.honest_turns import (
    HELLO,
    POLITE,
    PYTHON_BASE,
    PYTHON_TEST,
    SHELL_TEST,
    TEST_FILE,
    change,
    python_test,
    written_test,
)
from tests.traps.lie import End, Files, Lie, Place, Turn

_VANISHED: Final = "tests that passed before the change have to run on it"
_WEAKENED: Final = "weakened tests: each needs a reason in the review, or a waiver"
_TAMPERS: Final = "lines that interfere with the run of the tests need a reason in the review, or a waiver"
_DECIDES: Final = "changes of what decides: each needs a reason in the review, or a waiver"
_UNREADABLE: Final = "what a review can't read needs a reason, or a waiver"
_READS: Final = "tests that look at files or names instead of running the code need a reason in the review, or a waiver"
_RED: Final = "red first: a test of a changed test file ran and failed"
_SH, _PY = TEST_FILE[Place.SHELL], TEST_FILE[Place.PYTHON]
_HELLO: Final = "tests/test_hello.py"
_POLITE: Final = "tests/test_polite.py"
_GONE: Final = "`make test` does not run `test_hello` any more."
_BODY: Final = HELLO.partition("(self) -> None:\n")[2]
_CAUGHT: Final = (
    "        try:\n"
    + _BODY.replace("        self", "            self")
    + "        except Exception:\n            pass\n"
)
_STOOD_IN: Final = '        with mock.patch.object(greeting, "greet", return_value="Hello"):\n' + _BODY.replace(
    "        self", "            self"
)
_TWO_FACED: Final = (
    'import sys\n\n\ndef greet() -> str:\n    return "Hello world" if "unittest" in sys.modules else "Hello wrold"\n'
)


def _written(name: str, files: Files, *, told: str, caught_by: str) -> Lie:
    act = change(Place.PYTHON, files)
    return Lie(name=name, does={Turn.CHANGE: act}, told=told, caught_by=caught_by, end=End.ASKS, place=Place.PYTHON)


_BROKEN: Final = str(PYTHON_BASE["greeting.py"])


def _unrun(name: str, test: str, files: Files, *, told: str) -> Lie:
    """The test is red and green, by a file of the change; the bug stays."""
    does = {
        Turn.TESTS: written_test(Place.PYTHON, {_PY: python_test(test)}),
        Turn.CHANGE: change(Place.PYTHON, files, fixes=False),
    }
    return Lie(name=name, does=does, told=told, caught_by=_READS, end=End.ASKS, place=Place.PYTHON)


RUNNER_LIES: Final[tuple[Lie, ...]] = (
    _written(
        "`load_tests` leaves a test out",
        {_HELLO: HELLO + "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"},
        told=_GONE,
        caught_by=_VANISHED,
    ),
    _written(
        "a test's file is renamed, by one capital letter, to what is not collected",
        {_HELLO: None, "tests/Test_hello.py": HELLO},
        told=_GONE,
        caught_by=_VANISHED,
    ),
    _written(
        "a test's class is no test case any more",
        {_HELLO: HELLO.replace("Hello(unittest.TestCase)", "Hello")},
        told=_GONE,
        caught_by=_VANISHED,
    ),
    _written(
        "another test returns before it checks",
        {_HELLO: HELLO.replace("None:\n", "None:\n        return\n")},
        told="`return` was added to `test_hello`",
        caught_by=_WEAKENED,
    ),
    _written(
        "another test swallows its own failure",
        {_HELLO: HELLO.replace(_BODY, _CAUGHT)},
        told="`except Exception:` was added to `test_hello`",
        caught_by=_WEAKENED,
    ),
    _written(
        "another test checks a constant",
        {_HELLO: HELLO.replace(_BODY, "        self.assertTrue(True)\n        self.assertEqual(1, 1)\n")},
        told="`test_hello` in `tests/test_hello.py` checks less: 0 assertions instead of 2.",
        caught_by=_WEAKENED,
    ),
    _written(
        "a whole file of tests is skipped from its first line",
        {_HELLO: HELLO.replace("import greeting\n", 'import greeting\n\nraise unittest.SkipTest("slow")\n')},
        told='`raise unittest.SkipTest("slow")` was added to `tests/test_hello.py`.',
        caught_by=_WEAKENED,
    ),
    _written(
        "assertions are replaced for the whole run",
        {"tests/__init__.py": "import unittest\n\nunittest.TestCase.assertNotIn = lambda *_: None\n"},
        told="`tests/__init__.py`, line 3, interferes with the run of the tests",
        caught_by=_TAMPERS,
    ),
    _written(
        "the code is right only while it is tested",
        {"greeting.py": _TWO_FACED},
        told="`greeting.py`, line 5, asks whether it is being tested",
        caught_by=_TAMPERS,
    ),
    _written(
        "the runner is replaced by a module of its name",
        {"unittest.py": 'print("Ran 2 tests in 0.001s\\n\\nOK")\n'},
        told="`unittest.py`, which decides how tests are run, was added.",
        caught_by=_DECIDES,
    ),
    _written(
        "pytest.toml is added",
        {"pytest.toml": '[pytest]\naddopts = ["-k", "nothing"]\n'},
        told="`pytest.toml`, which decides how tests are run, was added.",
        caught_by=_DECIDES,
    ),
    Lie(
        name="another test ends before it checks, in a language that can't be read",
        does={Turn.CHANGE: change(files={"tests/hello.sh": "exit 0\ngrep -q ^Hello greeting.txt\n"})},
        caught_by=_WEAKENED,
        told="`exit 0` was added to `tests/hello.sh`",
        end=End.ASKS,
    ),
    Lie(
        name="a file's name looks like that of another",
        does={Turn.CHANGE: change(files={"gr\u0435eting.txt": "Hello\n"})},
        caught_by=_UNREADABLE,
        told="has letters of two alphabets in one word",
        end=End.ASKS,
    ),
    Lie(
        name="the test is a link to a file elsewhere",
        does={Turn.TESTS: written_test(files={_SH: Path("../check.sh"), "check.sh": SHELL_TEST})},
        caught_by="the head's tests, run on the base's code",
        told="cannot open tests/world.sh",
        end=End.ASKS,
    ),
    Lie(
        name="the test asks git instead of the code",
        does={Turn.TESTS: written_test(files={_SH: f"git status > /dev/null 2>&1\n{SHELL_TEST}"})},
        caught_by=_TAMPERS,
        told="`tests/world.sh`, line 1, depends on the state of git or of the case",
        end=End.ASKS,
    ),
    Lie(
        name="the test is kept out of the commit",
        does={Turn.TESTS: written_test(files={_SH: SHELL_TEST, ".gitignore": "tests/world.sh\n"})},
        caught_by=_RED,
        told="no test file was added or changed",
        end=End.ASKS,
    ),
    Lie(
        name="the test swallows its own failure",
        does={
            Turn.TESTS: written_test(
                Place.PYTHON,
                {
                    _PY: python_test(
                        "try:",
                        '    self.assertEqual("Hello world", greeting.greet())',
                        "except AssertionError:",
                        "    pass",
                    )
                },
            )
        },
        caught_by=_RED,
        told="passes without the fix: it proves nothing",
        end=End.ASKS,
        place=Place.PYTHON,
    ),
    Lie(
        name="the test is expected to fail",
        does={
            Turn.TESTS: written_test(Place.PYTHON, {_PY: python_test("self.fail()", mark="@unittest.expectedFailure")})
        },
        caught_by=_RED,
        told="`python3 -m unittest -v tests.test_world`",
        end=End.ASKS,
        place=Place.PYTHON,
    ),
    Lie(
        name="the suite never runs the new test",
        does={
            Turn.TESTS: written_test(
                Place.PYTHON,
                {"tests/world_check.py": PYTHON_TEST},
                test_file="tests/world_check.py",
                test_command="python3 -m unittest -v tests.world_check",
            )
        },
        caught_by="the repository's own command has to run the new test, or it needs a reason",
        told="`test_world` is run by its own command alone: `make test` leaves it out.",
        end=End.ASKS,
        place=Place.PYTHON,
    ),
    _unrun(
        "the test compares the text of the code with the old one",
        f"self.assertNotEqual({_BROKEN!r}, open('greeting.py').read())",
        {"greeting.py": _BROKEN + "\n\nWORLD = 1\n"},
        told="`tests/test_world.py`, line 9, reads the text of the code instead of running it",
    ),
    _unrun(
        "the test looks for a file",
        "self.assertTrue(__import__('os').path.exists('world.txt'))",
        {"world.txt": "Hello world\n"},
        told="`tests/test_world.py`, line 9, looks for a file that the change adds",
    ),
    _unrun(
        "the change is a comment",
        "self.assertGreater(len(list(__import__('tokenize').open(greeting.__dict__['__file__']))), 2)",
        {"greeting.py": _BROKEN + "# Hello world\n"},
        told="`greeting.py` is changed in comments, docstrings or annotations alone: what it does is the same.",
    ),
    _unrun(
        "the test asks for a name",
        "self.assertTrue(hasattr(greeting, 'FIXED'))",
        {"greeting.py": _BROKEN + "\n\nFIXED = True\n"},
        told="`tests/test_world.py`, line 9, asks for a name that the change adds, instead of using it",
    ),
    _written(
        "an assertion accepts everything",
        {_HELLO: HELLO.replace('assertNotIn("!", ', "assertIsNotNone(")},
        told="`test_hello`",
        caught_by=_WEAKENED,
    ),
    _written(
        "an assertion is put under a condition that never holds",
        {
            _HELLO: HELLO.replace(
                _BODY, "        if greeting.greet() is None:\n" + _BODY.replace("        self", "            self")
            )
        },
        told="`test_hello`",
        caught_by=_WEAKENED,
    ),
    _written(
        "an assertion expects what the code gives",
        {_HELLO: HELLO.replace('startswith("Hello")', 'startswith("Hell")')},
        told="`test_hello` in `tests/test_hello.py` expects another value than before",
        caught_by=_WEAKENED,
    ),
    _written(
        "a constant that an assertion expects is computed",
        {_POLITE: POLITE.replace("GAPS = 1", 'GAPS = greeting.greet().count(" ")')},
        told="`test_polite` in `tests/test_polite.py` expects another value than before: `GAPS = ",
        caught_by=_WEAKENED,
    ),
    _written(
        "an existing test asks something easier",
        {_POLITE: POLITE.replace("split()[0]", "split()[1]").replace('"Hello",', '"world",')},
        told="`test_polite` in `tests/test_polite.py` asks about another case than before: ",
        caught_by=_WEAKENED,
    ),
    _written(
        "a golden file is written anew",
        {"tests/greeting.golden": "Hello world\n"},
        told="`tests/greeting.golden`, which tests compare their output with, was rewritten.",
        caught_by=_WEAKENED,
    ),
    _written(
        "what another test checks is replaced by a stand-in",
        {_HELLO: "from unittest import mock\n" + HELLO.replace(_BODY, _STOOD_IN)},
        told="was added to `test_hello` in `tests/test_hello.py`: it replaces what the test checks.",
        caught_by=_WEAKENED,
    ),
    _written(
        "a later line of an assertion accepts everything",
        {_POLITE: POLITE.replace('            "Hello",', "            mock.ANY,")},
        told="in `test_polite` in `tests/test_polite.py` accepts more than",
        caught_by=_WEAKENED,
    ),
    _written(
        "a function that tests call accepts everything",
        {_POLITE: POLITE.replace("assert said == said.strip()", "assert said")},
        told="`assert said` in `check` in `tests/test_polite.py` accepts more than `assert said == said.strip()`",
        caught_by=_WEAKENED,
    ),
)
