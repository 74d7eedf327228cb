"""Tells which commits are ours: they carry our address, which anybody can write, and are on our record. Pure.

The record: the refs that a mirror keeps for commits that Caseworker made, and the pushes in the store.
"""

from collections.abc import Collection
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import COMMITTER

MADE_REFS: Final = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/caseworker/")
"""Asks git for the refs of ours in a mirror."""
COPIES: Final = "/copies/"
"""Part of the names of refs at our copies of people's commits. These count as theirs, whatever address they carry."""
_NOT_MADE: Final = ("/base", "/start", "/kept")
"""Ends of the names of our refs at commits that others may have made: where a case or a side tree began, what a closed
case left."""


def kept_commits(listing: str) -> frozenset[Sha]:
    """`listing`: git's answer to `MADE_REFS`."""
    refs = (line.split(" ", 1) for line in listing.splitlines())
    return frozenset(Sha(commit) for commit, name in refs if not name.endswith(_NOT_MADE) and COPIES not in name)


def is_ours(commit: Sha, addresses: Collection[str], recorded: frozenset[Sha]) -> bool:
    """`addresses`: of author and committer."""
    return commit in recorded and all(one == COMMITTER for one in addresses)
