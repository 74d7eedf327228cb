"""Checks from diffs that diagnostic code only adds lines, and that none of it ships.

Not caught: an added diagnostic line that changes behaviour (it is discarded with its worktree, and what ships is
compared), and a diagnostic line that was rewritten and lost its mark.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.test_places import is_in_a_test_place, is_named_like_a_test
from caseworker.core.evidence.unified_diff import DiffLine, FileDiff, read_diff

MARK: Final = "CASEWORKER-DIAGNOSTIC"
"""The word that each line added by a diagnostic should have in a comment."""
MOST_FINDINGS: Final = 50
_SHOWN_CHARACTERS: Final = 160
_MOST_TRIED: Final = 200
"""Limit of the search: equal lines, and comments in one line, that are tried."""

_MARKED: Final = re.compile(r"caseworker[-_]diagnostic", re.IGNORECASE)
_COMMENT: Final = re.compile(r"#|//|/\*|--|;|%|<!--|\(\*|'|$")
"""Where the comment around a mark may begin, in any language."""
_END_OF_COMMENT: Final = re.compile(r"\*/|-->|\*\)")
_LAST_COMMENT: Final = re.compile(r"(?<!\s)\s+(?:#|//|/\*|--).*$")
_LETTER: Final = re.compile(r"[^\W\d_]")
_DISTINCTIVE: Final = 12
"""A line of at least this many characters is hardly written twice by chance."""
_DISTINCTIVE_ELSEWHERE: Final = 20
_ORDINARY: Final = re.compile(
    r"(?:import|from|include|using|use|require|require_relative|package|namespace|extern)\b"
    r"|\#\s*(?:include|define|if|ifdef|ifndef|endif|else|pragma)\b"
    r"|(?:return|yield|raise|throw|await|break|continue|pass|goto)\b\s*+[\w.]*+\s*+;?$"
    r"|@[\w.]+(?:\(\))?$"
    r"|[\w.]+[(\[{]$"
)
_KEYWORDS: Final = re.compile(
    r"(?:\W|\d|\b(?:begin|break|case|catch|continue|default|do|done|else|end|endif|esac|except|false|fi|finally|nil|none"
    r"|null|pass|raise|return|self|super|then|this|throw|true|try|undefined|void|yield)\b)*",
    re.IGNORECASE,
)
_BLOCK_START: Final = re.compile(
    r"[}\s]*(?:async\s+)?(?:if|elif|else|for|foreach|while|until|unless|with|try|except|catch|finally|switch|match|case"
    r"|def|class|func|fn|function|lock|synchronized|using|defer|go|select|do)\b.*(?:[:{(]|\b(?:do|then|begin))$"
)
_PRINTS: Final = re.compile(
    r"\b(?:print|println|printf|fprintf|eprint|eprintln|pprint|puts|echo|dbg|console|log|logs|logger|logging|slog|trace"
    r"|tracing|debug|dump|var_dump|print_r|stderr|stdout|NSLog|traceback|faulthandler|breakpoint|pdb|debugger)\b"
)
"""A line that prints or logs."""


def altered(diff: str) -> list[str]:
    """A sentence for each file in which a diagnostic does more than add lines: that is an attempt to repair.

    Lines that are only indented further, below something new (`with`, `try`, `if`), are allowed. A line that is gone,
    rewritten, moved past another or indented less is not; nor is a file that was deleted, renamed, made executable, or
    is binary.
    """
    found: dict[str, str] = {}
    for file in read_diff(diff):
        if sentence := _alteration(file):
            found.setdefault(file.path, sentence)
    return _limited(list(found.values()))


def _alteration(file: FileDiff) -> str | None:
    path = code(file.path)
    if file.deleted:
        return f"{path} is deleted, but a diagnostic only adds lines. Put the file back."
    if file.renamed:
        return f"{code(file.old_path)} is renamed to {path}, but a diagnostic only adds lines. Give it its name back."
    if file.modes is not None:
        before, after = file.modes
        return f"{path} has the mode {after} instead of {before}, but a diagnostic only adds lines. Undo that."
    if file.binary and not file.created:
        return f"{path} is no text and is changed, but a diagnostic only adds lines. Put it back as it was."
    gone = _lines_gone(file)
    if not gone:
        return None
    more = "" if len(gone) == 1 else f" (and {len(gone) - 1} more)"
    return (
        f"{path} loses, moves or rewrites the line {_shown(gone[0])}{more}, near line {gone[0].number}, but a "
        "diagnostic only adds lines. Put it back as it was, and watch from lines of your own."
    )


def _lines_gone(file: FileDiff) -> list[DiffLine]:
    """Old lines that are not in the new text in the same order."""
    gone: list[DiffLine] = []
    wrapped = False
    for hunk in file.hunks:
        after = [line.text for line in hunk if line.kind != "removed"]
        filled = [0, *accumulate(1 if text.strip() else 0 for text in after)]
        places: dict[str, list[int]] = {}
        for index, text in enumerate(after):
            places.setdefault(text.strip(), []).append(index)
        at = 0
        for line in hunk:
            if line.kind == "added" or not line.text.strip():
                continue
            later = places.get(line.text.strip(), [])
            for index in islice(later, (first := bisect_left(later, at)), first + _MOST_TRIED):
                new_above = wrapped or filled[index] > filled[at]
                if _is_kept(line.text, after[index], new_above):
                    wrapped, at = new_above, index + 1
                    break
            else:
                gone.append(line)
    return gone


def _is_kept(before: str, after: str, new_above: bool) -> bool:
    """Whether the indentation is allowed: the same, or further if there is something new above it."""
    old, new = _indent(before), _indent(after)
    return new == old or (new > old and new_above)


def _indent(text: str) -> int:
    wide = text.expandtabs(8)
    return len(wide) - len(wide.lstrip())


def shipped(change: str, diagnostics: Sequence[str], base_lines: Mapping[str, str | None]) -> list[str]:
    """A sentence for each line of a pull request that comes from a diagnostic. `change`: the pull request's diff;
    `base_lines`: the old text of the files it changes, by path (null or missing: not known, or no such file).

    Caught, with any indentation and any comment at the end:
    - a line with the mark, in any file;
    - a line that a diagnostic had added to the same file, marked or not;
    - a line that it had marked inside existing code, in any file;
    - a line that prints or logs, in any file; in tests only these, because the set-up of tests looks alike;
    - a binary file that a diagnostic created.
    Not caught, because a repair may need it too: lines that were there before, imports, keywords and brackets alone,
    lines of less than 12 characters, and the start of a block without a mark, such as `with self.lock:`.
    """
    known = _DiagnosticLines(file for diff in diagnostics for file in read_diff(diff))
    files = read_diff(change)
    removed = {line.text.strip() for file in files for line in file.lines() if line.kind == "removed"}
    found: list[str] = []
    for file in files:
        before = removed | _existing_lines(file, base_lines)
        for line in file.lines():
            if line.kind == "added" and line.text.strip() not in before and (why := known.why(file, line.text)):
                found.append(f"Line {line.number} of {code(file.path)} {why}: {_shown(line)}. {_TAKE_OUT}")
        if file.created and file.binary and file.path in known.created_paths:
            found.append(f"{code(file.path)} was made by a diagnostic, and nothing of one ships. Delete the file.")
    return _limited(found)


def _existing_lines(file: FileDiff, base_lines: Mapping[str, str | None]) -> set[str]:
    text = base_lines.get(file.old_path) or ""
    return {line.strip() for line in text.split("\n")} | {
        line.text.strip() for line in file.lines() if line.kind == "context"
    }


_TAKE_OUT: Final = "Diagnostic code never ships: take it out."


class _DiagnosticLines:
    """The lines and files that diagnostics have added."""

    def __init__(self, files: Iterable[FileDiff]) -> None:
        self.created_paths: set[str] = set()
        """Paths of new files."""
        self._paths_by_line: dict[str, set[str]] = {}
        """For each line, the files it was added to."""
        self._marked: set[str] = set()
        """Lines that were marked inside existing code that is no test: these are certainly diagnostics."""
        for file in files:
            if file.created:
                self.created_paths.add(file.path)
            # Lines that were there and are only indented further belong to the repository.
            old = {line.text.strip() for line in file.lines() if line.kind != "added"}
            for line in file.lines():
                if line.kind == "added" and line.text.strip() not in old:
                    self._add(file, line.text)

    def _add(self, file: FileDiff, text: str) -> None:
        mark = _MARKED.search(text)
        lines = _without_mark(text, mark) if mark else {text.strip()}
        for line in filter(_is_distinctive, lines):
            if _BLOCK_START.fullmatch(line):
                continue  # `with self.lock:` may be the repair itself; with its mark it is found anyway
            self._paths_by_line.setdefault(line, set()).add(file.path)
            if mark and not file.created and not _is_test(file.path):
                self._marked.add(line)

    def why(self, file: FileDiff, text: str) -> str | None:
        if _MARKED.search(text):
            return f"carries the mark {MARK}"
        for line in (text.strip(), _LAST_COMMENT.sub("", text).strip()):
            places = self._paths_by_line.get(line)
            if places is None:
                continue
            prints = _PRINTS.search(line) is not None
            if not prints and _is_test(file.path):
                continue
            if places & {file.path, file.old_path}:
                return "was added there by a diagnostic"
            if line in self._marked or (prints and len(line) >= _DISTINCTIVE_ELSEWHERE):
                return f"was added to {code(min(places))} by a diagnostic"
        return None


def _without_mark(text: str, mark: re.Match[str]) -> set[str]:
    """Candidates for the line without its comment. A wrong cut does no harm: hardly any line is equal to it."""
    before, behind = text[: mark.start()], text[mark.end() :]
    cut = {before[: start.start()].strip() for start in islice(_COMMENT.finditer(before), _MOST_TRIED)}
    ended = _END_OF_COMMENT.search(behind)
    return cut | {behind[ended.end() :].strip()} if ended else cut


def _is_test(path: str) -> bool:
    return is_in_a_test_place(path) or is_named_like_a_test(path)


def _is_distinctive(line: str) -> bool:
    """Whether a line is so specific that the same line elsewhere is a copy."""
    if len(line) < _DISTINCTIVE or not _LETTER.search(line) or _ORDINARY.match(line):
        return False
    return not _KEYWORDS.fullmatch(line)


def _shown(line: DiffLine) -> str:
    text = line.text.strip()
    return code(text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}...")


def _limited(found: list[str]) -> list[str]:
    more = len(found) - MOST_FINDINGS
    return found if more <= 0 else [*found[:MOST_FINDINGS], f"And {more} more like these."]
