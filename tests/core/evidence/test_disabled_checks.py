"""A line that hides an assertion which was there before is told; what runs it all the same is not."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = "def test_a():\n    rows = load()\n    assert total() == 5\n"
SCRIPT = "it('test_a', async () => {\n  const rows = load();\n  expect(total()).toBe(5);\n});\n"
GO = "func TestA(t *testing.T) {\n\tif total() != 5 {\n\t\tt.Errorf(`no`)\n\t}\n}\n"
RUST = "#[test]\nfn test_a() {\n    assert_eq!(total(), 5);\n}\n"
JAVA = "class ATest {\n    @Test\n    void test_a() {\n        assertEquals(5, total());\n    }\n}\n"
CHECK = "  expect(total()).toBe(5);"
GO_LATER = (
    "\tif total() != 5 {\n\t\tt.Errorf(`no`)\n\t}\n",
    "\tgo func() {\n\t\tif total() != 5 {\n\t\t\tt.Errorf(`no`)\n\t\t}\n\t}()\n",
)


def told(path: str, old: str, *change: tuple[str, str]) -> list[str]:
    new = old
    for part, other in change:
        assert part in new
        new = new.replace(part, other)
    return weakened({path: old}, {path: new})


@pytest.mark.parametrize(
    ("path", "old", "part", "other", "line"),
    [
        ("test_a.py", PYTHON, "    assert", "    if SLOW:\n        assert", "if SLOW:"),
        ("test_a.py", PYTHON, "    assert", "    if rows:\n        pass\n    else:\n        assert", "else:"),
        ("test_a.py", PYTHON, "    assert", "    while False:\n        assert", "while False:"),
        ("test_a.py", PYTHON, "    assert", "    for row in []:\n        assert", "for row in []:"),
        ("a.test.js", SCRIPT, "  expect", "  if (SLOW) {\n    expect", "if (SLOW) {"),
        ("a.test.js", SCRIPT, "toBe(5);", "toBe(5).catch(() => {});", "expect(total()).toBe(5).catch(() => {});"),
        ("a_test.go", GO, "!= 5 {", "!= 5 && false {", "if total() != 5 && false {"),
        (
            "src/lib.rs",
            RUST,
            "    assert_eq!(total(), 5);",
            "    let _ = catch_unwind(|| {\n        assert_eq!(total(), 5);\n    });",
            "let _ = catch_unwind(|| {",
        ),
        ("src/lib.rs", RUST, "    assert", "    if cfg!(windows) {\n        assert", "if cfg!(windows) {"),
        ("test_a.py", PYTHON, "    assert", "    if not rows: return\n    assert", "if not rows: return"),
        ("a.test.js", SCRIPT, "  expect", "  if (!rows) return;\n  expect", "if (!rows) return;"),
        ("a.test.js", SCRIPT, "  expect", "  if (!rows) { return }\n  expect", "if (!rows) { return }"),
        ("test_a.py", PYTHON, "    assert", "    if rows: assert", "if rows: assert total() == 5"),
        ("a.test.js", SCRIPT, "  expect", "  rows && expect", "rows && expect(total()).toBe(5);"),
        ("a.test.js", SCRIPT, "  expect", "  if (rows) expect", "if (rows) expect(total()).toBe(5);"),
        (
            "src/ATest.java",
            JAVA,
            "assertEquals(5, total());",
            "assertThrows(AssertionError.class, () -> assertEquals(5, total()));",
            "assertThrows(AssertionError.class, () -> assertEquals(5, total()));",
        ),
        (
            "test_a.py",
            PYTHON,
            "    assert",
            "    with pytest.raises(AssertionError):\n        assert",
            "with pytest.raises(AssertionError):",
        ),
        ("test_a.py", PYTHON, "    assert", "    def check():\n        assert", "def check():"),
        *(
            ("a.test.js", SCRIPT, CHECK, f"  {begin}\n  {CHECK}\n  {end};", begin)
            for begin, end in (
                ("add(1, 2).then((rows) => {", "})"),
                ("setTimeout(() => {", "}, 100)"),
                ("const check = () => {", "}"),
                ("expect(() => {", "}).toThrow()"),
            )
        ),
        ("a_test.go", GO, *GO_LATER, "go func() {"),
        ("a_test.go", GO, GO_LATER[0], GO_LATER[1].replace("go func", "check := func"), "check := func() {"),
    ],
)
def test_a_line_that_hides_an_assertion_is_told(path: str, old: str, part: str, other: str, line: str) -> None:
    name = "TestA" if path == "a_test.go" else "test_a"
    assert told(path, old, (part, other)) == [
        f"`{line}` was added to `{name}` in `{path}`: its assertions may not count any more."
    ]


@pytest.mark.parametrize(
    ("path", "old", "part", "other"),
    [
        ("test_a.py", PYTHON, "    assert", "    with frozen():\n        assert"),
        ("test_a.py", PYTHON, "    assert", "    for row in rows:\n        assert"),
        ("test_a.py", PYTHON, "    assert", "    if SLOW:\n        rows.pop()\n    assert"),
        ("test_a.py", PYTHON, "== 5\n", "== 5\n    if WINDOWS:\n        assert drive() == 3\n"),
        (
            "a.test.js",
            SCRIPT,
            "  expect(total()).toBe(5);",
            "  await waitFor(() => {\n    expect(total()).toBe(5);\n  });",
        ),
        ("a.test.js", SCRIPT, "load();", "load().catch((error) => log(error));"),
        ("a_test.go", GO, "\tif total() != 5 {", "\tif got := total(); got != 5 {"),
        (
            "a_test.go",
            GO,
            "\tif total",
            "\tif deep {\n\t\tif other() != 5 {\n\t\t\tt.Errorf(`no`)\n\t\t}\n\t}\n\tif total",
        ),
        ("a_test.go", GO, "\tif total() != 5 {", "\tfor range 3 {\n\tif total() != 5 {"),
        ("test_a.py", PYTHON, "== 5\n", "== 5\n    if not rows: return\n"),
        ("test_a.py", PYTHON, "== 5\n", "== 5\n    if rows: assert rows == 3\n"),
        ("test_a.py", PYTHON, "    assert total() == 5", "    def check():\n        assert total() == 5\n    check()"),
        ("test_a.py", PYTHON, "    assert", "    @app.route('/')\n    def check():\n        assert"),
        ("test_a.py", PYTHON, "    assert", "    with pytest.raises(Refused):\n        assert"),
        *(
            ("a.test.js", SCRIPT, CHECK, f"  {begin}\n  {CHECK}\n  {end};")
            for begin, end in (
                ("await add(1, 2).then((rows) => {", "})"),
                ("return add(1, 2).then((rows) => {", "})"),
                ("return add(1, 2)\n    .then((rows) => {", "})"),
                ("await new Promise((done) => {\n    setTimeout(() => {", "}, 100)\n  })"),
                ("add(1, 2).then((rows) => {", "  done();\n  })"),
                ("const check = () => {", "};\n  check()"),
                ("rows.forEach((row) => {", "})"),
                ("act(() => {", "})"),
            )
        ),
        ("a_test.go", GO, GO_LATER[0], GO_LATER[1] + "\tgroup.Wait()\n"),
    ],
)
def test_an_assertion_that_still_counts_is_not(path: str, old: str, part: str, other: str) -> None:
    assert told(path, old, (part, other)) == []


def test_a_condition_that_was_there_under_other_words_is_not() -> None:
    old = PYTHON.replace("    assert", "    if SLOW:\n        assert")
    assert told("test_a.py", old, ("if SLOW:", "if not FAST:")) == []
