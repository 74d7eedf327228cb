"""Mounts an environment's `node_modules`: its packages read-only, its top folder writable and gone at the end.

Tools ask whether they may write into `node_modules` before they make a cache below it. Some of them, told no, look for
the cache in another place than they read it from (xo), and fail.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

_NAME: Final = "node_modules"
_MOST_ENTRIES: Final = 600
"""Each entry is a mount of its own. bwrap's time grows with the square: 500 take 0.4 s, 1,000 take 1.5 s."""
_SIZE: Final = 64 << 20
"""Bytes of memory for what is written into the top folders, for all of them. Large caches are links to `/tmp`."""


def overlay_mounts(overlays: Sequence[tuple[Path, Path]], *, with_sizes: bool) -> list[str]:
    """The options of bwrap for (source, place), read-only. `with_sizes`: whether it can limit a folder in memory."""
    entries = _entries(overlays) if with_sizes else {}
    words: list[str] = []
    for source, place in overlays:
        if source in entries:
            words += ["--size", str(_SIZE // len(entries)), "--tmpfs", str(place)]
            words += [word for entry in entries[source] for word in _entry(entry, place / entry.name)]
        else:
            words += ["--ro-bind", str(source), str(place)]
    return words


def _entries(overlays: Sequence[tuple[Path, Path]]) -> dict[Path, list[Path]]:
    """The contents of the package folders that are laid entry by entry. Others are mounted as one: those with too many
    entries, and those with links to packages, as pnpm lays them: a link can't be mounted, and could be replaced."""
    found: dict[Path, list[Path]] = {}
    left = _MOST_ENTRIES
    for source, place in overlays:
        if place.name != _NAME or not source.is_dir():
            continue
        inside = sorted(source.iterdir())
        if len(inside) <= left and not any(_leads_to_a_package(entry) for entry in inside):
            found[source] = inside
            left -= len(inside)
    return found


def _leads_to_a_package(entry: Path) -> bool:
    """Whether it is a link into a package folder. Others lead to the worktree, which can be written to anyway."""
    if not entry.is_symlink():
        return False
    target = entry.readlink()
    return _NAME in target.parts or (not target.is_absolute() and target.parts[:1] != ("..",))


def _entry(source: Path, place: Path) -> tuple[str, str, str]:
    if source.is_symlink():
        return ("--symlink", str(source.readlink()), str(place))
    return ("--ro-bind", str(source), str(place))
