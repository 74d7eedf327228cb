"""The git commands with which a person looks at a branch in a folder of this machine, and merges it."""

from pathlib import Path
from shlex import quote
from typing import Final

_BRANCHES: Final = "ref: refs/heads/"
_DETACHED: Final = "HEAD"
"""The name of a base that was no branch when the case began."""


def merge_commands(folder: Path, *, branch: str, into: str) -> list[tuple[str, str]]:
    """What each is for, and the command. `git merge` takes the branch that is checked out, so it is changed first
    where that is another one. A bare repository has none, so nothing can be merged there."""
    git, ours = f"git -C {quote(str(folder))}", quote(branch)
    diff = ("See the diff", f"{git} diff {quote(into or _DETACHED)}...{ours}")
    if _is_bare(folder):
        return [diff]
    needs_switch = into not in ("", _DETACHED, _checked_out(folder))
    switch = f"{git} switch {quote(into)} && " if needs_switch else ""
    return [diff, ("Merge it", f"{switch}{git} merge {ours}")]


def _is_bare(folder: Path) -> bool:
    return not (folder / ".git").exists() and (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def _checked_out(folder: Path) -> str | None:
    """The branch. None: there is none, or it can't be read."""
    git_dir = folder / ".git"
    try:
        if git_dir.is_file():  # of a further worktree
            git_dir = folder / git_dir.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")
        head = (git_dir / "HEAD").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return head.removeprefix(_BRANCHES) if head.startswith(_BRANCHES) else None
