"""The name of a change stays the same on another base, and differs for any other change."""

import pytest

from caseworker.core.pull.change_digest import change_digest

DIFF = b"""\
diff --git a/calc.py b/calc.py
index 1111111..2222222 100644
--- a/calc.py
+++ b/calc.py
@@ -1,3 +1,3 @@ def add():
 a
-b
+B
 c
"""
PICTURE = b"""\
diff --git a/p.png b/p.png
index 1111111..2222222 100644
Binary files a/p.png and b/p.png differ
"""


@pytest.mark.parametrize(
    "moved",
    [
        DIFF.replace(b"-1,3 +1,3 @@ def add():", b"-41,3 +51,3 @@ class Calc:"),
        DIFF.replace(b"1111111..2222222", b"3333333..4444444"),
    ],
)
def test_places_and_blob_names_of_text_do_not_count(moved: bytes) -> None:
    assert change_digest(moved) == change_digest(DIFF)


@pytest.mark.parametrize(
    "other",
    [
        DIFF.replace(b"+B", b"+ B"),
        DIFF.replace(b"+B", b"+index 5"),
        DIFF.replace(b" c\n", b" d\n"),
        DIFF.replace(b"calc.py", b"cart.py"),
        DIFF + PICTURE,
        b"",
    ],
)
def test_every_other_difference_counts(other: bytes) -> None:
    assert change_digest(other) != change_digest(DIFF)


def test_the_contents_of_binary_files_count() -> None:
    assert change_digest(PICTURE.replace(b"2222222", b"3333333")) != change_digest(PICTURE)
