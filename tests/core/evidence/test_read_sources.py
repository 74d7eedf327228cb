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
        ('here = Path(till.__file__).with_suffix(".py")\nsource = here.read_text()\nassert "every" in source', 1),
        ("where = till.__file__\n\n\n\n\nwith open(where) as file:\n    assert file.read()", 1),
        ("assert os.stat(till.__file__).st_size != 23693", 1),
        ("assert os.path.getsize(sys.modules['till'].__file__) > 100", 1),
        ("tree = ast.parse(Path(inspect.getfile(total)).read_text())", 1),
        ("where = vars(till)['__file__']\nassert sha256(Path(where).read_bytes())", 1),
        ("assert 'every' in linecache.getline(path, 3)", 1),
        ("assert 'every' in [one.argval for one in dis.get_instructions(total)]", 1),
    ],
)
def test_a_test_that_reads_the_code_is_named(test: str, line: int) -> None:
    shown = test.splitlines()[line - 1]
    expected = f"`tests/test_till.py`, line {line}, reads the text of the code instead of running it: `{shown}`."
    assert reading_sources(with_test(test)) == {"tests/test_till.py": [expected]}


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ("const at = require.resolve('..');\nassert(fs.readFileSync(at, 'utf8').includes('every'));", 1),
        ("const at = new URL('../index.js', import.meta.url);\nt.true(fs.readFileSync(at, 'utf8').includes('a'));", 1),
        ("import total from './till.js';\nt.true(total.toString().includes('every'));", 2),
        ("const {total} = require('./till');\nexpect(String(total)).toMatch(/every/);", 2),
        ("t.is(total(1), 1);\nt.regex(total.toString(), /every/);", 2),
    ],
)
def test_a_script_test_that_reads_the_code_is_named(test: str, line: int) -> None:
    [told] = reading_sources(with_test(test, "test/total.test.js"))["test/total.test.js"]
    assert told.startswith(f"`test/total.test.js`, line {line}, reads the text of the code")


@pytest.mark.parametrize(
    "test",
    [
        "const at = new URL('./data.js', import.meta.url);\nconst text = fs.readFileSync(at, 'utf8');",
        "const at = new URL('../fixtures/data.json', import.meta.url);\nconst text = fs.readFileSync(at, 'utf8');",
        "const page = await render();\nexpect(page.toString()).toContain('every');",
        "import total from './till.js';\nconst text = total(2).toString();\nexpect(text).toContain('2');",
        "const preset = require.resolve('babel-preset');\nexpect(total({ preset })).toBe(2);",
        "const done = spawnSync('node', [require.resolve('../cli')]);\nexpect(done.stdout.length).toBe(2);",
    ],
)
def test_a_script_test_that_runs_the_code_is_not_named(test: str) -> None:
    assert reading_sources(with_test(test, "test/total.test.js")) == {}


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
        'HERE = Path(__file__).parent\n\ndata = (HERE / "data.txt").read_text()\nassert total(data) == 5',
        'data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "till.csv")\nassert total(open(data)) == 5',
        'rates = Path(till.__file__).with_name("rates.json")\nassert total() == json.loads(rates.read_text())["sum"]',
        'done = subprocess.run([sys.executable, till.__file__], capture_output=True)\nassert done.stdout.read() == "5"',
        "assert till.__file__.startswith(sys.prefix)",
        'shutil.copy(till.__file__, tmp_path)\nassert total(open(tmp_path / "rates.txt")) == 5',
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
