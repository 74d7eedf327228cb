"""Weakened tests are named; adding, moving and renaming a test weakens nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.evidence.weakened_tests import MOST_FINDINGS, may_have_tests, weakened

PYTHON = """\
import pytest


class TestCart:
    def test_total(self) -> None:
        cart = Cart()
        assert cart.total == 0
        assert cart.empty

    @pytest.mark.parametrize("off", [1, 2])
    def test_discount(
        self, off: int
    ) -> None:
        text = \"\"\"
dedented
\"\"\"
        assert cart.off(off) == text
"""

SCRIPT = """\
describe('cart', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3);
    expect(add(2, 2)).toBe(4);
  });

  test.each([
    [1, 1],
  ])('keeps %i', (a, b) => {
    expect(a).toBe(b);
  });
});
"""

LONG_NAME = """\
it(
  'keeps a name that is long',
  () => {
    expect(1).toBe(1);
  },
);
"""

GO = """\
func TestAdd(t *testing.T) {
\tif Add(1, 2) != 3 {
\t\tt.Errorf("no")
\t}
\trequire.Equal(t, 4, Add(2, 2))
}
"""

RUST = """\
pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
        assert!(add(1, 1) == 2);
    }
}
"""

JAVA = """\
class CartTest {
    @Test
    void adds() {
        assertEquals(3, add(1, 2));
        assertTrue(add(1, 1) == 2);
    }
}
"""

KOTLIN = "class CartTest {\n    @Test fun `adds two`() {\n        assertEquals(3, add(1, 2))\n    }\n}\n"

FILES = {
    "tests/test_cart.py": PYTHON,
    "src/cart.test.ts": SCRIPT,
    "web/long.spec.js": LONG_NAME,
    "cart_test.go": GO,
    "src/lib.rs": RUST,
    "src/test/java/CartTest.java": JAVA,
    "src/test/kotlin/CartTest.kt": KOTLIN,
}

TABLE: list[tuple[str, str, str, str, list[str]]] = [
    (
        "a Python test is removed",
        "tests/test_cart.py",
        PYTHON[PYTHON.index("    def test_total") : PYTHON.index("    @pytest")],
        "",
        ["`test_total` was removed from `tests/test_cart.py`."],
    ),
    (
        "a Python test is commented out",
        "tests/test_cart.py",
        "    def test_total(self) -> None:\n        cart = Cart()\n",
        "    # def test_total(self) -> None:\n    #    cart = Cart()\n",
        ["`test_total` was removed from `tests/test_cart.py`."],
    ),
    (
        "a Python test becomes a text",
        "tests/test_cart.py",
        PYTHON[PYTHON.index("    def test_total") : PYTHON.index("    @pytest")],
        "    '''\n    def test_total(self):\n        assert cart.total == 0\n    '''\n",
        ["`test_total` was removed from `tests/test_cart.py`."],
    ),
    (
        "a Python test is marked",
        "tests/test_cart.py",
        "    def test_total",
        '    @pytest.mark.skip(reason="later")\n    def test_total',
        ['`@pytest.mark.skip(reason="later")` was added to `test_total` in `tests/test_cart.py`.'],
    ),
    (
        "a mark is one of several, over several lines",
        "tests/test_cart.py",
        '    @pytest.mark.parametrize("off", [1, 2])\n',
        '    @pytest.mark.xfail(\n        strict=False,\n    )\n    @pytest.mark.parametrize("off", [1, 2])\n',
        ["`@pytest.mark.xfail(` was added to `test_discount` in `tests/test_cart.py`."],
    ),
    (
        "a Python test skips itself",
        "tests/test_cart.py",
        "        cart = Cart()\n",
        '        pytest.skip("later")\n        cart = Cart()\n',
        ["`pytest.skip` was added to `test_total` in `tests/test_cart.py`."],
    ),
    (
        "a class is marked",
        "tests/test_cart.py",
        "class TestCart:",
        '@unittest.skipIf(True, "x")\nclass TestCart:',
        ['`@unittest.skipIf(True, "x")` was added to `TestCart` in `tests/test_cart.py`.'],
    ),
    (
        "a module is marked",
        "tests/test_cart.py",
        "import pytest\n",
        "import pytest\n\npytestmark = pytest.mark.skipif(True)\n",
        ["`pytestmark = pytest.mark.skipif(True)` was added to `tests/test_cart.py`."],
    ),
    (
        "an assertion is removed",
        "tests/test_cart.py",
        "        assert cart.empty\n",
        "",
        ["`test_total` in `tests/test_cart.py` checks less: 1 assertion instead of 2."],
    ),
    (
        "an assertion is commented out",
        "tests/test_cart.py",
        "        assert cart.off",
        "        # assert cart.off",
        ["`test_discount` in `tests/test_cart.py` checks less: 0 assertions instead of 1."],
    ),
    (
        "a script's test is removed",
        "src/cart.test.ts",
        SCRIPT[SCRIPT.index("  it(") : SCRIPT.index("  test.each")],
        "",
        ["`adds` was removed from `src/cart.test.ts`."],
    ),
    (
        "a script's table test is removed",
        "src/cart.test.ts",
        SCRIPT[SCRIPT.index("  test.each") : SCRIPT.rindex("});")],
        "",
        ["`keeps %i` was removed from `src/cart.test.ts`."],
    ),
    (
        "a script's test is put into a comment",
        "src/cart.test.ts",
        SCRIPT[SCRIPT.index("  it(") : SCRIPT.index("  test.each")],
        "  /*\n  it('adds', () => {\n    expect(1).toBe(1);\n  });\n  */\n",
        ["`adds` was removed from `src/cart.test.ts`."],
    ),
    (
        "a script's test whose name is on a line of its own is removed",
        "web/long.spec.js",
        LONG_NAME,
        "",
        ["`keeps a name that is long` was removed from `web/long.spec.js`."],
    ),
    ("it.skip", "src/cart.test.ts", "it(", "it.skip(", ["`it.skip` was added to `adds` in `src/cart.test.ts`."]),
    ("xit", "src/cart.test.ts", "it(", "xit(", ["`xit` was added to `adds` in `src/cart.test.ts`."]),
    ("it.fails", "src/cart.test.ts", "it(", "it.fails(", ["`it.fails` was added to `adds` in `src/cart.test.ts`."]),
    ("test.fail", "src/cart.test.ts", "it(", "test.fail(", ["`test.fail` was added to `adds` in `src/cart.test.ts`."]),
    (
        "it.skipIf",
        "src/cart.test.ts",
        "it('adds', ",
        "it.skipIf(process.platform === 'linux')('adds', ",
        [
            "`it.skipIf(process.platform === 'linux')('adds', () => {` was added to `adds` in `src/cart.test.ts`.",
        ],
    ),
    ("it.only", "src/cart.test.ts", "it(", "it.only(", ["`it.only` was added to `adds` in `src/cart.test.ts`."]),
    (
        "describe.skip",
        "src/cart.test.ts",
        "describe(",
        "describe.skip(",
        ["`describe.skip` was added to `cart` in `src/cart.test.ts`."],
    ),
    (
        "a script's assertion is removed",
        "src/cart.test.ts",
        "    expect(add(2, 2)).toBe(4);\n",
        "",
        ["`adds` in `src/cart.test.ts` checks less: 1 assertion instead of 2."],
    ),
    ("a Go test is removed", "cart_test.go", GO, "", ["`TestAdd` was removed from `cart_test.go`."]),
    (
        "a Go test skips itself",
        "cart_test.go",
        "testing.T) {\n",
        'testing.T) {\n\tt.Skip("later")\n',
        ["`t.Skip` was added to `TestAdd` in `cart_test.go`."],
    ),
    (
        "a Go file is left out of most builds",
        "cart_test.go",
        "func TestAdd",
        "//go:build integration\n\nfunc TestAdd",
        ["`//go:build integration` was added to `cart_test.go`."],
    ),
    (
        "a Go test ends early in short runs",
        "cart_test.go",
        "testing.T) {\n",
        "testing.T) {\n\tif testing.Short() {\n\t\treturn\n\t}\n",
        ["`return` was added to `TestAdd` in `cart_test.go`: its assertions may not count any more."],
    ),
    (
        "a Go assertion is removed",
        "cart_test.go",
        "\trequire.Equal(t, 4, Add(2, 2))\n",
        "",
        ["`TestAdd` in `cart_test.go` checks less: 1 assertion instead of 2."],
    ),
    ("a Rust test is no test any more", "src/lib.rs", "    #[test]\n", "", ["`adds` was removed from `src/lib.rs`."]),
    (
        "a Rust test is ignored",
        "src/lib.rs",
        "    #[test]\n",
        "    #[test]\n    #[ignore]\n",
        ["`#[ignore]` was added to `adds` in `src/lib.rs`."],
    ),
    (
        "a Rust test may panic",
        "src/lib.rs",
        "    #[test]\n",
        "    #[test]\n    #[should_panic]\n",
        ["`#[should_panic]` was added to `adds` in `src/lib.rs`."],
    ),
    (
        "a Rust test is left out of most builds",
        "src/lib.rs",
        "    #[test]\n",
        '    #[cfg(feature = "slow")]\n    #[test]\n',
        ['`#[cfg(feature = "slow")]` was added to `adds` in `src/lib.rs`.'],
    ),
    (
        "a Rust assertion is removed",
        "src/lib.rs",
        "        assert!(add(1, 1) == 2);\n",
        "",
        ["`adds` in `src/lib.rs` checks less: 1 assertion instead of 2."],
    ),
    (
        "a Java test is disabled",
        "src/test/java/CartTest.java",
        "    @Test\n",
        "    @Disabled\n    @Test\n",
        ["`@Disabled` was added to `adds` in `src/test/java/CartTest.java`."],
    ),
    (
        "a Java test is ignored",
        "src/test/java/CartTest.java",
        "    @Test\n",
        '    @Test\n    @Ignore("x")\n',
        ['`@Ignore("x")` was added to `adds` in `src/test/java/CartTest.java`.'],
    ),
    (
        "a Java test may throw",
        "src/test/java/CartTest.java",
        "    @Test\n",
        "    @Test(expected = Exception.class)\n",
        ["`@Test(expected = Exception.class)` was added to `adds` in `src/test/java/CartTest.java`."],
    ),
    (
        "a Java test is not enabled",
        "src/test/java/CartTest.java",
        "    @Test\n",
        "    @Test(enabled = false)\n",
        ["`@Test(enabled = false)` was added to `adds` in `src/test/java/CartTest.java`."],
    ),
    (
        "a Java test runs on one system",
        "src/test/java/CartTest.java",
        "    @Test\n",
        "    @Test\n    @EnabledOnOs(OS.WINDOWS)\n",
        ["`@EnabledOnOs(OS.WINDOWS)` was added to `adds` in `src/test/java/CartTest.java`."],
    ),
    (
        "a Java test is no test any more",
        "src/test/java/CartTest.java",
        "    @Test\n",
        "",
        ["`adds` was removed from `src/test/java/CartTest.java`."],
    ),
    (
        "a Kotlin test is removed",
        "src/test/kotlin/CartTest.kt",
        "@Test fun `adds two`",
        "fun addsTwo",
        ["`adds two` was removed from `src/test/kotlin/CartTest.kt`."],
    ),
]


@pytest.mark.parametrize(("path", "old", "new", "found"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_weakened_test_is_named(path: str, old: str, new: str, found: list[str]) -> None:
    assert old in FILES[path]
    assert weakened({path: FILES[path]}, {path: FILES[path].replace(old, new, 1)}) == found


@pytest.mark.parametrize("path", FILES)
def test_a_deleted_file_is_named_once_with_its_tests(path: str) -> None:
    [sentence] = weakened({path: FILES[path]}, {})
    assert sentence.startswith(f"`{path}` was deleted, and with it `")


def test_only_some_tests_of_a_large_deleted_file_are_named() -> None:
    text = "".join(f"def test_{number}():\n    assert {number}\n" for number in range(8))
    assert weakened({"test_many.py": text}, {}) == [
        "`test_many.py` was deleted, and with it `test_0`, `test_1`, `test_2`, `test_3`, `test_4` and 3 more."
    ]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("spec/cart_spec.rb", ["`spec/cart_spec.rb` was deleted."]),
        ("tests/helpers.py", []),
        ("tests/data/test_1.json", []),
        ("docs/tests.md", []),
    ],
)
def test_a_deleted_file_named_like_a_test_is_named_too(path: str, found: list[str]) -> None:
    assert weakened({path: "x = 1\n"}, {}) == found


NEW_PANIC = "    #[test]\n    #[should_panic]\n    fn panics() {\n        add(1);\n    }\n\n    #[test]"
UNCHANGED: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("a file is moved", {"tests/test_a.py": PYTHON}, {"tests/unit/test_b.py": PYTHON}),
    ("a file we can't read is moved", {"spec/a_spec.rb": "it"}, {"spec/new/a_spec.rb": "it"}),
    (
        "a test is moved to another file",
        {"tests/test_a.py": "def test_a():\n    assert 1\n", "tests/test_b.py": ""},
        {"tests/test_a.py": "", "tests/test_b.py": "class TestB:\n    def test_a(self):\n        assert 1\n"},
    ),
    (
        "a test is renamed",
        {"tests/test_a.py": "def test_a():\n    assert 1\n"},
        {"tests/test_a.py": "def test_b():\n    assert 1\n"},
    ),
    ("a new Rust test panics", {"src/lib.rs": RUST}, {"src/lib.rs": RUST.replace("    #[test]", NEW_PANIC, 1)}),
    ("a new Go file for one system", {}, {"a_test.go": "//go:build windows\n\n" + GO}),
    (
        "a Rust function is left out of some builds",
        {"src/lib.rs": RUST},
        {"src/lib.rs": '#[cfg(feature = "a")]\nuse a;\n' + RUST},
    ),
    (
        "a new script's test for one system",
        {"a.test.js": SCRIPT},
        {"a.test.js": SCRIPT + "it.runIf(linux)('new', () => {\n  expect(add(1)).toBe(1);\n});\n"},
    ),
    (
        "a skipped test is moved",
        {"tests/test_a.py": "@pytest.mark.skip\ndef test_a():\n    assert 1\n"},
        {"tests/test_b.py": "@pytest.mark.skip\ndef test_a():\n    assert 1\n"},
    ),
    (
        "a test is written before a helper that asserts",
        {"tests/test_a.py": "def test_a():\n    check()\n\n\ndef check():\n    assert 1\n"},
        {"tests/test_a.py": "def test_a():\n    check()\n\n\ndef test_b(): ...\n\n\ndef check():\n    assert 1\n"},
    ),
    (
        "a helper that asserts is moved",
        {"tests/test_a.py": "def check():\n    assert 1\n"},
        {"tests/test_a.py": "", "tests/conftest.py": "def check():\n    assert 1\n"},
    ),
    (
        "a function of the program is called like a test",
        {"src/net.py": "def test_connection():\n    assert 1\n"},
        {"src/net.py": ""},
    ),
    ("a group is removed and its tests stay", {"a.test.js": SCRIPT}, {"a.test.js": SCRIPT[SCRIPT.index("  it(") :]}),
    ("the program asserts less", {"src/lib.rs": "fn a() {\n    assert!(true);\n}\n"}, {"src/lib.rs": "fn a() {}\n"}),
]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in UNCHANGED], ids=[row[0] for row in UNCHANGED])
def test_nothing_is_named_if_no_test_was_weakened(before: dict[str, str], after: dict[str, str]) -> None:
    assert weakened(before, after) == []


def test_assertions_of_badly_laid_out_tests_count_for_the_file() -> None:
    before = "it('a', () => {\nexpect(a).toBe(1);\nexpect(b).toBe(2);\n});\n"
    after = before.replace("expect(b).toBe(2);\n", "")
    assert weakened({"a.test.js": before}, {"a.test.js": after}) == [
        "`a.test.js` checks less outside of its tests: 1 assertion instead of 2."
    ]


def test_a_skip_moved_to_another_test_is_new_there() -> None:
    before = "@pytest.mark.skip\ndef test_a():\n    assert 1\n\n\ndef test_b():\n    assert 2\n"
    after = "def test_a():\n    assert 1\n\n\n@pytest.mark.skip\ndef test_b():\n    assert 2\n"
    assert weakened({"test_x.py": before}, {"test_x.py": after}) == [
        "`@pytest.mark.skip` was added to `test_b` in `test_x.py`."
    ]


def test_a_file_that_can_not_be_read_is_named() -> None:
    assert weakened({"test_x.py": PYTHON}, {"test_x.py": None}) == [
        "`test_x.py` is too large to be compared: look at it."
    ]
    assert weakened({}, {"test_x.py": None}) == ["`test_x.py` is too large to be compared: look at it."]


def test_a_long_list_is_cut() -> None:
    before = "".join(f"def test_{number}():\n    assert {number}\n" for number in range(MOST_FINDINGS + 7))
    found = weakened({"test_x.py": before}, {"test_x.py": ""})
    assert len(found) == MOST_FINDINGS + 1
    assert found[-1] == "And 7 more like these."


@pytest.mark.parametrize(
    "path", ["tests/test_a.py", "a_test.go", "web/a.spec.tsx", "src/lib.rs", "x_spec.rb", "tests.py"]
)
def test_files_that_may_have_tests_are_read(path: str) -> None:
    assert may_have_tests(path)


@pytest.mark.parametrize("path", ["src/cart.py", "README.md", "tests/data.json", "latest.py", "Contest.php", "main.go"])
def test_other_files_are_not_read(path: str) -> None:
    assert not may_have_tests(path)


# --- properties

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


def python_file(names: list[str]) -> str:
    return "\n\n".join(f"def test_{name}():\n    value = '{name}'\n    assert value == '{name}'\n" for name in names)


@given(names=NAMES, place=st.integers(0, 6))
def test_adding_a_test_weakens_nothing(names: list[str], place: int) -> None:
    more = [*names[:place], "new", *names[place:]]
    assert weakened({"test_x.py": python_file(names)}, {"test_x.py": python_file(more)}) == []


@given(names=NAMES, kept=st.sets(st.sampled_from("abcdefgh")), elsewhere=st.sets(st.sampled_from("abcdefgh")))
def test_exactly_the_removed_tests_are_named(names: list[str], kept: set[str], elsewhere: set[str]) -> None:
    here = [name for name in names if name in kept]
    there = [name for name in names if name in elsewhere - kept]
    found = weakened(
        {"test_x.py": python_file(names), "test_y.py": ""},
        {"test_x.py": python_file(here), "test_y.py": python_file(there)},
    )
    assert found == [f"`test_{name}` was removed from `test_x.py`." for name in names if name not in kept | elsewhere]


PIECES = """\
def test_a():
  def test_b(
it('x', () => {
describe(
});
])(
\"\"\"
/*
*/
#[test]
@Test
fn a() {
void b() {
@pytest.mark.skip
  assert x
    expect(1)
#[ignore]
class A:
\t}
{
"""
LONG = [" " * 500, "(" * 500, "fn " * 200, "assert" * 100, "\x00", "\u2028", "\r"]
LINES = st.sampled_from([*PIECES.splitlines(), *LONG])
SOURCE = st.lists(LINES | st.text(max_size=20), max_size=40).map("\n".join)


@given(path=st.sampled_from(sorted(FILES)), text=SOURCE)
def test_any_text_can_be_read_and_an_unchanged_one_weakens_nothing(path: str, text: str) -> None:
    assert weakened({path: text}, {path: text}) == []


@given(path=st.sampled_from(sorted(FILES)), before=SOURCE, after=SOURCE)
def test_any_files_give_only_sentences(path: str, before: str, after: str) -> None:
    assert all(sentence.endswith((".", "look at it.")) for sentence in weakened({path: before}, {path: after}))


PLAIN = "def test_total():\n    assert total(1, 2) == 3\n"


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (
            "def test_total():\n    assert True\n",
            "`test_total` in `tests/test_a.py` checks less: 0 assertions instead of 1.",
        ),
        (
            PLAIN.replace("== 3", "== 3 or True"),
            "`test_total` in `tests/test_a.py` checks less: 0 assertions instead of 1.",
        ),
        (PLAIN.replace("    assert", "    return\n    assert"), "`return` was added to `test_total`"),
        (PLAIN.replace("    assert", "    if False:\n        assert"), "`if False:` was added to `test_total`"),
        (
            "def test_total():\n    try:\n        assert total(1, 2) == 3\n    except Exception:\n        pass\n",
            "`except Exception:` was added to `test_total`",
        ),
    ],
)
def test_an_assertion_that_does_not_count_any_more_is_told(after: str, told: str) -> None:
    [found] = weakened({"tests/test_a.py": PLAIN}, {"tests/test_a.py": after})
    assert told in found


@pytest.mark.parametrize("condition", ["sys.platform == 'win32'", 'os.name == "nt", reason="no"'])
def test_a_new_test_may_be_skipped_on_other_systems(condition: str) -> None:
    skip, one = f"@pytest.mark.skipif({condition})\n", "def test_a():\n    assert f() == 3\n"
    path = "tests/test_a.py"
    assert weakened({path: one}, {path: f"{one}\n\n{skip}{one.replace('test_a', 'test_b')}"}) == []
    assert weakened({path: one}, {path: skip + one}) == [f"`{skip.strip()}` was added to `test_a` in `{path}`."]


@pytest.mark.parametrize(
    "condition", ["True", "sys.platform == 'linux'", "sys.platform == 'win32' or True", "os.name == 'nt', 'True'"]
)
def test_a_new_test_that_may_be_skipped_everywhere_is_told(condition: str) -> None:
    skip, one = f"@pytest.mark.skipif({condition})\n", "def test_a():\n    assert f() == 3\n"
    path = "tests/test_a.py"
    [found] = weakened({path: one}, {path: f"{one}\n\n{skip}{one.replace('test_a', 'test_b')}"})
    assert found == f"`{skip.strip()}` was added to `test_b` in `{path}`."


def test_an_old_class_skipped_on_other_systems_is_told() -> None:
    skip, old = "@pytest.mark.skipif(os.name == 'nt')", "class TestA:\n    def test_a(self):\n        assert f() == 3\n"
    found = weakened({"tests/test_a.py": old}, {"tests/test_a.py": f"{skip}\n{old}"})
    assert found == [f"`{skip}` was added to `TestA` in `tests/test_a.py`."]
