"""Questions and small changes to a bare repository, by the real git."""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from caseworker.github_double.entities.accounts import User

NO_COMMIT: Final = "0" * 40
"""How git names "no such ref" in a push."""

_HASH: Final = re.compile(r"[0-9a-f]{40}(\^\{commit\})?")
"""A commit's full hash, also as `rev-parse` is asked for it."""

_ENVIRONMENT: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "GitHub",
    "GIT_AUTHOR_EMAIL": "noreply@github.com",
    "GIT_COMMITTER_NAME": "GitHub",
    "GIT_COMMITTER_EMAIL": "noreply@github.com",
}


_BARE_SETTINGS: Final = """
[http]
\treceivepack = true
[receive]
\tautogc = false
[gc]
\tauto = 0
[uploadpack]
\tallowAnySHA1InWant = true
"""


class GitFailed(Exception):
    """git said no; the text is what it wrote."""


def git_environment() -> dict[str, str]:
    """Of every git process here: no settings of the user or the machine."""
    return {"PATH": os.environ.get("PATH", os.defpath), **_ENVIRONMENT}


def run_git(
    folder: Path,
    *arguments: str,
    given: bytes = b"",
    author: User | None = None,
    ok: tuple[int, ...] = (0,),
    extra: Mapping[str, str] | None = None,
) -> str:
    """Runs git in the folder and returns what it wrote, without the last line break."""
    environment = git_environment() | dict(extra or {})
    if author is not None:
        environment["GIT_AUTHOR_NAME"] = author.name or author.login
        environment["GIT_AUTHOR_EMAIL"] = email_of(author)
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, input=given, capture_output=True, check=False)
    if done.returncode not in ok:
        raise GitFailed(done.stderr.decode(errors="replace").strip() or f"git ended with {done.returncode}")
    return done.stdout.decode(errors="replace").removesuffix("\n")


def email_of(user: User) -> str:
    return user.email or f"{user.id}+{user.login}@users.noreply.github.com"


@dataclass(frozen=True, kw_only=True)
class CommitData:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: str
    committer_name: str
    committer_email: str
    committed_at: str
    message: str

    @property
    def headline(self) -> str:
        return self.message.partition("\n")[0]


@dataclass(frozen=True, kw_only=True)
class FileChange:
    path: str
    status: str
    """As GitHub names it: added, removed, modified, renamed."""
    additions: int
    deletions: int
    previous_path: str | None
    patch: str | None
    blob: str


def create_bare(path: Path, default_branch: str) -> None:
    path.mkdir(parents=True)
    run_git(path, "init", "--quiet", "--bare", f"--initial-branch={default_branch}", ".")
    with (path / "config").open("a") as config:
        config.write(_BARE_SETTINGS)


