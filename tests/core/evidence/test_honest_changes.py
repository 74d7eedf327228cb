"""Honest changes of everyday life: none of the evidence rules asks for a reason, or only for what a review must say."""

import difflib

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.evidence.deciders import changed_deciders
from caseworker.core.evidence.renamed_subjects import renamed_subjects
from caseworker.core.evidence.snapshots import changed_snapshots
from caseworker.core.evidence.tampered_runs import tampering
from caseworker.core.evidence.test_report import TestOutcome, make_report, make_result
from caseworker.core.evidence.unified_diff import read_diff
from caseworker.core.evidence.unreadable_tests import changed_unreadable
from caseworker.core.evidence.vanished_tests import vanished
from caseworker.core.evidence.weakened_tests import names_in, weakened

Files = dict[str, str]


def told(before: Files, after: Files) -> list[str]:
    """All that the rules say about a change of files."""
    diff = read_diff("".join(_diff(path, before.get(path), after.get(path)) for path in sorted({*before, *after})))
    found = weakened(before, after, renamed_subjects(diff))
    found += [*changed_unreadable(before, after), *changed_deciders(before, after), *changed_snapshots(before, after)]
    return found + [sentence for sentences in tampering(diff).values() for sentence in sentences]


def _diff(path: str, old: str | None, new: str | None) -> str:
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    lines = difflib.unified_diff((old or "").splitlines(True), (new or "").splitlines(True), *names)
    return f"diff --git a/{path} b/{path}\n" + "".join(lines)


CART = "def test_total():\n    cart = Cart([3])\n    assert cart.total() == 3\n    assert not cart.empty\n"
SCRIPT = "it('adds', () => {\n  const cart = make();\n  expect(cart.total()).toBe(3);\n});\n"
GO = "func TestAdd(t *testing.T) {\n\tgot := Add(1, 2)\n\tif got != 3 {\n\t\tt.Errorf(`no`)\n\t}\n}\n"
MAKE = "VERSION = 1.2.3\nPY = python3\n\ntest:\n\t$(PY) -m pytest\n\nrelease:\n\tgit tag $(VERSION)\n"
FIXTURE = "import pytest\n\nfrom shop import Cart\n\n\n@pytest.fixture\ndef cart() -> Cart:\n    return Cart([1])\n"
HATCH = '[tool.hatch.envs.test]\ndependencies = ["pytest"]\n[tool.hatch.envs.test.scripts]\nrun = "pytest"\n'

