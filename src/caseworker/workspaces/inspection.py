"""Looking at a case's work from outside: whoever runs it is not asked, and nothing is locked or written."""

from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.mirrors import mirror_name


async def change_between(home: Path, repository: RepositoryRef, old: Sha, new: Sha, *how: str) -> str:
    """As git shows it. `how`: git's own words for another form, as `--stat`."""
    git = SafeGit()
    mirror = _mirror_of(home, repository)
    options = ("--no-ext-diff", "--no-textconv", "--no-color", *how)
    answer = await git("diff", *options, old, new, "--", git_dir=mirror, accept=(0, 128))
    if answer.code != 0:
        raise Refused(f"Commit {new[:12]} is not here any more.", todo="Look at the branch, if one was pushed.")
    return answer.output.decode(errors="replace")


def _mirror_of(home: Path, repository: RepositoryRef) -> Path:
    mirror = home.resolve() / "mirrors" / mirror_name(repository)
    if not mirror.is_dir():
        raise Refused(f"There is no work of {repository} in {home}.", todo="Look on the machine where its worker runs.")
    return mirror
