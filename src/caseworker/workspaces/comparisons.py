"""Compares commits by git alone: which files people changed between two, and which conflict."""

from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import COMMITTER
from caseworker.ports import Git, GitAnswer
from caseworker.workspaces.mirrors import OURS

_NOT_OURS = ("--", ".", *(f":(top,exclude){name}" for name in OURS))


async def compare(git: Git, git_dir: Path, old: Sha, new: Sha, *how: str) -> GitAnswer:
    """What `git diff` says of two commits, without the files that we write for the agent."""
    options = ("--no-ext-diff", "--no-textconv", "--no-color", *how)
    # The worktree may be lost; the commits are not.
    return await git("diff", *options, old, new, *_NOT_OURS, git_dir=git_dir, work_tree=Path("/"))


async def files_of_people(git: Git, git_dir: Path, old: Sha, new: Sha) -> list[str]:
    """The files in commits between the two that somebody else than Caseworker made."""
    log = ("log", "--no-merges", "--no-show-signature", "--format=%H %ce", f"{old}..{new}")
    commits = [line.split(" ", 1) for line in (await git(*log, git_dir=git_dir)).text.splitlines()]
    theirs = "".join(f"{commit}\n" for commit, committer in commits if committer != COMMITTER)
    if not theirs:
        return []
    names = ("diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames")
    answer = await git(*names, stdin=theirs.encode(), git_dir=git_dir)
    return sorted({path for path in answer.output.decode(errors="replace").split("\0") if path})


async def conflicting_files(git: Git, git_dir: Path, commit: Sha, other: Sha) -> list[str]:
    """The files in which a merge of the two would conflict."""
    how = ("--write-tree", "--name-only", "--no-messages", "--allow-unrelated-histories", "-z")
    # 129: a git before 2.38 can't tell.
    tried = await git("merge-tree", *how, commit, other, git_dir=git_dir, accept=(0, 1, 129))
    if tried.code != 1:
        return []
    _tree, *files = tried.output.decode(errors="replace").split("\0")
    return sorted({file for file in files if file})
