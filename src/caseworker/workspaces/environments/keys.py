"""The key of an environment: manifests and lock files, the set-up's commands, toolchains, platform and registries."""

import hashlib
import json
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.core.ecosystems.project_files import is_key
from caseworker.core.ecosystems.variables import ROOT
from caseworker.core.evidence.builds import Command
from caseworker.ports import Git
from caseworker.workspaces.toolchains import TOOLS

_LAYOUT = 2
"""Raised when an environment's layout changes: older ones are not found any more."""
_SUBMODULE = "160000"


async def manifests_of(git: Git, git_dir: Path, commit: Sha) -> dict[str, str]:
    """The key files of a commit with their blobs' names, and the commits of its submodules."""
    listing = await git("ls-tree", "-r", "-z", commit, git_dir=git_dir)
    found: dict[str, str] = {}
    for line in listing.output.decode(errors="replace").split("\0"):
        about, _, path = line.partition("\t")
        if path and (is_key(path) or about.startswith(_SUBMODULE)):
            found[path] = about.split(" ")[2]
    return found


async def changed_manifests(git: Git, git_dir: Path, tree: Path, base: Sha) -> dict[str, str]:
    """Key files that are not as at the base, in a worktree, with a hash of what they are now."""
    answer = await git("diff", "--name-only", "-z", "--no-renames", base, git_dir=git_dir, work_tree=tree)
    paths = [path for path in answer.output.decode(errors="replace").split("\0") if path and is_key(path)]
    return {path: _digest(tree / path) for path in paths}


def key_of(manifests: Mapping[str, str], commands: Sequence[Command], further: Sequence[str]) -> str:
    about = {
        "layout": _LAYOUT,
        "root": ROOT,
        "platform": [platform.machine(), *platform.libc_ver()],
        "tools": _tools(),
        "commands": [one.command for one in commands],
        "manifests": sorted(manifests.items()),
        "further": list(further),
    }
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:32]


def _tools() -> list[str]:
    """Each toolchain by its file: another version is another file. Nothing is run."""
    found = []
    for tool in TOOLS:
        program = shutil.which(tool)
        if program is not None:
            path = Path(program).resolve()
            status = path.stat()
            found.append(f"{tool} {path} {status.st_size} {status.st_mtime_ns}")
    return found


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest() if not file.is_symlink() else str(file.readlink())
    except OSError:
        return "gone"
