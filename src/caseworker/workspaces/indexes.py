"""Remembers which commit git's index of a worktree holds, so that an unchanged index need not be read in again."""

from pathlib import Path

from caseworker.core.base.ids import Sha

_Identity = tuple[int, int, int, int]


class Indexes:
    """The commit in each worktree's index, as far as this process knows.

    Git writes an index as a new file in place of the old one. So we see it, whoever changed it: an agent without a
    sandbox, a person, or another process.
    """

    def __init__(self) -> None:
        self._held: dict[Path, tuple[Sha, _Identity]] = {}

    def note(self, git_dir: Path, commit: Sha) -> None:
        """Call it right after git has made the index hold this commit."""
        identity = _identity(git_dir)
        if identity is not None:
            self._held[git_dir] = (commit, identity)

    def holds(self, git_dir: Path, commit: Sha) -> bool:
        return git_dir in self._held and self._held[git_dir] == (commit, _identity(git_dir))

    def forget(self, git_dir: Path) -> None:
        self._held.pop(git_dir, None)


def _identity(git_dir: Path) -> _Identity | None:
    try:
        found = (git_dir / "index").lstat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
