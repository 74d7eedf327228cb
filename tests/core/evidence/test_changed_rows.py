"""A row of a table of cases with another result for the same input is told; another case is not."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = """\
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("one", 1),
        ("two, at last", 2),
        pytest.param("three", 3, id="more"),
    ],
)
def test_a(text, number):
    assert read(text) == number
"""
ONE_LINE = '@pytest.mark.parametrize("a, b", [("one", 1), ("two", 2)])\ndef test_a(a, b):\n    assert f(a) == b\n'
SCRIPT = "it.each([\n  ['one', 1],\n  ['two', 2],\n])('test_a', (a, b) => {\n  expect(f(a)).toBe(b);\n});\n"
GO = """\
func TestA(t *testing.T) {
\ttests := []struct {
\t\ttext string
\t\twant int
\t}{
\t\t{"one", 1},
\t\t{text: "two", want: 2, deep: true},
\t}
\tfor _, tt := range tests {
\t\tassert.Equal(t, tt.want, read(tt.text))
\t}
}
"""
RUST = '#[rstest]\n#[case("one", 1)]\n#[case("two", 2)]\nfn test_a(#[case] a: &str) {\n    assert_eq!(f(a), b);\n}\n'
FILES = {"tests/test_a.py": PYTHON, "tests/test_b.py": ONE_LINE, "a.test.js": SCRIPT, "a_test.go": GO, "src/a.rs": RUST}
PY, LINE, JS, GL, RS = FILES


def told(path: str, old: str, new: str) -> list[str]:
    assert old in FILES[path]
    return weakened({path: FILES[path]}, {path: FILES[path].replace(old, new)})


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PY, '("one", 1)', '("one", 4)'),
        (PY, '("two, at last", 2)', '("two, at last", None)'),
        (PY, '("three", 3, id="more")', '("three", 4, id="less")'),
        (LINE, '("two", 2)', '("two", 4)'),
        (JS, "['one', 1]", "['one', 4]"),
        (GL, '{"one", 1}', '{"one", 4}'),
        (GL, '{text: "two", want: 2, deep: true}', '{text: "two", want: 4, deep: true}'),
        (RS, '("two", 2)', '("two", 4)'),
    ],
)
def test_a_row_with_another_result_is_told(path: str, old: str, new: str) -> None:
    name = "TestA" if path == GL else "test_a"
    assert told(path, old, new) == [
        f"`{name}` in `{path}` expects another value than before: `{new}` instead of `{old}`."
    ]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PY, '("one", 1)', '("four", 4)'),
        (PY, '("one", 1),', '("one", 1),\n        ("four", 4),'),
        (PY, '("one", 1),', '("one", 1),\n        ("one", 4),'),
        (PY, 'id="more"', 'id="less"'),
        (PY, '("text", "number")', '("text", "count")'),
        (JS, "['one', 1]", "['four', 4]"),
        (GL, '"two", want: 2, deep: true', '"two", want: 2, deep: false'),
        (GL, '{"one", 1}', '{"four", 4}'),
    ],
)
def test_another_case_or_label_is_not(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []
