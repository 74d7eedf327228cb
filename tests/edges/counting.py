"""Real git that counts its calls."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from caseworker.ports import GitAnswer, GitLogin
from caseworker.workspaces.git import SafeGit


class CountingGit(SafeGit):
    """Runs the real git, and counts how often each git command was run."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    async def __call__(
        self,
        *arguments: str,
        git_dir: Path | None = None,
        work_tree: Path | None = None,
        inside: Path | None = None,
        stdin: bytes = b"",
        accept: Sequence[int] = (0,),
        login: GitLogin | None = None,
        most: int | None = None,
    ) -> GitAnswer:
        self.asked[arguments[0]] += 1
        return await super().__call__(
            *arguments,
            git_dir=git_dir,
            work_tree=work_tree,
            inside=inside,
            stdin=stdin,
            accept=accept,
            login=login,
            most=most,
        )
