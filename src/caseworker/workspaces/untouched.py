"""Which worktrees still are as their last reset left them, so that the next one has nothing to do.

Known only by this process, said only by who is sure of it, and believed once. The word beside the worktree is for other
processes: whoever resets a worktree takes it away, so a process that knew better before does not believe itself.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import Sha

_FILE = "untouched"


@dataclass(frozen=True, kw_only=True)
class Left:
    """How a reset left a worktree."""

    commit: Sha
    scrubbed: bool

    def will_do(self, commit: Sha, *, scrub: bool) -> bool:
        return self.commit == commit and (self.scrubbed or not scrub)


class Untouched:
    def __init__(self) -> None:
        self._left: dict[Path, Left] = {}
        self._said: dict[Path, tuple[str, Left]] = {}

    def leave(self, tree: Path, left: Left) -> None:
        """After a reset. Not yet believed: what comes next may write."""
        self._left[tree] = left

    def doubt(self, tree: Path) -> None:
        """Whoever had it reset has begun something since, and may have died over it."""
        self._left.pop(tree, None)

    def say(self, tree: Path) -> None:
        """Nothing can have written to it since."""
        left = self._left.pop(tree, None)
        if left is not None:
            word = secrets.token_hex(16)
            _file(tree).write_text(word)
            self._said[tree] = (word, left)

    def take(self, tree: Path) -> Left | None:
        """Before a reset, which is told how the worktree is, if anybody knows. From now on nobody does."""
        self.doubt(tree)
        said = self._said.pop(tree, None)
        try:
            word = _file(tree).read_text()
            _file(tree).unlink()
        except FileNotFoundError:
            return None
        return said[1] if said is not None and said[0] == word else None

    def forget(self, tree: Path) -> None:
        self.doubt(tree)
        self._said.pop(tree, None)


def _file(tree: Path) -> Path:
    return tree.parent / _FILE
