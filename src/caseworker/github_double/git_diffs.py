"""Differences between two commits: the whole text, or one entry for each file."""

from pathlib import Path

from caseworker.github_double.git_store import FileChange, ask_git

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}


def diff_text(path: Path, base: str, head: str) -> str:
    """The unified diff from the merge base to the head, as the diff media type gives it."""
    return _with_break(ask_git(path, "diff", "--no-color", "--no-ext-diff", f"{base}...{head}"))


def patch_text(path: Path, base: str, head: str) -> str:
    """One mail for each commit, as the patch media type gives it."""
    return _with_break(ask_git(path, "format-patch", "--stdout", "--no-signature", f"{base}..{head}"))


def _with_break(text: str) -> str:
    return text + "\n" if text else ""


def changed_files(path: Path, old: str, new: str) -> list[FileChange]:
    """Files that differ between two commits or trees, in git's order."""
    raw = ask_git(path, "diff-tree", "-r", "-M", "-z", "--raw", "--abbrev=40", old, new).split("\0")
    numbers = _numbers(path, old, new)
    patches = _patches(path, old, new)
    found, place = [], 0
    while place < len(raw) and raw[place].startswith(":"):
        _, _, _, blob, letter = raw[place].removeprefix(":").split(" ")
        moved = letter[0] in "RC"
        previous = raw[place + 1] if moved else None
        name = raw[place + 2] if moved else raw[place + 1]
        added, deleted = numbers.get(name, (0, 0))
        found.append(
            FileChange(
                path=name,
                status=_STATUS[letter[0]],
                additions=added,
                deletions=deleted,
                previous_path=previous,
                patch=patches.get(name),
                blob=blob,
            )
        )
        place += 3 if moved else 2
    return found


def _numbers(path: Path, old: str, new: str) -> dict[str, tuple[int, int]]:
    fields = ask_git(path, "diff-tree", "-r", "-M", "-z", "--numstat", old, new).split("\0")
    found: dict[str, tuple[int, int]] = {}
    place = 0
    while place < len(fields) and fields[place]:
        added, deleted, name = fields[place].split("\t")
        if not name:  # a rename: the two names follow
            name = fields[place + 2]
            place += 2
        found[name] = (0 if added == "-" else int(added), 0 if deleted == "-" else int(deleted))
        place += 1
    return found


def _patches(path: Path, old: str, new: str) -> dict[str, str]:
    """The hunks of each text file, without the header lines, as REST gives them."""
    text = ask_git(path, "diff-tree", "-r", "-M", "-p", "--no-color", old, new)
    found: dict[str, str] = {}
    for part in ("\n" + text).split("\ndiff --git ")[1:]:
        header, mark, hunks = part.partition("\n@@ ")
        if not mark:
            continue
        new_name = next((line[6:] for line in header.splitlines() if line.startswith("+++ b/")), None)
        old_name = next((line[6:] for line in header.splitlines() if line.startswith("--- a/")), None)
        name = new_name or old_name
        if name:
            found[name.rstrip("\t")] = f"@@ {hunks}".rstrip("\n")
    return found
