"""A line that hides an assertion which was there before is told; what runs it all the same is not."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = "def test_a():\n    rows = load()\n    assert total() == 5\n"
SCRIPT = "it('test_a', async () => {\n  const rows = load();\n  expect(total()).toBe(5);\n});\n"
GO = "func TestA(t *testing.T) {\n\tif total() != 5 {\n\t\tt.Errorf(`no`)\n\t}\n}\n"
RUST = "#[test]\nfn test_a() {\n    assert_eq!(total(), 5);\n}\n"


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
    ],
)
def test_an_assertion_that_still_counts_is_not(path: str, old: str, part: str, other: str) -> None:
    assert told(path, old, (part, other)) == []


def test_a_condition_that_was_there_under_other_words_is_not() -> None:
    old = PYTHON.replace("    assert", "    if SLOW:\n        assert")
    assert told("test_a.py", old, ("if SLOW:", "if not FAST:")) == []
