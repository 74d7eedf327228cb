"""Diffs as git writes them: changed files with counts, and where a finding may be put."""

import pytest

from caseworker.core.pull.diff_lines import changed_files, commentable_lines, misplaced
from tests.core.pull.review_examples import a_finding

DIFF = """\
diff --git a/shop.py b/shop.py
index 1..2 100644
--- a/shop.py
+++ b/shop.py
@@ -1,4 +1,3 @@ def total():
 def total(price):
-    tax = 2
+    tax = 3
     return price
--- a comment of SQL
\\ No newline at end of file
@@ -9 +9,2 @@
-old
+--- b/fake.py
++++ c/fake.py
diff --git a/old name.py b/new.py
similarity index 90%
rename from old name.py
rename to new.py
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git "a/b\\303\\244r.py" "b/b\\303\\244r.py"
--- "a/b\\303\\244r.py"
+++ "b/b\\303\\244r.py"
@@ -0,0 +1 @@
+x = 1
"""


def test_files_and_counts_are_read_and_content_is_no_header() -> None:
    found = [(one.path, one.added, one.removed) for one in changed_files(DIFF)]
    assert found == [
        ("shop.py", 3, 3),
        ("new.py", 0, 0),
        ("gone.txt", 0, 1),
        ("logo.png", 0, 0),
        ("bär.py", 1, 0),
    ]


def test_lines_of_the_new_side_have_their_numbers() -> None:
    assert commentable_lines(changed_files(DIFF)) == {
        "shop.py": {
            1: "def total(price):",
            2: "    tax = 3",
            3: "    return price",
            9: "--- b/fake.py",
            10: "+++ c/fake.py",
        },
        "new.py": {},
        "gone.txt": {},
        "logo.png": {},
        "bär.py": {1: "x = 1"},
    }


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"quote": "return price"}, ""),
        ({"file": "cart.py"}, "`cart.py` is not a file of this change. Name its path as in the diff."),
        ({"line": 2}, "line 2 of `shop.py` is another one; the quoted text is in 3."),
        ({"quote": "return 0"}, "`quote` is not line 3 of `shop.py`, which is `return price`."),
        (
            {"line": 40, "quote": "x"},
            "the diff does not show line 40 of `shop.py` on its new side. The nearest lines that it shows: 3, 9, 10.",
        ),
        (
            {"file": "gone.txt", "line": 1, "quote": "bye"},
            "the diff does not show line 1 of `gone.txt` on its new side.",
        ),
    ],
)
def test_a_finding_lies_on_a_line_that_the_diff_shows(changes: dict[str, object], problem: str) -> None:
    lines = commentable_lines(changed_files(DIFF))
    assert misplaced([a_finding(**changes)], lines) == (f"findings[0]: {problem}" if problem else "")


def test_a_long_line_is_quoted_by_its_beginning() -> None:
    lines = {"a.min.js": {1: "x" * 5_000}}
    assert misplaced([a_finding(file="a.min.js", line=1, quote="x" * 400)], lines) == ""


def test_a_diff_of_three_thousand_files_is_read() -> None:
    one = "diff --git a/f{0}.py b/f{0}.py\n--- a/f{0}.py\n+++ b/f{0}.py\n@@ -1 +1 @@\n-a\n+b\n"
    found = changed_files("".join(one.format(number) for number in range(3_000)))
    assert (len(found), found[-1].path, found[-1].lines) == (3_000, "f2999.py", {1: "b"})
