"""Parses `git diff`: which lines of which file are added, removed, or context.

A hunk's announced lengths decide where it ends, not how a line looks: a removed line may begin with `-- `. Lines end
only at a line feed, as in git.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_START: Final = "diff --git "
_LINK: Final = " 120000"
"""The end of a line that has the mode of a symbolic link."""
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE: Final = re.compile(r"\\([0-7]{3}|.)")
_LETTERS: Final = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


@dataclass(frozen=True)
class DiffLine:
    kind: Literal["added", "removed", "context"]
    text: str
    number: int
    """Line number in the new file. For a removed line, the number of the line that follows it there."""


@dataclass
class FileDiff:
    path: str
    """The new name. For a deleted file, the old one."""
    old_path: str
    created: bool = False
    deleted: bool = False
    renamed: bool = False
    copied: bool = False
    binary: bool = False
    is_link: bool = False
    """A symbolic link that was added or points elsewhere now. Its only line is its target."""
    modes: tuple[str, str] | None = None
    """File modes before and after, if the mode was changed."""
    hunks: list[list[DiffLine]] = field(default_factory=list)

    def lines(self) -> Iterator[DiffLine]:
        return (line for hunk in self.hunks for line in hunk)


def read_diff(diff: str) -> list[FileDiff]:
    files: list[FileDiff] = []
    lines = diff.split("\n")
    at = 0
    while at < len(lines):
        if lines[at].startswith(_START):
            files.append(_begin(lines[at]))
        elif files and (hunk := _HUNK.match(lines[at])):
            old, new = int(hunk[1] or 1), int(hunk[3] or 1)
            at = _read_hunk(lines, at + 1, files[-1], old=old, new=new, number=int(hunk[2]))
            continue
        elif files:
            _read_header(lines[at], files[-1])
        at += 1
    return files


def _read_hunk(lines: list[str], at: int, file: FileDiff, *, old: int, new: int, number: int) -> int:
    """Reads a hunk into the file, and returns the index of the line after it."""
    hunk: list[DiffLine] = []
    while (old > 0 or new > 0) and at < len(lines):
        mark, text = lines[at][:1], lines[at][1:]
        if mark == "+":
            hunk.append(DiffLine("added", text, number))
            new, number = new - 1, number + 1
        elif mark == "-":
            hunk.append(DiffLine("removed", text, number))
            old -= 1
        elif mark in (" ", ""):
            hunk.append(DiffLine("context", text, number))
            old, new, number = old - 1, new - 1, number + 1
        elif mark != "\\":
            break  # the diff was cut short
        at += 1
    file.hunks.append(hunk)
    return at


def _read_header(line: str, file: FileDiff) -> None:
    word, _, rest = line.partition(" ")
    if word == "---" and rest != "/dev/null":
        file.old_path = _without_prefix(rest)
    elif word == "+++" and rest != "/dev/null":
        file.path = _without_prefix(rest)
    elif line.startswith(("rename from ", "copy from ")):
        file.old_path = _unquoted(rest.partition(" ")[2])
    elif line.startswith(("rename to ", "copy to ")):
        file.path = _unquoted(rest.partition(" ")[2])
        file.renamed, file.copied = word == "rename", word == "copy"
    elif line.startswith("new file mode "):
        file.created = True
        file.is_link = rest.endswith(_LINK)
    elif word == "index" and rest.endswith(_LINK):
        file.is_link = True
    elif line.startswith("deleted file mode "):
        file.deleted = True
    elif line.startswith("old mode "):
        file.modes = (rest.partition(" ")[2], "")
    elif line.startswith("new mode ") and file.modes is not None:
        file.modes = (file.modes[0], rest.partition(" ")[2])
    elif line.startswith("Binary files ") or line == "GIT binary patch":
        file.binary = True


def _begin(line: str) -> FileDiff:
    """A file from its first line, which is all there is for an empty or binary file.

    The line is ambiguous only if the two names differ, and then later lines repeat them."""
    names = line.removeprefix(_START)
    if quoted := _QUOTED.match(names):
        old, new = quoted[0], names[quoted.end() + 1 :]
    elif names.endswith('"') and (start := names.find(' "')) >= 0:
        old, new = names[:start], names[start + 1 :]
    else:
        half = len(names) // 2
        old, new = names[:half], names[half + 1 :]
    return FileDiff(path=_without_prefix(new), old_path=_without_prefix(old))


def _without_prefix(name: str) -> str:
    path = _unquoted(name)
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unquoted(name: str) -> str:
    name = name.removesuffix("\t")  # git adds a tab after a name with a space
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):
        return name
    raw = b""
    at = 0
    for escape in _ESCAPE.finditer(inner := name[1:-1]):
        raw += inner[at : escape.start()].encode(errors="surrogatepass") + _character(escape[1])
        at = escape.end()
    return (raw + inner[at:].encode(errors="surrogatepass")).decode(errors="replace")


def _character(escaped: str) -> bytes:
    if len(escaped) == 3:
        return bytes([int(escaped, 8) & 0xFF])
    return _LETTERS.get(escaped, escaped).encode()
