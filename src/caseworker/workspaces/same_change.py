"""Tells whether two versions of a branch make the same change to their bases: line by line, but for line numbers."""

from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.pull.change_digest import change_digest
from caseworker.ports import Git

_PLAIN: Final = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")


async def is_same_change(git: Git, git_dir: Path, old: tuple[Sha, Sha], new: tuple[Sha, Sha]) -> bool:
    """Each as (base, head). A diff that is too large to be read counts as another one."""
    try:
        first, second = [await _digest(git, git_dir, *one) for one in (old, new)]
    except Refused:
        return False
    return first == second


async def _digest(git: Git, git_dir: Path, base: Sha, head: Sha) -> str:
    return change_digest(
        (await git("diff-tree", "-r", "-p", "--full-index", *_PLAIN, base, head, git_dir=git_dir)).output
    )
