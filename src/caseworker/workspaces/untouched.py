"""Remembers which worktrees are unchanged since their last reset, so that the next reset has nothing to do.

Kept in this process, and used once. A token in a file beside the worktree guards against other processes: every reset
removes the file, so that a process whose token is gone knows that another process has used the worktree.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import Sha

_FILE = "untouched"


@dataclass(frozen=True, kw_only=True)
class Left:
    """The state in which a reset left a worktree."""

    commit: Sha
    scrubbed: bool

    def will_do(self, commit: Sha, *, scrub: bool) -> bool:
        """Whether a reset to this commit would change nothing."""
        return self.commit == commit and (self.scrubbed or not scrub)


class Untouched:
    def __init__(self) -> None:
        self._left: dict[Path, Left] = {}
        """After a reset: not yet known to be unchanged."""
        self._confirmed: dict[Path, tuple[str, Left]] = {}
        """Known to be unchanged, with the token."""

    def leave(self, tree: Path, left: Left) -> None:
        """Call it after a reset. The worktree counts as unchanged only after `say`: what runs next may write to it."""
        self._left[tree] = left

    def doubt(self, tree: Path) -> None:
        """Call it when something has begun in the worktree since the reset: it may have been changed."""
        self._left.pop(tree, None)

    def say(self, tree: Path) -> None:
        """Call it when nothing can have written to the worktree since the reset."""
        left = self._left.pop(tree, None)
        if left is not None:
            token = secrets.token_hex(16)
            _file(tree).write_text(token)
            self._confirmed[tree] = (token, left)

    def take(self, tree: Path) -> Left | None:
        """Call it before a reset: returns the state of the worktree if it is known, and forgets it."""
        self.doubt(tree)
        confirmed = self._confirmed.pop(tree, None)
        try:
            token = _file(tree).read_text()
            _file(tree).unlink()
        except FileNotFoundError:
            return None
        return confirmed[1] if confirmed is not None and confirmed[0] == token else None

    def forget(self, tree: Path) -> None:
        self.doubt(tree)
        self._confirmed.pop(tree, None)


def _file(tree: Path) -> Path:
    return tree.parent / _FILE
