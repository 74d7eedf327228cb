"""Makes a git tree object from a worktree. Runs nothing that is in the worktree, and follows no link out of it.

`git add -A` is not used: in a folder that is a repository of its own it runs git with that repository's configuration.
Instead we ask git what differs, and tell it file by file what to add.
"""

import shutil
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.ports import Git
from caseworker.workspaces.blocking_work import in_thread
from caseworker.workspaces.mirrors import OURS

MAX_FILE_BYTES = 50 << 20
MAX_COMMIT_BYTES = 500 << 20
_CHANGED = b"C "
_OTHER = b"? "
_SUBMODULE = b"C 160000"
_ROUNDS = 50
"""Limit for nested repositories: each round of `_differing` opens one more level."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """A tree object, and how it differs from the parent commit's tree."""

    tree: Sha
    gone: Sequence[bytes]
    taken: Sequence[bytes]
    """Changed and new files."""
    whole: bool
    """Whether git added all of them: it skips names that look like its own folder."""

    @property
    def changed(self) -> list[str]:
        return [path.decode(errors="replace") for path in sorted({*self.gone, *self.taken})]

    def names(self, before: Sequence[str]) -> Sequence[str]:
        """All paths in the tree. `before`: the paths in the parent, encoded as by `Commits.names`."""
        gone = {path.decode(errors="surrogateescape") for path in self.gone}
        taken = {path.decode(errors="surrogateescape") for path in self.taken}
        return sorted(taken.union(before) - gone)


async def write_tree(git: Git, *, git_dir: Path, work_tree: Path, parent: Sha) -> Written | None:
    """Writes the tree of the worktree, without ignored files and files of ours. None if nothing differs from `parent`.

    The index must hold `parent`: git then keeps an ignored file that the parent tracks, and leaves out the others.
    """
    differing, untracked = await _differing(git, git_dir, work_tree)
    paths = [path for path in dict.fromkeys([*differing, *untracked]) if not _is_ours(path)]
    present = await in_thread(_present, work_tree, paths)
    gone = [path for path in differing if path not in present and not _is_ours(path)]
    taken = sorted(present)
    if not gone and not taken:
        return None
    update = ("update-index", "-z")
    if gone:
        none = b"0" * len(parent)
        removals = b"".join(b"0 " + none + b"\t" + path + b"\0" for path in gone)
        await git(*update, "--index-info", stdin=removals, git_dir=git_dir, work_tree=work_tree)
    whole = True
    if taken:
        additions = b"".join(path + b"\0" for path in taken)
        take = (*update, "--add", "--replace", "--verbose", "--stdin")
        answer = await git(*take, stdin=additions, git_dir=git_dir, work_tree=work_tree)
        whole = answer.output == b"".join(b"add '" + path + b"'\n" for path in taken)
    tree = Sha((await git("write-tree", git_dir=git_dir, work_tree=work_tree)).text)
    return Written(tree=tree, gone=gone, taken=taken, whole=whole)


async def _differing(git: Git, git_dir: Path, work_tree: Path) -> tuple[list[bytes], list[bytes]]:
    """Files that differ from the index, and files that git neither tracks nor ignores.

    Git lists a nested repository as `folder/`. We remove its .git, so that its files are added like any others: as a
    link to a commit that exists only there, they would be lost.
    """
    for _ in range(_ROUNDS):
        question = ("ls-files", "-z", "-t", "--modified", "--stage", "--others", "--exclude-standard")
        lines = _lines((await git(*question, git_dir=git_dir, work_tree=work_tree)).output)
        untracked = [line.removeprefix(_OTHER) for line in lines if line.startswith(_OTHER)]
        nested = [path for path in untracked if path.endswith(b"/")]
        if not nested:
            changed = [line for line in lines if line.startswith(_CHANGED) and not line.startswith(_SUBMODULE)]
            return [_modified_path(line) for line in changed], untracked
        await in_thread(_unmake_repositories, work_tree, nested)
    raise Refused(f"The workspace holds repositories nested more than {_ROUNDS} deep.")


def _unmake_repositories(work_tree: Path, nested: Iterable[bytes]) -> None:
    for path in nested:
        inner = work_tree / path.decode(errors="surrogateescape") / ".git"
        if inner.is_symlink() or inner.is_file():
            inner.unlink()
        else:
            shutil.rmtree(inner)  # does not follow links


def _present(work_tree: Path, paths: Iterable[bytes]) -> set[bytes]:
    """Which paths are files or links and are not reached through a link. `Refused` if they are too big."""
    real: dict[Path, bool] = {work_tree: True}
    found: set[bytes] = set()
    total = 0
    for path in paths:
        file = work_tree / path.decode(errors="surrogateescape")
        if not _is_real_folder(file.parent, real):
            continue
        try:
            status = file.lstat()
        except OSError:
            continue
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            continue
        total += status.st_size
        if status.st_size > MAX_FILE_BYTES:
            raise Refused(
                f"{_printable(path)} has {status.st_size >> 20} MB; a file may have {MAX_FILE_BYTES >> 20} MB."
            )
        if total > MAX_COMMIT_BYTES:
            raise Refused(f"The changed files have more than {MAX_COMMIT_BYTES >> 20} MB together.")
        found.add(path)
    return found


def _is_real_folder(folder: Path, known: dict[Path, bool]) -> bool:
    if folder not in known:
        known[folder] = _is_real_folder(folder.parent, known) and folder.is_dir() and not folder.is_symlink()
    return known[folder]


def _is_ours(path: bytes) -> bool:
    return path.split(b"/", 1)[0].decode(errors="replace") in OURS


def _modified_path(line: bytes) -> bytes:
    return line.split(b"\t", 1)[1]


def _lines(output: bytes) -> list[bytes]:
    return [line for line in output.split(b"\0") if line]


def _printable(path: bytes) -> str:
    return path.decode(errors="replace").encode("unicode_escape").decode()
