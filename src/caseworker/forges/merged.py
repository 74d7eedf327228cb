"""Whether a branch's work has arrived on its base, by whichever of git's ways a person merged it. Reads only."""

import re
from pathlib import Path

from caseworker.core.ids import Sha
from caseworker.ports import Git

_COMMITS = 200
"""How many of the base's commits since the branch left it are compared: a person merges sooner or later, not never."""
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")


async def is_merged(git: Git, path: Path, *, head: Sha, base: Sha) -> bool:
    left = await git("merge-base", base, head, inside=path, accept=(0, 1, 128))
    if left.code != 0:
        return False  # no common commit, or the branch's commits are gone from this repository
    fork = Sha(left.text)
    if fork == head:
        return True  # a merge, or a fast-forward
    if fork == base:
        return False  # the base has nothing new
    return await _holds_the_same_files(git, path, fork, head, base) or await _same_patch(git, path, fork, head, base)


async def _holds_the_same_files(git: Git, path: Path, fork: Sha, head: Sha, base: Sha) -> bool:
    """Squashed, rebased or picked: each file the branch touched is on the base as the branch left it."""
    touched = await git("diff", "--name-only", "-z", "--no-renames", *_PLAIN, fork, head, inside=path)
    if not touched.output:
        return False
    paths = {path for path in touched.output.split(b"\0") if path}
    differing = await git("diff", "--name-only", "-z", "--no-renames", *_PLAIN, base, head, inside=path)
    return paths.isdisjoint(differing.output.split(b"\0"))


async def _same_patch(git: Git, path: Path, fork: Sha, head: Sha, base: Sha) -> bool:
    """The files have been changed again since: then one commit of the base is the branch's whole change, or each of the
    branch's commits is there by itself."""
    whole = await git("diff", *_PLAIN, fork, head, inside=path)
    ours = await _patch_ids(git, path, whole.output)
    log = ("log", "-p", "--no-merges", "--no-show-signature", f"--max-count={_COMMITS}", "--format=commit %H", *_PLAIN)
    theirs = await _patch_ids(git, path, (await git(*log, f"{fork}..{base}", inside=path)).output)
    if ours and ours <= theirs:
        return True
    each = await _patch_ids(git, path, (await git(*log, f"{fork}..{head}", inside=path)).output)
    return bool(each) and each <= theirs


async def _patch_ids(git: Git, path: Path, patches: bytes) -> set[str]:
    answer = await git("patch-id", "--stable", stdin=patches, inside=path)
    return set(re.findall(r"^([0-9a-f]+) ", answer.text, re.MULTILINE))
