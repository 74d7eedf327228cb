"""Compares two versions of a branch: whether they make the same change, and git's range-diff for people."""

from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.pull.branch_updates import ChangeComparison
from caseworker.core.pull.change_digest import change_digest
from caseworker.ports import Git

_SHOWN: Final = 20_000
"""Characters of a range-diff: more than a person reads in a comment."""
_MOST: Final = 100
"""Commits on either side: git compares each with each."""
_PLAIN: Final = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")


async def compare_changes(git: Git, git_dir: Path, old: tuple[Sha, Sha], new: tuple[Sha, Sha]) -> ChangeComparison:
    """Each as (base, head)."""
    try:
        digests = [await _digest(git, git_dir, *one) for one in (old, new)]
    except Refused:  # the diff is too large to be read
        return ChangeComparison(is_same=False)
    is_same = digests[0] == digests[1]
    if any([await _count(git, git_dir, *one) > _MOST for one in (old, new)]):
        return ChangeComparison(is_same=is_same)
    ranges = [f"{base}..{head}" for base, head in (old, new)]
    try:
        shown = await git("range-diff", "--no-color", *ranges, git_dir=git_dir)
    except Refused:  # git can't read one of the ranges. The text is a courtesy: nothing depends on it.
        return ChangeComparison(is_same=is_same)
    text = shown.output.decode(errors="replace")
    return ChangeComparison(is_same=is_same, range_diff=text[:_SHOWN])


async def _digest(git: Git, git_dir: Path, base: Sha, head: Sha) -> str:
    return change_digest(
        (await git("diff-tree", "-r", "-p", "--full-index", *_PLAIN, base, head, git_dir=git_dir)).output
    )


async def _count(git: Git, git_dir: Path, base: Sha, head: Sha) -> int:
    return int((await git("rev-list", "--count", "--no-merges", f"{base}..{head}", git_dir=git_dir)).text)
