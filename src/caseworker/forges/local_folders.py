"""What there is in a folder that a person names: the repository, its branch and its commit. Reads only."""

import re
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef
from caseworker.ports import Git, Head

_BRANCHES = "refs/heads/"
_LINK = re.compile(r"(?P<scheme>https?):/{1,2}(?P<rest>\S+?)/?")
"""`Path` leaves one of the two slashes."""


@dataclass(frozen=True, kw_only=True)
class Folder:
    """A repository on this disk."""

    path: Path
    """The top-level folder; of a bare repository, the repository itself."""
    head: Head
    """If it is detached, the branch is the likeliest one that contains the commit."""

    @property
    def ref(self) -> LocalRepository:
        return LocalRepository(path=self.path)


class NoRepository(Refused):
    """The folder is in no repository. Other refusals are about the repository that it is in."""


async def look(repository: Path, git: Git) -> Folder:
    """What there is at this path, or `Refused` with what to do. Changes nothing: for use before anything is created."""
    path = _existing_folder(repository)
    questions = ("--is-bare-repository", "--is-inside-work-tree", "--show-object-format", "--absolute-git-dir")
    of_a_checkout = ("--show-toplevel", "--show-superproject-working-tree")  # last: a bare repository has no answer
    found = await git("rev-parse", *questions, *of_a_checkout, inside=path, accept=(0, 128))
    if not found.text:
        raise NoRepository(
            f"{path} is not a git repository.", todo=f"Name one, or make it one: git -C {path} init, then commit."
        )
    bare, in_work_tree, object_format, git_dir, *checkout = found.text.splitlines()
    if bare == "true":
        top = Path(git_dir)
    elif in_work_tree == "true" and found.code == 0:
        top = _top_level(*checkout)
    else:
        raise Refused(f"{path} is the inside of a repository.", todo=f"Name the folder above it: {path.parent}")
    commit, branch = await _head(top, git)
    return Folder(path=top, head=Head(branch=branch, commit=commit, object_format=object_format))


def _top_level(top: str, superproject: str = "") -> Path:
    if superproject:
        raise Refused(
            f"{top} is a submodule of {superproject}.", todo="Clone it by itself, and name the clone's folder."
        )
    return Path(top)


async def _head(top: Path, git: Git) -> tuple[Sha, str]:
    """The commit, and the branch that stands for it."""
    question = ("rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD", "--")  # a file may be called HEAD, too
    found = await git(*question, inside=top, accept=(0, 1, 128))
    if found.code != 0:
        raise Refused(f"{top} has no commit yet.", todo='Make one: git add -A && git commit -m "Start"')
    commit, named, *_ = found.text.splitlines()
    if named.startswith(_BRANCHES):
        return Sha(commit), named.removeprefix(_BRANCHES)
    with_head = ("for-each-ref", "--format=%(refname:lstrip=2)", "--contains=HEAD", _BRANCHES)
    branches = (await git(*with_head, inside=top)).text.splitlines()
    likeliest = next((name for name in ("main", "master", "trunk") if name in branches), (branches or ["HEAD"])[0])
    return Sha(commit), likeliest


def _existing_folder(repository: Path) -> Path:
    path = repository.expanduser().resolve()
    if not path.is_dir() and (link := _LINK.fullmatch(str(repository))):
        page = f"{link['scheme']}://{link['rest']}"
        raise Refused(
            f"{page} is a link, not a folder.",
            todo="Clone it and name the clone's folder, or name an issue by its link alone: "
            f"`caseworker run --issue {page.removesuffix('.git')}/issues/NUMBER`.",
        )
    if not path.is_dir():
        raise Refused(f"{path} is not a folder.", todo="Name the folder of a git repository.")
    return path


def folder_of(repository: RepositoryRef) -> Path:
    match repository:
        case LocalRepository(path=path):
            return path
        case RemoteRepository():
            raise Refused(f"{repository} is not a folder of this machine.", todo="Name the folder of a clone.")
