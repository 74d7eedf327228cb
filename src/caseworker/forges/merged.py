"""Whether a change has arrived on a branch, by whichever of git's ways a person brought it there. Reads only."""

import re
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.ports import Git

_COMMITS = 200
"""How many of the branch's commits since the change left it are compared: a person merges sooner or later, not never.
"""
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")


async def merged_commit(git: Git, path: Path, *, pushed: Sha, head: Sha, base: Sha) -> Sha | None:
    """The commit that is on the base: `head`, which people made of what we pushed, or `pushed` itself. None: neither.
    See `holds`."""
    for commit in dict.fromkeys((head, pushed)):
        if await holds(git, path, base, change=commit):
            return commit
    return None


async def holds(git: Git, path: Path, branch: Sha, *, change: Sha) -> bool:
    """The branch has the commit itself, or has had its whole patch since they parted."""
    if branch == change:
        return True
    left = await git("merge-base", branch, change, inside=path, accept=(0, 1, 128))
    if left.code != 0:
        return False  # no common commit, or the change's commits are gone from this repository
    fork = Sha(left.text)
    if fork == change:
        return True  # a merge, or a fast-forward
    if fork == branch:
        return False  # the branch has nothing new
    return await _same_files(git, path, fork, change, branch) or await _same_patch(git, path, fork, change, branch)


async def _same_files(git: Git, path: Path, fork: Sha, change: Sha, branch: Sha) -> bool:
    """Squashed, rebased or picked: each file that the change touched is on the branch as the change left it."""
    touched = await git("diff", "--name-only", "-z", "--no-renames", *_PLAIN, fork, change, inside=path)
    if not touched.output:
        return False
    paths = {path for path in touched.output.split(b"\0") if path}
    differing = await git("diff", "--name-only", "-z", "--no-renames", *_PLAIN, branch, change, inside=path)
    return paths.isdisjoint(differing.output.split(b"\0"))


async def _same_patch(git: Git, path: Path, fork: Sha, change: Sha, branch: Sha) -> bool:
    """The files have been changed again since: then one commit of the branch is the whole change, or each of the
    change's commits is there by itself."""
    whole = await git("diff", *_PLAIN, fork, change, inside=path)
    ours = await _patch_ids(git, path, whole.output)
    log = ("log", "-p", "--no-merges", "--no-show-signature", f"--max-count={_COMMITS}", "--format=commit %H", *_PLAIN)
    theirs = await _patch_ids(git, path, (await git(*log, f"{fork}..{branch}", inside=path)).output)
    if ours and ours <= theirs:
        return True
    each = await _patch_ids(git, path, (await git(*log, f"{fork}..{change}", inside=path)).output)
    return bool(each) and each <= theirs


async def _patch_ids(git: Git, path: Path, patches: bytes) -> set[str]:
    answer = await git("patch-id", "--stable", stdin=patches, inside=path)
    return set(re.findall(r"^([0-9a-f]+) ", answer.text, re.MULTILINE))
