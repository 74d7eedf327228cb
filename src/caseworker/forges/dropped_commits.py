"""Whether moving a branch would drop commits of other people. Reads only."""

from pathlib import Path
from typing import Final

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import Sha
from caseworker.ports import Git, Workspace

_DROPPED: Final = 1_000
"""How many of our own commits a push may leave behind: more is surely somebody else's branch."""


async def drops_others_work(git: Git, git_dir: Path, *, expected: Sha, commit: Sha) -> bool:
    """Forward is always good. Sideways only past commits of our own, each of which is kept under a ref of ours: a
    commit that merely lies below one of them may be a person's."""
    left = await git("rev-list", f"--max-count={_DROPPED}", expected, f"^{commit}", git_dir=git_dir, accept=(0, 128))
    dropped = left.text.splitlines()
    if left.code == 0 and not dropped:
        return False
    question = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/caseworker/")
    listing = await git(*question, git_dir=git_dir)
    refs = [line.split(" ", 1) for line in listing.text.splitlines()]
    ours = {kept for kept, name in refs if not name.endswith("/base")}
    return left.code != 0 or len(dropped) == _DROPPED or not ours.issuperset(dropped)


def git_dir_of(workspace: Workspace) -> Path:
    if workspace.git_dir is None:
        raise Defect(f"the workspace of {workspace.case} does not say where its commits are")
    return workspace.git_dir
