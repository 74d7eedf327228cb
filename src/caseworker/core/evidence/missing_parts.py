"""Parts of a repository that a copy of its files does not have: submodules, files in Git LFS, links that lead out.

Caseworker takes submodules and LFS files from the user's own checkout, and fetches none. If tests need what is not
there, they fail for that reason alone, and a person should know before they look for another one.
"""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from caseworker.core.base.text import code
from caseworker.core.evidence.test_places import is_in_a_test_place, is_named_like_a_test

_SUBMODULE: Final = "160000"
LINK: Final = "120000"
LFS_POINTER: Final = "version https://git-lfs.github.com/spec/v1\n"
LARGEST_POINTER: Final = 300
"""Bytes. A pointer has about 130; no larger file has to be read."""
_OBJECT: Final = re.compile(r"^oid sha256:([0-9a-f]{4,64})$", re.MULTILINE)
_NAMED: Final = 5


@dataclass(frozen=True, kw_only=True)
class TreeEntry:
    """A file of a commit, as git lists it."""

    mode: str
    path: str
    object: str = ""
    """Of a submodule: its commit."""
    text: str = ""
    """Of a link: where it leads. Of a small file: its text. Empty: not read."""


@dataclass(frozen=True, kw_only=True)
class MissingPart:
    kind: Literal["submodule", "lfs", "link"]
    path: str
    target: str = ""
    """Of a link: where it leads. Of a submodule: its commit. Of a file in LFS: its object's name."""

    @property
    def concerns_tests(self) -> bool:
        """Whether it is among the tests, by its name. A submodule always may be."""
        return self.kind == "submodule" or is_in_a_test_place(self.path) or is_named_like_a_test(self.path)


def is_lfs_pointer(text: str) -> bool:
    return text.startswith(LFS_POINTER)


def lfs_object(text: str) -> str:
    """The name of the object that an LFS pointer refers to. Empty: the text is not a pointer."""
    found = _OBJECT.search(text) if is_lfs_pointer(text) else None
    return found[1] if found else ""


def missing_parts(entries: Iterable[TreeEntry]) -> list[MissingPart]:
    """`entries`: all of a commit; with the text of links, and of files of at most `LARGEST_POINTER` bytes."""
    found: list[MissingPart] = []
    for entry in entries:
        if entry.mode == _SUBMODULE:
            found.append(MissingPart(kind="submodule", path=entry.path, target=entry.object))
        elif entry.mode == LINK:
            if _leads_out(entry.path, entry.text):
                found.append(MissingPart(kind="link", path=entry.path, target=entry.text))
        elif is_lfs_pointer(entry.text):
            found.append(MissingPart(kind="lfs", path=entry.path, target=lfs_object(entry.text)))
    return found


def _leads_out(path: str, target: str) -> bool:
    where = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return target.startswith("/") or where == ".." or where.startswith("../")


def missing_parts_words(parts: Iterable[MissingPart]) -> list[str]:
    """A sentence for each kind: what is missing, and what to do if tests need it. Those of tests are named first."""
    known = sorted(parts, key=lambda part: (not part.concerns_tests, part.path))
    said = []
    for kind, what, todo in _KINDS:
        paths = [part.path for part in known if part.kind == kind]
        if paths:
            more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
            said.append(f"{what}: {', '.join(code(path) for path in paths[:_NAMED])}{more}. {todo}")
    return said


_KINDS: Final = (
    (
        "submodule",
        "Submodules are not there",
        "`git submodule update --init --recursive` in your checkout brings them to the next case; without a checkout, "
        "leave tests that need them out of `[commands] test`.",
    ),
    (
        "lfs",
        "Files in Git LFS are there as pointers only",
        "`git lfs pull` in your checkout brings them to the next case; without a checkout, leave tests that read them "
        "out of `[commands] test`.",
    ),
    ("link", "Links lead out of the repository", "In the sandbox nothing is there; tests that follow them fail."),
)
