"""Reads a diff as git writes it: the changed files with counts, and the lines that a review comment can be put on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.outcomes.pull_work import PullFinding

_HUNK: Final = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<line>\d+)(?:,(?P<new>\d+))? @@")
_ESCAPE: Final = re.compile(r'\\([abtnvfr"\\]|[0-7]{3})')
_LETTERS: Final = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_LONGEST_QUOTE: Final = 400
_NEAR: Final = 3


@dataclass(kw_only=True)
class ChangedFile:
    path: str
    """On the new side; of a deleted file, on the old one."""
    added: int = 0
    removed: int = 0
    lines: dict[int, str] = field(default_factory=dict)
    """Lines of the new side that the diff shows, by number."""


def changed_files(diff: str) -> list[ChangedFile]:
    """The files in the order of the diff. Lines of a hunk are counted, so that no content is taken for a header."""
    found: list[ChangedFile] = []
    old = new = line = 0
    for text in diff.split("\n"):
        if old > 0 or new > 0:
            mark = text[:1]
            if mark == "\\":
                continue
            if mark in (" ", "+", ""):
                found[-1].lines[line] = text[1:].removesuffix("\r")
                line += 1
            old -= mark != "+"
            new -= mark != "-"
            found[-1].added += mark == "+"
            found[-1].removed += mark == "-"
        elif text.startswith("diff --git "):
            found.append(ChangedFile(path=_path_of(text)))
        elif found and text.startswith(("--- ", "+++ ")) and text[4:] != "/dev/null":
            found[-1].path = _name(text[4:])  # the second one, of the new side, holds
        elif found and text.startswith("rename to "):
            found[-1].path = _unquoted(text.removeprefix("rename to "))
        elif found and (hunk := _HUNK.match(text)):
            old, new, line = int(hunk["old"] or 1), int(hunk["new"] or 1), int(hunk["line"])
    return found


def commentable_lines(files: Sequence[ChangedFile]) -> dict[str, dict[int, str]]:
    return {one.path: one.lines for one in files}


def misplaced(findings: Sequence[PullFinding], lines: Mapping[str, Mapping[int, str]]) -> str:
    """What is wrong with the places of findings, for their author. Empty: nothing."""
    wrong = ((number, _misplaced(one, lines)) for number, one in enumerate(findings, 1))
    return "\n".join(f"findings[{number - 1}]: {text}" for number, text in wrong if text)


def _misplaced(finding: PullFinding, lines: Mapping[str, Mapping[int, str]]) -> str:
    file = lines.get(finding.file)
    if file is None:
        return f"{code(finding.file)} is not a file of this change. Name its path as in the diff."
    quote = finding.quote.strip()
    stands = file.get(finding.line)
    if stands is not None and stands.strip()[:_LONGEST_QUOTE].strip() == quote:
        return ""
    same = [str(number) for number, text in file.items() if quote and text.strip() == quote]
    if same:
        return (
            f"line {finding.line} of {code(finding.file)} is another one; the quoted text is in {', '.join(same[:5])}."
        )
    if stands is None:
        near = sorted(file, key=lambda number: abs(number - finding.line))[:_NEAR]
        shown = f" The nearest lines that it shows: {', '.join(map(str, sorted(near)))}." if near else ""
        return f"the diff does not show line {finding.line} of {code(finding.file)} on its new side.{shown}"
    return f"`quote` is not line {finding.line} of {code(finding.file)}, which is {code(stands.strip()[:200])}."


def _path_of(header: str) -> str:
    """From `diff --git a/x b/x`, for files without hunks, such as pictures. A rename says its path itself."""
    names = header.removeprefix("diff --git ")
    return _name(names[: (len(names) - 1) // 2])


def _name(text: str) -> str:
    return _unquoted(text.rstrip("\t"))[2:]


def _unquoted(text: str) -> str:
    """Git quotes unusual names as C does: bytes in octal."""
    if not (len(text) > 1 and text.startswith('"') and text.endswith('"')):
        return text
    plain = _ESCAPE.sub(lambda found: chr(_LETTERS.get(found[1]) or int(found[1], 8)), text[1:-1])
    return plain.encode("latin-1", errors="replace").decode(errors="replace")
