"""What a push may do to a branch: which branches are never pushed to, and which commits must not be dropped."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import OUR_BRANCHES
from caseworker.core.pull.change_digest import change_digest
from caseworker.core.pull.own_commits import MADE_REFS, is_ours, kept_commits
from caseworker.ports import Git, PullUpdate, Workspace

_DROPPED: Final = 1_000
"""How many of our own commits a push may leave behind: more is surely somebody else's branch."""
_DIFF: Final = (
    "-p",
    "-r",
    "--root",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-commit-id",
)


def refuse_branch(branch: str, workspace: Workspace, *, expected: Sha | None, update: PullUpdate | None) -> None:
    """`Refused` for what is never pushed to, as far as names tell it."""
    bases = {workspace.base_branch} if update is None else {workspace.base_branch, update.base}
    if update is None and (not branch.startswith(OUR_BRANCHES) or branch in bases):
        raise Refused(f"Caseworker pushes only to branches under {OUR_BRANCHES}, not to {branch}.")
    if branch in bases:
        raise Refused(f"Caseworker never pushes to {branch}, the base of the pull request.")
    if update is not None and expected is None:
        raise Defect(f"a push to {branch} of a pull request does not say where the branch was seen")


async def drops_others_work(
    git: Git, git_dir: Path, *, expected: Sha, commit: Sha, update: PullUpdate | None = None
) -> bool:
    """Whether moving a branch from `expected` to `commit` would drop commits that are not ours.

    Forward is always good. Sideways only past commits that we made: a commit that merely lies below one of them may be
    a person's.
    """
    left = await git("rev-list", f"--max-count={_DROPPED}", expected, f"^{commit}", git_dir=git_dir, accept=(0, 128))
    dropped = left.text.splitlines()
    if left.code == 0 and not dropped:
        return False
    if left.code != 0 or len(dropped) == _DROPPED:
        return True
    recorded = kept_commits((await git(*MADE_REFS, git_dir=git_dir)).text) | (update.ours if update else frozenset())
    others = await _not_ours(git, git_dir, dropped, recorded)
    if not others or update is None or not update.may_copy:
        return bool(others)
    return not await _are_copied(git, git_dir, others, expected=expected, commit=commit)


async def _not_ours(git: Git, git_dir: Path, commits: Sequence[str], recorded: frozenset[Sha]) -> list[Sha]:
    how = ("log", "--no-walk=unsorted", "--no-show-signature", "--format=%H%x00%ae%x00%ce", "--stdin")
    told = await git(*how, stdin="".join(f"{one}\n" for one in commits).encode(), git_dir=git_dir)
    found = (line.split("\0") for line in told.text.split("\n"))
    return [Sha(commit) for commit, *addresses in found if not is_ours(Sha(commit), addresses, recorded)]


async def _are_copied(git: Git, git_dir: Path, others: Sequence[Sha], *, expected: Sha, commit: Sha) -> bool:
    """Whether each has a copy in the new history: the same author, message and change. A merge has none."""
    listed = await git("rev-list", "--no-merges", f"--max-count={_DROPPED}", commit, f"^{expected}", git_dir=git_dir)
    fresh = {await _content(git, git_dir, Sha(one)) for one in listed.text.splitlines()}
    for one in others:
        content = await _content(git, git_dir, one)
        if content is None or content not in fresh:
            return False
    return True


async def _content(git: Git, git_dir: Path, commit: Sha) -> tuple[bytes, bytes, str] | None:
    """Author, message and change of a commit. None: it is a merge."""
    raw = (await git("cat-file", "commit", commit, git_dir=git_dir)).output
    head, _, message = raw.partition(b"\n\n")
    lines = head.split(b"\n")
    if sum(line.startswith(b"parent ") for line in lines) > 1:
        return None
    author = next(line for line in lines if line.startswith(b"author "))
    diff = await git("diff-tree", *_DIFF, commit, git_dir=git_dir)
    return author, message, change_digest(diff.output)


def git_dir_of(workspace: Workspace) -> Path:
    if workspace.git_dir is None:
        raise Defect(f"the workspace of {workspace.case} does not say where its commits are")
    return workspace.git_dir