def ask_git(path: Path, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
    """The answer of git to a question about commits, which stand among the arguments. Commits never change: if all are
    named by their full hashes, the answer is kept. A failure is not kept: a missing commit may come."""
    names = (name for word in arguments[1:] if not word.startswith("-") for name in re.split(r"\.{2,3}", word))
    ask = _kept_answer if all(map(_HASH.fullmatch, names)) else _answer
    return ask(path, arguments, ok)


def _answer(path: Path, arguments: tuple[str, ...], ok: tuple[int, ...]) -> str:
    return run_git(path, *arguments, ok=ok)


_kept_answer = lru_cache(maxsize=2_000)(_answer)


def resolve(path: Path, revision: str) -> str | None:
    """The commit that a branch, tag or (shortened) hash names. As on GitHub, no branch is named like a full hash."""
    if not revision or revision.startswith("-"):
        return None
    is_hash = _HASH.fullmatch(revision) is not None
    if not is_hash and (found := branch_head(path, revision)):
        return found
    names = (revision,) if is_hash else (f"refs/tags/{revision}", revision)
    for name in names:
        try:
            return ask_git(path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitFailed:
            continue
    return None


def branches(path: Path) -> dict[str, str]:
    return refs(path, "refs/heads")


def branch_head(path: Path, name: str) -> str | None:
    """The commit of one branch, from its own file: to list hundreds of others takes a hundred times as long."""
    try:
        found = (path / "refs" / "heads" / name).read_text().strip()
    except (OSError, ValueError):  # packed with others, or there is none
        found = ""
    return found if _HASH.fullmatch(found) else branches(path).get(name)


def refs(path: Path, under: str = "refs") -> dict[str, str]:
    """Refs under the prefix and their commits; the names of branches are without the prefix."""
    found = _refs_of(path, tuple(_ref_files(path)))
    chosen = {name: sha for name, sha in found if name.startswith(f"{under}/")}
    return {name.removeprefix("refs/heads/") if under == "refs/heads" else name: sha for name, sha in chosen.items()}


@lru_cache(maxsize=500)
def _refs_of(path: Path, files: tuple[tuple[str, int, int], ...]) -> tuple[tuple[str, str], ...]:
    """All refs while these are the files they are kept in: every change of a ref makes a new file."""
    listed = run_git(path, "for-each-ref", "--format=%(objectname) %(refname)").splitlines()
    return tuple((name, sha) for sha, _, name in (line.partition(" ") for line in listed))


def _ref_files(path: Path) -> Iterator[tuple[str, int, int]]:
    """Name, inode and time of change of each file with refs."""
    yield from _marks(path / "refs")
    with contextlib.suppress(FileNotFoundError):  # never written
        status = (path / "packed-refs").stat()
        yield "packed-refs", status.st_ino, status.st_mtime_ns


def _marks(folder: Path | str) -> Iterator[tuple[str, int, int]]:
    """Without a Path for each of hundreds of files: this is asked many times for each answer."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:  # removed meanwhile
        for entry in entries:
            if entry.is_dir():
                yield from _marks(entry.path)
            else:
                status = entry.stat()
                yield entry.path, status.st_ino, status.st_mtime_ns


def is_ancestor(path: Path, older: str, newer: str) -> bool:
    try:
        return merge_base(path, older, newer) == resolve(path, older)
    except GitFailed:
        return False


def merge_base(path: Path, one: str, other: str) -> str | None:
    return ask_git(path, "merge-base", one, other, ok=(0, 1)) or None


def count(path: Path, since: str, until: str) -> int:
    return int(ask_git(path, "rev-list", "--count", f"{since}..{until}"))


_FORMAT: Final = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01"


def log(path: Path, *arguments: str) -> list[CommitData]:
    """Commits, newest first unless the arguments say otherwise."""
    written = ask_git(path, "log", f"--format={_FORMAT}", *arguments)
    entries = (entry.strip("\n") for entry in written.split("\x01"))
    return [_commit(entry) for entry in entries if entry]


def commit(path: Path, sha: str) -> CommitData:
    return log(path, "-1", sha)[0]


def _commit(entry: str) -> CommitData:
    sha, tree, parents, an, ae, at, cn, ce, ct, message = entry.split("\x00")
    return CommitData(
        sha=sha,
        tree=tree,
        parents=tuple(parents.split()),
        author_name=an,
        author_email=ae,
        authored_at=at,
        committer_name=cn,
        committer_email=ce,
        committed_at=ct,
        message=message.rstrip("\n"),
    )


def commit_tree(path: Path, tree: str, parents: tuple[str, ...], message: str, author: User | None = None) -> str:
    flags = [part for parent in parents for part in ("-p", parent)]
    return run_git(path, "commit-tree", tree, *flags, given=message.encode(), author=author)


def update_ref(path: Path, name: str, sha: str | None, *, expected: str | None = None) -> None:
    """Sets or deletes a ref; with `expected` only if it is there now."""
    before = [] if expected is None else [expected]
    if sha is None:
        run_git(path, "update-ref", "-d", name, *before)
    else:
        run_git(path, "update-ref", name, sha, *before)


def trial_merge(path: Path, base: str, head: str) -> str | None:
    """The tree of a merge of the two commits, or None if they conflict."""
    written = ask_git(path, "merge-tree", "--write-tree", base, head, ok=(0, 1))
    first, _, rest = written.partition("\n")
    return first if not rest else None


def commit_file(path: Path, parent: str | None, file: str, content: bytes, *, message: str, author: User) -> str:
    """A commit on top of `parent` in which one file has this content. No ref is moved."""
    blob = run_git(path, "hash-object", "-w", "--stdin", given=content)
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if parent is not None:
            run_git(path, "read-tree", parent, extra=index)
        run_git(path, "update-index", "--add", "--cacheinfo", f"100644,{blob},{file}", extra=index)
        tree = run_git(path, "write-tree", extra=index)
    return commit_tree(path, tree, () if parent is None else (parent,), message, author)


def read_blob(path: Path, name: str) -> bytes | None:
    """The bytes of `commit:file`, or None if there is no such file."""
    command = ["git", "cat-file", "blob", name]
    done = subprocess.run(command, cwd=path, env=git_environment(), capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def kind_of(path: Path, name: str) -> str | None:
    """`blob` or `tree` for `commit:path`, None if there is nothing."""
    try:
        return run_git(path, "cat-file", "-t", name)
    except GitFailed:
        return None