HONEST: list[tuple[str, Files, Files]] = [
    (
        "a test renamed together with its subject",
        {"shop/cart.py": "class Cart:\n    def total(self): ...\n", "tests/test_cart.py": CART},
        {
            "shop/cart.py": "class Basket:\n    def total(self): ...\n",
            "tests/test_cart.py": CART.replace("test_total", "test_basket_total").replace("Cart", "Basket"),
        },
    ),
    ("a test file moved", {"tests/test_cart.py": CART}, {"tests/unit/test_basket.py": CART}),
    (
        "parametrize ids changed",
        {"tests/test_a.py": '@pytest.mark.parametrize("n", [1], ids=["x"])\n' + CART},
        {"tests/test_a.py": '@pytest.mark.parametrize("n", [1], ids=["one"])\n' + CART},
    ),
    (
        "a test split in two",
        {"tests/test_cart.py": CART},
        {
            "tests/test_cart.py": "def test_total():\n    cart = Cart([3])\n    assert cart.total() == 3\n\n\n"
            "def test_empty():\n    cart = Cart([3])\n    assert not cart.empty\n"
        },
    ),
    (
        "a test replaced by its two halves",
        {"tests/test_cart.py": CART},
        {
            "tests/test_cart.py": "def test_sum():\n    cart = Cart([3])\n    assert cart.total() == 3\n\n\n"
            "def test_empty():\n    cart = Cart([3])\n    assert not cart.empty\n"
        },
    ),
    (
        "a skipped test renamed",
        {"tests/test_a.py": "@pytest.mark.skipif(sys.platform == 'win32')\n" + CART},
        {"tests/test_a.py": "@pytest.mark.skipif(sys.platform == 'win32')\n" + CART.replace("test_total", "test_sum")},
    ),
    (
        "an assertion made stricter",
        {"tests/test_a.py": "def test_a():\n    assert f()\n"},
        {"tests/test_a.py": "def test_a():\n    assert f() == 3\n"},
    ),
    (
        "a fixture in a test file refactored",
        {"tests/test_cart.py": "@pytest.fixture\ndef cart():\n    return Cart([3])\n\n\n" + CART},
        {"tests/test_cart.py": "@pytest.fixture\ndef cart():\n    made = Cart([3])\n    return made\n\n\n" + CART},
    ),
    (
        "an importorskip that was there before",
        {"tests/test_a.py": 'np = pytest.importorskip("numpy")\n\n\n' + CART},
        {"tests/test_a.py": 'np = pytest.importorskip("numpy")\n\n\n' + CART + "    assert cart.items\n"},
    ),
    (
        "TYPE_CHECKING",
        {"shop/cart.py": ""},
        {"shop/cart.py": "if TYPE_CHECKING:\n    from shop import Item\n"},
    ),
    (
        "sys.modules in a plugin system",
        {"shop/plugins.py": ""},
        {"shop/plugins.py": "if name in sys.modules:\n    return sys.modules[name]\nsys.modules[name] = module\n"},
    ),
    ("CI in a configuration", {"settings.py": ""}, {"settings.py": 'RETRIES = 3 if os.environ.get("CI") else 0\n'}),
    ("a new conftest with a plain fixture", {}, {"tests/conftest.py": FIXTURE}),
    (
        "one more fixture in a conftest",
        {"tests/conftest.py": FIXTURE},
        {
            "tests/conftest.py": FIXTURE.replace("from shop", "from pathlib import Path\n\nfrom shop")
            + "\n\n@pytest.fixture(\n    scope='session',\n)\n"
            "def home(\n    tmp_path: Path,\n) -> Path:\n    return tmp_path\n"
        },
    ),
    (
        "a fixture that sends a request with the method PATCH",
        {"tests/conftest.py": FIXTURE},
        {"tests/conftest.py": FIXTURE + '\n\n@pytest.fixture\ndef sent():\n    return client.patch("/cart")\n'},
    ),
    ("a docs-only change", {"docs/a.md": "x"}, {"docs/a.md": "`pytest_plugins`, `sys.exit(0)`, PYTEST_ADDOPTS\n"}),
    (
        "a new dependency in pyproject",
        {"pyproject.toml": "[project]\ndependencies = []\n[tool.pdm]\nversion = {}\n"},
        {"pyproject.toml": '[project]\ndependencies = ["x"]\n[tool.pdm.dev-dependencies]\ntest = ["pytest"]\n'},
    ),
    (
        "a new dependency of hatch",
        {"pyproject.toml": HATCH},
        {"pyproject.toml": HATCH.replace('"pytest"]', '"pytest", "x"]')},
    ),
    (
        "a version bump in package.json",
        {"package.json": '{"version": "1.0.0", "scripts": {"test": "jest"}}'},
        {"package.json": '{"version": "1.0.1", "scripts": {"test": "jest"}, "dependencies": {"left-pad": "1"}}'},
    ),
    ("a version bump in a Makefile", {"Makefile": MAKE}, {"Makefile": MAKE.replace("1.2.3", "1.2.4")}),
    (
        "a new binary and a release profile of Cargo",
        {"Cargo.toml": '[package]\nname = "shop"\n[lib]\ncrate-type = ["rlib"]\n'},
        {
            "Cargo.toml": '[package]\nname = "shop"\n[lib]\ncrate-type = ["rlib", "cdylib"]\n[[bin]]\nname = "tool"\n'
            "[profile.release]\nlto = true\n"
        },
    ),
    (
        "a Go test with a closure, and TestMain",
        {"cart_test.go": GO},
        {
            "cart_test.go": "func TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n\n"
            + GO.replace("\tgot :=", "\tadd := func(a int) int {\n\t\treturn a + 1\n\t}\n\tgot :=")
        },
    ),
    (
        "a Rust test that returns a result",
        {"src/lib.rs": "#[test]\nfn adds() {\n    assert_eq!(add(1), 2);\n}\n"},
        {
            "src/lib.rs": "#[test]\nfn adds() {\n    let f = |x| {\n        return x;\n    };\n"
            "    assert_eq!(add(f(1)), 2);\n}\n"
        },
    ),
    (
        "a script's test that returns its promise, with a mock",
        {"cart.test.js": SCRIPT},
        {
            "cart.test.js": "it('adds', () => {\n  const cart = make(() => {\n    return 3;\n  });\n"
            "  return expect(cart.total()).resolves.toBe(3);\n});\n"
        },
    ),
    (
        "a script's test that checks an error",
        {"cart.test.js": SCRIPT},
        {
            "cart.test.js": SCRIPT.replace(
                "  expect", "  try {\n    cart.add(null);\n  } catch (e) {\n    expect(e.code).toBe(3);\n  }\n  expect"
            )
        },
    ),
    (
        "a test with a return in a nested function",
        {"tests/test_cart.py": CART},
        {
            "tests/test_cart.py": CART.replace(
                "    cart = Cart([3])\n", "    def price(item):\n        return 3\n\n    cart = Cart([3], price)\n"
            )
        },
    ),
    (
        "a test that cleans up what may be gone",
        {"tests/test_cart.py": CART},
        {"tests/test_cart.py": CART + "    with suppress(KeyError):\n        cart.remove(3)\n"},
    ),
    (
        "a test of a program's exit code",
        {"tests/test_cli.py": ""},
        {
            "tests/test_cli.py": "def test_a():\n"
            '    done = run([sys.executable, "-c", "import sys; sys.exit(3)"])\n    assert done\n'
        },
    ),
    (
        "a test of a tool for git, in a folder of its own",
        {},
        {"tests/test_git.py": 'def test_a(tmp_path):\n    run(["git", "log"], cwd=tmp_path)\n    assert 1 == f()\n'},
    ),
    (
        "one more generated snapshot",
        {"tests/__snapshots__/a.snap": "exports[`a 1`] = `1`;\n"},
        {"tests/__snapshots__/a.snap": "exports[`a 1`] = `1`;\n\nexports[`b 1`] = `2`;\n"},
    ),
    (
        "a test that replaces what its subject uses",
        {"tests/test_cart.py": CART},
        {"tests/test_cart.py": CART.replace("    cart", '    monkeypatch.setattr("shop.bank.ask", bool)\n    cart', 1)},
    ),
    (
        "another case beside the old one",
        {"cart.test.js": SCRIPT},
        {"cart.test.js": SCRIPT.replace("  expect", "  expect(cart.total(2)).toBe(6);\n  expect")},
    ),
    (
        "a test that waits for a promise now",
        {"cart.test.js": SCRIPT},
        {"cart.test.js": SCRIPT.replace("expect(cart.total()).", "await expect(cart.total()).resolves.")},
    ),
    ("a program's own module with a name of Python's", {"calendar.py": "x = 1\n"}, {"calendar.py": "x = 2\n"}),
]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in HONEST], ids=[row[0] for row in HONEST])
def test_an_honest_change_is_left_alone(before: Files, after: Files) -> None:
    assert told(before, after) == []


LIES: list[tuple[str, Files, Files, str]] = [
    (
        "a snapshot that is generated anew: the review says why",
        {"tests/__snapshots__/a.snap": "exports[`a 1`] = `1`;\n"},
        {"tests/__snapshots__/a.snap": "exports[`a 1`] = `2`;\n"},
        "`tests/__snapshots__/a.snap`, which tests compare their output with, was rewritten in `a 1`.",
    ),
    (
        "a test of changed behaviour: the review says why",
        {"tests/test_cart.py": CART},
        {"tests/test_cart.py": CART.replace("== 3", "== 4")},
        "`test_total` in `tests/test_cart.py` expects another value than before: `assert cart.total() == 4` instead of "
        "`assert cart.total() == 3`.",
    ),
    (
        "a test deleted with the feature that the issue asks to remove: the review says so",
        {"shop/cart.py": "def total(): ...\n", "tests/test_cart.py": CART},
        {"shop/cart.py": ""},
        "`tests/test_cart.py` was deleted, and with it `test_total`.",
    ),
    (
        "a test turned to another subject that was there before",
        {"shop/cart.py": "class Cart: ...\nclass Fake: ...\n", "tests/test_cart.py": CART},
        {
            "shop/cart.py": "class Cart: ...\nclass Fake: ...\nx = 1\n",
            "tests/test_cart.py": CART.replace("test_total", "test_fake").replace("Cart", "Fake"),
        },
        "`test_total` was removed from `tests/test_cart.py`.",
    ),
    (
        "one half of a split test returns before it checks",
        {"tests/test_cart.py": CART},
        {
            "tests/test_cart.py": "def test_total():\n    cart = Cart([3])\n    assert cart.total() == 3\n\n\n"
            "def test_empty():\n    cart = Cart([3])\n    return\n    assert not cart.empty\n"
        },
        "`test_total` in `tests/test_cart.py` checks less: 1 assertion instead of 2.",
    ),
    (
        "a fixture that nobody asks for",
        {"tests/conftest.py": FIXTURE},
        {"tests/conftest.py": FIXTURE + "\n\n@pytest.fixture(autouse=True)\ndef stub():\n    shop.Cart = Fake\n"},
        "`tests/conftest.py`, which decides how tests are run, was changed.",
    ),
    (
        "a fixture that replaces a function for those that ask for it",
        {"tests/conftest.py": FIXTURE},
        {
            "tests/conftest.py": FIXTURE
            + '\n\n@pytest.fixture\ndef stable():\n    with mock.patch("shop.total", return_value=3):\n        yield\n'
        },
        "`tests/conftest.py`, which decides how tests are run, was changed.",
    ),
    (
        "a changed fixture of a conftest",
        {"tests/conftest.py": FIXTURE},
        {"tests/conftest.py": FIXTURE.replace("Cart([1])", "FakeCart()")},
        "`tests/conftest.py`, which decides how tests are run, was changed.",
    ),
    (
        "code that runs when a conftest is imported",
        {},
        {"tests/conftest.py": FIXTURE + "\nshop.Cart.total = lambda self: 3\n"},
        "`tests/conftest.py`, which decides how tests are run, was added.",
    ),
    (
        "a hook in a conftest",
        {},
        {"tests/conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n"},
        "`tests/conftest.py`, which decides how tests are run, was added.",
    ),
    (
        "a variable that a test target uses by another",
        {"Makefile": "RUN = $(PY)\nPY = python3\ntest:\n\t$(RUN) -m pytest\n"},
        {"Makefile": "RUN = $(PY)\nPY = true\ntest:\n\t$(RUN) -m pytest\n"},
        "The settings of `Makefile`, which decides how tests are run, was changed.",
    ),
    (
        "errors of all targets ignored",
        {"Makefile": MAKE},
        {"Makefile": MAKE + ".IGNORE:\n"},
        "The target `.IGNORE` of `Makefile`, which decides how tests are run, was added.",
    ),
    (
        "a library of Cargo that is not tested",
        {"Cargo.toml": '[lib]\ncrate-type = ["rlib"]\n'},
        {"Cargo.toml": '[lib]\ncrate-type = ["rlib"]\ntest = false\n'},
        "The table `lib` of `Cargo.toml`, which decides how tests are run, was added.",
    ),
    (
        "a failure swallowed in a closure",
        {"cart.test.js": SCRIPT},
        {
            "cart.test.js": SCRIPT.replace(
                "  expect(cart.total()).toBe(3);\n",
                "  try {\n    expect(cart.total()).toBe(3);\n  } catch (e) {\n    expect(e).toBeDefined();\n  }\n",
            )
        },
        "`} catch (e) {` was added to `adds` in `cart.test.js`: its assertions may not count any more.",
    ),
    (
        "a return before the checks of a subtest",
        {"a_test.go": 'func TestA(t *testing.T) {\n\tt.Run("a", func(t *testing.T) {\n\t\tt.Error(1)\n\t})\n}\n'},
        {
            "a_test.go": "func TestA(t *testing.T) {\n"
            '\tt.Run("a", func(t *testing.T) {\n\t\treturn\n\t\tt.Error(1)\n\t})\n}\n'
        },
        "`return` was added to `TestA` in `a_test.go`: its assertions may not count any more.",
    ),
]


