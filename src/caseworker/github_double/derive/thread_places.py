"""Where a review thread stands after a push: its line moved, or the code under it changed and it is outdated."""

import re
from pathlib import Path

from caseworker.github_double.git_store import GitFailed, run_git

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def line_after(path: Path, file: str, line: int, old: str, new: str) -> int | None:
    """The line's number in the new commit, or None if the line itself was changed or the file is gone."""
    try:
        text = run_git(path, "diff", "-U0", "--no-color", "-M", old, new, "--", file)
        run_git(path, "cat-file", "-e", f"{new}:{file}")
    except GitFailed:
        return None
    shift = 0
    for found in _HUNK.finditer(text):
        start, removed, _, added = (int(part) if part else 1 for part in found.groups())
        if removed and start <= line < start + removed:
            return None
        if start + (removed or 1) <= line:
            shift += added - removed
    return line + shift


def hunk_around(patch: str, line: int | None, side: str) -> str | None:
    """The part of a file's patch from its hunk header down to the line, or None if the line is not in the patch."""
    if line is None:
        return patch.partition("\n")[0]
    kept: list[str] = []
    old = new = 0
    for text in patch.splitlines():
        header = _HUNK.match(text)
        if header is not None:
            kept, old, new = [text], int(header[1]) - 1, int(header[3]) - 1
            continue
        kept.append(text)
        old += text[:1] in ("-", " ", "")
        new += text[:1] in ("+", " ", "")
        counts = text[:1] in (("+", " ", "") if side == "RIGHT" else ("-", " ", ""))
        if counts and line == (new if side == "RIGHT" else old):
            return "\n".join(kept)
    return None
