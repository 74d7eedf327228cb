"""Which files of a change a review can't read."""

import pytest

from caseworker.core.evidence.opaque_files import opaque_files
from caseworker.core.evidence.unified_diff import FileDiff, read_diff

TEXT = "diff --git a/a.py b/a.py\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n"
BINARY = "diff --git a/a.bin b/a.bin\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/a.bin differ\n"
LINK = "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
MOVED = "diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-old\n+/etc/passwd\n"
GONE = "diff --git a/l b/l\ndeleted file mode 120000\nindex 1..0\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
LINKED = "`l` is a symbolic link to `/etc/passwd`: what it holds is not part of the change."


@pytest.mark.parametrize(
    ("diff", "told"),
    [
        (TEXT, []),
        (GONE, []),
        (BINARY, ["`a.bin` is a binary file: no review can read what it holds."]),
        (LINK, [LINKED]),
        (MOVED, [LINKED]),
    ],
)
def test_binary_files_and_links_are_named(diff: str, told: list[str]) -> None:
    assert list(opaque_files(read_diff(diff)).values()) == told


@pytest.mark.parametrize(
    ("path", "is_named"),
    [("t\u0435st_a.py", True), ("a\u200bb.py", True), ("caf\u00e9.py", False), ("\u0442\u0435\u0441\u0442.py", False)],
)
def test_a_name_that_may_look_like_another_is_named(path: str, is_named: bool) -> None:
    told = opaque_files([FileDiff(path=path, old_path=path, created=True)])
    assert (path in told) == is_named
