"""What `caseworker check` says of tags, submodules and files in Git LFS."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from caseworker.ports import Workspace, Workspaces
from caseworker.workspaces.lfs_files import LfsFiles
from caseworker.workspaces.submodules import Submodules

Say = Callable[[str, str], None]
"""A topic and a sentence."""
_NAMED = 5


async def tell_git(workspaces: Workspaces, workspace: Workspace, say: Say) -> None:
    folder = workspace.path.parent
    submodules, tags = Submodules.of(folder), await asyncio.to_thread(_count_tags, folder / "gitview")
    say("tags", f"{tags}, with the history of the checkout" if tags else "none")
    if submodules.laid:
        say("submodules", f"{_few(submodules.laid)}: as your checkout has them")
    if submodules.missing:
        todo = "run `git submodule update --init --recursive` in your checkout"
        say("submodules", f"{_few(submodules.missing)}: not there; {todo}")
    laid = LfsFiles.of(folder).laid
    if laid:
        say("lfs", f"{_few(laid)}: as your checkout has them")
    parts = await workspaces.missing_parts(workspace)
    pointers = [part.path for part in parts if part.kind == "lfs" and part.path not in laid]
    if pointers:
        say("lfs", f"{_few(pointers)}: tests see their pointers; run `git lfs pull` in your checkout")


def _few(paths: Iterable[str]) -> str:
    named = list(paths)
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{', '.join(named[:_NAMED])}{more}"


def _count_tags(view: Path) -> int:
    try:
        return (view / "packed-refs").read_text().count(" refs/tags/")
    except OSError:
        return 0
