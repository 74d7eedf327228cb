"""`worktree`: compares making a case's worktree from the mirror with clones of the same repository."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.home import private_folder
from bench.projects import git, make_large
from bench.report import Report, Row
from caseworker.app.parts import make_source
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.repositories import LocalRepository
from caseworker.workspaces.worktrees import GitWorkspaces

_TIMES: Final = 4
_FILES: Final = 5_000
_COMMITS: Final = 300


def measure() -> Report:
    with private_folder(in_memory=True) as folder:
        repository = make_large(folder / "large", number_of_files=_FILES, commits=_COMMITS)
        taken = asyncio.run(_interleaved(folder, repository))
    return Report(
        name="worktree",
        title=f"a working copy of {_FILES:,} files and {_COMMITS} commits",
        rows=[Row(what=what, samples=seconds) for what, seconds in taken.items()],
        notes=(
            "Interleaved, and in memory (/dev/shm) where there is room: writing 5,000 files to this disk takes 0.5 to "
            "3 s, whoever writes them.",
            "The clones go through git's own transport (file://), as from a server next door.",
            "A first case makes the mirror as well; `ready` is all of it: mirror, worktree, the sandbox's view of git.",
        ),
    )


async def _interleaved(folder: Path, repository: Path) -> dict[str, list[float]]:
    url = repository.as_uri()
    clones: dict[str, Callable[[Path], str]] = {
        "git clone": lambda target: git(folder, "clone", "--quiet", url, str(target)),
        "git clone --depth 1": lambda target: git(folder, "clone", "--quiet", "--depth=1", url, str(target)),
        "git clone of a path (hard links)": lambda target: git(
            folder, "clone", "--quiet", str(repository), str(target)
        ),
    }
    taken: dict[str, list[float]] = {
        "worktree ready, first case": [],
        "worktree ready, next case": [],
        "worktree intact, next turn": [],
        **{what: [] for what in clones},
    }
    for _ in range(_TIMES):
        workspaces = GitWorkspaces(folder / "home", source=make_source())
        first, next_one = CaseId("local/large#1"), CaseId("local/large#2")
        for what, case, known in (
            ("worktree ready, first case", first, None),
            ("worktree ready, next case", next_one, None),
            ("worktree intact, next turn", next_one, Sha(git(repository, "rev-parse", "HEAD"))),
        ):
            begun = time.perf_counter()
            await workspaces.prepare(case, LocalRepository(path=repository), known)
            taken[what].append(time.perf_counter() - begun)
        shutil.rmtree(folder / "home")
        for what, clone in clones.items():
            begun = time.perf_counter()
            clone(folder / "clone")
            taken[what].append(time.perf_counter() - begun)
            shutil.rmtree(folder / "clone")
    return taken
