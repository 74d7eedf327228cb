"""Stored outputs of tests that a change rewrites or removes are told; new ones are not."""

import pytest

from caseworker.core.evidence.snapshots import changed_snapshots, may_be_snapshot

JEST = "// Jest Snapshot v1\n\nexports[`cart adds 1`] = `3`;\n\nexports[`cart names 1`] = `\n<p>\n  a\n</p>\n`;\n"
SYRUPY = "# serializer version: 1\n# name: test_adds\n  3\n# ---\n# name: test_names\n  'a'\n# ---\n"
INSTA = "---\nsource: src/lib.rs\nexpression: total()\n---\n3\n"

SNAPSHOTS = [
    "src/__snapshots__/cart.test.ts.snap",
    "tests/__snapshots__/test_cart.ambr",
    "src/snapshots/shop__cart.snap",
    "tests/CartTest.adds.approved.txt",
    "tests/CartTests.Adds.verified.json",
    "testdata/golden/help.txt",
    "cmd/testdata/help.golden",
    "tests/ui/bad.stderr",
    "tests/cases/one.expected",
    "tests/data/page.expected.html",
]
OTHERS = ["golden/rules.py", "docs/golden/a.txt", "tests/golden/run.py", "src/a.stderr", "tests/data/input.txt"]


@pytest.mark.parametrize("path", SNAPSHOTS)
def test_a_rewritten_or_deleted_output_is_told(path: str) -> None:
    assert changed_snapshots({path: "3\n"}, {path: "4\n"}) == [
        f"`{path}`, which tests compare their output with, was rewritten."
    ]
    assert changed_snapshots({path: "3\n"}, {}) == [f"`{path}`, which tests compare their output with, was deleted."]
    assert changed_snapshots({}, {path: "4\n"}) == []
    assert changed_snapshots({path: "3\n"}, {path: "3  \n"}) == []


@pytest.mark.parametrize("path", OTHERS)
def test_other_files_are_no_outputs(path: str) -> None:
    assert not may_be_snapshot(path)
    assert changed_snapshots({path: "3"}, {path: "4"}) == []


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "how"),
    [
        ("a.snap", JEST, "`3`", "`4`", "was rewritten in `cart adds 1`"),
        ("a.snap", JEST, "  a", "  b", "was rewritten in `cart names 1`"),
        ("a.snap", JEST, "exports[`cart adds 1`] = `3`;\n\n", "", "lost `cart adds 1`"),
        ("a.ambr", SYRUPY, "  3", "  4", "was rewritten in `test_adds`"),
        ("a.ambr", SYRUPY, "# name: test_names\n  'a'\n# ---\n", "", "lost `test_names`"),
        ("b.snap", INSTA, "\n3\n", "\n4\n", "was rewritten"),
    ],
)
def test_an_output_among_several_is_named(path: str, text: str, old: str, new: str, how: str) -> None:
    assert old in text
    assert changed_snapshots({path: text}, {path: text.replace(old, new)}) == [
        f"`{path}`, which tests compare their output with, {how}."
    ]


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.snap", JEST, "exports[`cart adds 1`]", "exports[`cart adds two 1`]"),
        ("a.snap", JEST, "exports[`cart names", "exports[`cart is new 1`] = `5`;\n\nexports[`cart names"),
        ("a.ambr", SYRUPY, "# name: test_names", "# name: test_new\n  5\n# ---\n# name: test_names"),
        ("b.snap", INSTA, "source: src/lib.rs", "source: src/main.rs"),
    ],
)
def test_new_and_renamed_outputs_are_not_told(path: str, text: str, old: str, new: str) -> None:
    assert old in text
    assert changed_snapshots({path: text}, {path: text.replace(old, new)}) == []


def test_a_moved_file_is_not_told() -> None:
    assert changed_snapshots({"a/b.snap": INSTA}, {"c/d.snap": INSTA}) == []


def test_many_files_are_told_in_one_sentence() -> None:
    before = {f"tests/{name}.golden": "3" for name in "abcdefg"}
    assert changed_snapshots(before, dict.fromkeys(before, "4")) == [
        "7 files that tests compare their output with were rewritten or lost outputs: `tests/a.golden`, "
        "`tests/b.golden`, `tests/c.golden`, `tests/d.golden`, `tests/e.golden` and 2 more."
    ]


def test_a_large_file_is_told_without_being_compared() -> None:
    assert changed_snapshots({"a.snap": JEST}, {"a.snap": None}) == [
        "`a.snap`, which tests compare their output with, was rewritten, and is too large to be compared."
    ]