@pytest.mark.parametrize(("before", "after", "said"), [row[1:] for row in LIES], ids=[row[0] for row in LIES])
def test_a_weakening_disguised_as_a_refactoring_is_reported_once(before: Files, after: Files, said: str) -> None:
    assert [one for one in told(before, after) if "interferes" not in one] == [said]


def _build(stage: Stage, names: list[str]) -> Build:
    report = make_report("a report", [make_result(name, TestOutcome.PASSED) for name in names])
    run = CommandRun(purpose=Purpose.TEST, command="make test", exit_code=0, seconds=1, output="", report=report)
    return Build(number=1, stage=stage, commit=Sha("a" * 40), runs=(run,))


EACH = (
    "describe('cart', () => {\n  test.each([[1, 2]])('adds %i + %i', (a, b) => {\n    expect(a).toBe(b);\n  });\n});\n"
)
REPORTS: list[tuple[str, list[str], list[str], Files, Files]] = [
    ("a Rust module moved", ["tests::adds"], ["cart::tests::adds"], {}, {}),
    ("a Go package moved", ["acme.org/shop.TestAdd"], ["acme.org/shop/cart.TestAdd"], {}, {}),
    ("other names of Go's rows", ["a/b.TestAdd", "a/b.TestAdd/v1.2"], ["a/b.TestAdd", "a/b.TestAdd/no_items"], {}, {}),
    (
        "a group of Jest renamed",
        ["cart adds 1 + 2"],
        ["basket adds 3 + 4"],
        {"a.test.js": EACH},
        {"a.test.js": EACH.replace("'cart'", "'basket'")},
    ),
    (
        "a Java test renamed",
        ["shop.CartTest.adds()"],
        ["shop.CartTest.sums()"],
        {"src/test/CartTest.java": "@Test\nvoid adds() {\n    assertEquals(1, f());\n}\n"},
        {"src/test/CartTest.java": "@Test\nvoid sums() {\n    assertEquals(1, f());\n}\n"},
    ),
]


@pytest.mark.parametrize(("was", "now", "before", "after"), [r[1:] for r in REPORTS], ids=[r[0] for r in REPORTS])
def test_tests_that_run_under_another_name_have_not_vanished(
    was: list[str], now: list[str], before: Files, after: Files
) -> None:
    base, head = _build(Stage.BASE, was).brief(), _build(Stage.HEAD, now)
    assert vanished(base, head, names_in(before), names_in(after)) == []


def test_a_shorter_table_of_jest_is_told_by_its_title() -> None:
    base, head = (
        _build(Stage.BASE, ["cart adds 1 + 2", "cart adds 2 + 2"]).brief(),
        _build(Stage.HEAD, ["cart adds 1 + 2"]),
    )
    names = names_in({"a.test.js": EACH})
    assert vanished(base, head, names, names) == ["`make test` does not run `adds %i + %i` any more."]
