"""Reads the text of many files at a commit, within limits, without checking it out."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.core.evidence.missing_parts import (
    LARGEST_POINTER,
    LFS_POINTER,
    LINK,
    MissingPart,
    TreeEntry,
    missing_parts,
)
from caseworker.ports import Git

_BATCH = "--batch=%(objecttype) %(objectsize)"
_FILE_BYTES = 512 << 10
_ALL_BYTES = 4 << 20
"""For all files together: they are read line by line later."""


async def read_texts(git: Git, git_dir: Path, commit: Sha, paths: Sequence[str]) -> dict[str, str | None]:
    """The texts by path; None for a file beyond the limits. Paths that are not files at this commit are left out."""
    # Git reads one name per line: a name with a line end in it can't be asked for.
    asked = [path for path in paths if "\n" not in path]
    if not asked:
        return {}
    answer = await git("cat-file", _BATCH, stdin=_questions(commit, asked), git_dir=git_dir, most=_ALL_BYTES)
    if answer.cut:  # together they are too large: choose by their sizes
        sizes = await _sizes(git, git_dir, commit, asked)
        asked = _chosen(sizes)
        answer = await git("cat-file", _BATCH, stdin=_questions(commit, asked), git_dir=git_dir)
    else:
        sizes = {}
    found = dict(zip(asked, _contents(answer.output), strict=True))
    texts = {path: _text(content) for path, content in found.items() if content is not None}
    return {**dict.fromkeys(sizes), **texts}


def _chosen(sizes: Mapping[str, int]) -> list[str]:
    chosen, left = [], _ALL_BYTES
    for path, size in sizes.items():
        if size <= min(left, _FILE_BYTES):
            chosen.append(path)
            left -= size
    return chosen


def _text(content: bytes) -> str | None:
    return content.decode(errors="replace") if len(content) <= _FILE_BYTES else None


async def find_missing_parts(git: Git, git_dir: Path, commit: Sha) -> list[MissingPart]:
    """Submodules, LFS pointers and links that lead out, of all files of the commit."""
    listing = await git("ls-tree", "-r", "-l", "-z", commit, git_dir=git_dir)
    rows = [line.partition("\t") for line in listing.output.decode(errors="replace").split("\0") if line]
    facts = {path: facts.split() for facts, _, path in rows}  # mode, type, object, size
    # Links are short, and so are pointers; what has no attributes has no files in LFS.
    has_lfs = any(path.rpartition("/")[2] == ".gitattributes" for path in facts)
    read = [
        path
        for path, (mode, _, _, size) in facts.items()
        if mode == LINK or (has_lfs and size.isdigit() and len(LFS_POINTER) < int(size) <= LARGEST_POINTER)
    ]
    texts = await read_texts(git, git_dir, commit, read)
    return missing_parts(
        TreeEntry(mode=mode, path=path, object=id, text=texts.get(path) or "")
        for path, (mode, _, id, _) in facts.items()
    )


async def _sizes(git: Git, git_dir: Path, commit: Sha, paths: Sequence[str]) -> dict[str, int]:
    check = "--batch-check=%(objecttype) %(objectsize)"
    answer = await git("cat-file", check, stdin=_questions(commit, paths), git_dir=git_dir)
    lines = answer.output.decode(errors="replace").split("\n")
    # For a missing file git prints `<name> missing`, and a name may contain anything.
    answers = [line.rpartition(" ") for line in lines]
    return {path: int(size) for path, (kind, _, size) in zip(paths, answers, strict=False) if kind == "blob"}


def _questions(commit: Sha, paths: Sequence[str]) -> bytes:
    return "".join(f"{commit}:{path}\n" for path in paths).encode(errors="replace")


def _contents(output: bytes) -> Iterator[bytes | None]:
    """What git printed for each name. Null: there is no file of that name."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        kind, _, size = output[at:end].rpartition(b" ")
        if size == b"missing":  # `<name> missing`, and a name may contain anything
            yield None
            at = end + 1
        else:
            after = end + 1 + int(size)
            yield output[end + 1 : after] if kind == b"blob" else None
            at = after + 1
