"""Tests that look at the files of a change instead of running its code, and changes of comments alone."""

import pytest

from caseworker.core.evidence.read_sources import comments_alone, reading_sources
from caseworker.core.evidence.unified_diff import FileDiff, read_diff


def changed(path: str, now: str, *, was: str = "", new: bool = False) -> str:
    """The diff of one file, in which these lines are all that there is."""
    old, added = was.splitlines(), now.splitlines()
    head = f"diff --git a/{path} b/{path}\n" + ("new file mode 100644\n" if new else "")
    body = "".join([*(f"-{line}\n" for line in old), *(f"+{line}\n" for line in added)])
    return f"{head}--- a/{path}\n+++ b/{path}\n@@ -1,{len(old)} +1,{len(added)} @@\n{body}"


def with_test(test: str, path: str = "tests/test_till.py") -> list[FileDiff]:
    """The change of a source file and a new file of data, with a new test."""
    return read_diff(
        changed("shop/till.py", "return sum(prices)", was="return 0")
        + changed("prices.json", "{}", new=True)
        + changed(path, test, new=True)
    )


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ('self.assertIn("every", open("shop/till.py").read())', 1),
        ('code = Path("shop/till.py").read_bytes()\nassert sha256(code).hexdigest() != OLD', 1),
        ('where = "shop/till.py"\nwith open(where) as file:\n    assert "every" in file.read()', 1),
        ("assert 'every' in inspect.getsource(total)", 1),
        ("import till\nassert len(total.__code__.co_consts) > 2", 2),
        ("assert 'every' in Path(till.__file__).read_text()", 1),
        ("assert 'every' in open(till.__file__).read()", 1),
    ],
)
def test_a_test_that_reads_the_code_is_named(test: str, line: int) -> None:
    shown = test.splitlines()[line - 1]
    expected = f"`tests/test_till.py`, line {line}, reads the text of the code instead of running it: `{shown}`."
    assert reading_sources(with_test(test)) == {"tests/test_till.py": [expected]}


def test_a_shell_test_that_reads_the_code_is_named() -> None:
    [told] = reading_sources(with_test("grep -q every shop/till.py", "tests/till.sh"))["tests/till.sh"]
    assert told.startswith("`tests/till.sh`, line 1, reads the text of the code")


@pytest.mark.parametrize(
    "test",
    [
        'self.assertTrue(os.path.exists("prices.json"))',
        'assert Path(__file__).with_name("prices.json").is_file()',
        'with open("prices.json") as file:',
        'assert total([2, 3]) == (2 if Path("prices.json").exists() else 5)',
    ],
)
def test_a_test_that_looks_for_a_file_of_the_change_is_named(test: str) -> None:
    expected = f"`tests/test_till.py`, line 1, looks for a file that the change adds: `{test}`."
    assert reading_sources(with_test(test)) == {"tests/test_till.py": [expected]}


@pytest.mark.parametrize(
    "test",
    [
        "self.assertEqual(total([2, 3]), 5)",
        'done = subprocess.run([sys.executable, "shop/till.py"], capture_output=True)\nassert "5" in done.stdout',
        'spec = spec_from_file_location("till", "shop/till.py")',
        'jest.mock("../shop/till.py")',
        'text = open("README.md").read()\nassert "till" in text',
        '(tmp_path / "prices.json").write_text("{}")\nassert load(tmp_path)',
        'assert (tmp_path / "prices.json").exists()',
        'HERE = Path(__file__).parent\nassert (HERE / "data.txt").read_text() == export()',
        '"""What shop/till.py adds up."""',
    ],
)
def test_a_test_that_runs_the_code_is_not_named(test: str) -> None:
    assert reading_sources(with_test(test)) == {}


def test_a_change_of_comments_alone_is_named() -> None:
    diff = changed("till.py", "    return sum(prices[:-1])  # every price\n# counts", was="    return sum(prices[:-1])")
    told = comments_alone(read_diff(diff + changed("tests/test_till.py", "assert total([2]) == 2", new=True)))
    assert told == {
        "till.py": ["`till.py` is changed in comments, docstrings or annotations alone: what it does is the same."]
    }


@pytest.mark.parametrize(
    ("now", "was"),
    [
        ('def total(prices):\n    """Every price."""\n    return 0', "def total(prices):\n    return 0"),
        ("def total(prices):\n    'Every price.'\n    return 0", "def total(prices):\n    return 0"),
        ('def total(prices):\n    """Every\n    price."""\n    return 0', "def total(prices):\n    return 0"),
        ("def total(prices: list[int], tax: int = 0) -> int:", "def total(prices, tax = 0):"),
    ],
)
def test_a_change_of_docstrings_or_annotations_alone_is_named(now: str, was: str) -> None:
    assert comments_alone(read_diff(changed("till.py", now, was=was))).keys() == {"till.py"}


@pytest.mark.parametrize(
    "diff",
    [
        changed("till.py", 'raise Wrong(\n    "a price is missing"\n)', was='raise Wrong(\n    "prices"\n)'),
        changed("till.py", "def total(prices, tax=1):", was="def total(prices, tax=0):"),
        changed("till.py", "return sum(prices)  # all", was="return sum(prices[:-1])"),
        changed("till.py", '    colour = "#fff"', was='    colour = "#000"'),
        changed("till.js", "return sum // all", was="return sum") + changed("prices.json", "{}", was="[]"),
        changed("till.js", 'get("http://b")', was='get("http://a")'),
        changed("till.py", "if paid:\n        return 1", was="if paid:\n    return 1"),
        changed("tests/test_till.py", "# why", new=True),
        changed("new.py", "# nothing yet", new=True),
    ],
)
def test_a_change_of_code_is_not_one_of_comments_alone(diff: str) -> None:
    assert comments_alone(read_diff(diff)) == {}
