"""`repositories`: set-up and tests of small repositories, cold and warm, beside the same commands typed by hand."""

import asyncio
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench.home import NotMeasured, private_folder
from bench.projects import git
from bench.report import Report, Row
from bench.repository_samples import SAMPLES, Sample
from caseworker.app.parts import make_builder, make_registries, make_sandbox, make_source
from caseworker.app.processes.logs import hush_logs
from caseworker.app.settings import Settings
from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.ecosystems.check_result import result_of
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.evidence.builds import CommandRun, Purpose
from caseworker.ports import Builder
from caseworker.workspaces.environments.uv_program import uv_program
from caseworker.workspaces.sandbox import NICENESS
from caseworker.workspaces.worktrees import GitWorkspaces

_SECONDS: Final = 300.0
_COLD: Final = 1.2
_WARM: Final = 2.0
_TIMES: Final = 3
"""Downloads take twice as long in one run as in the next."""


def measure() -> Report:
    notes: list[str] = []
    hush_logs()
    with private_folder(in_memory=False) as folder:
        rows = asyncio.run(_all(folder, notes))
    notes.append(
        "By hand: the same commands in a fresh copy, without a sandbox, with an empty cache of downloads, and with the "
        f"low priority that a sandbox has (nice {NICENESS}): on a busy machine only that would be measured otherwise. "
        "Where there is nothing to set up and the tests take no time, the start of a sandbox is what is measured."
    )
    return Report(name="repositories", title="set-up and tests of small repositories", rows=rows, notes=tuple(notes))


async def _all(folder: Path, notes: list[str]) -> list[Row]:
    here = [sample for sample in SAMPLES if shutil.which(sample.needs) is not None]
    notes += [f"{one.name}: not measured, because {one.needs} is not here." for one in SAMPLES if one not in here]
    await asyncio.to_thread(_by_hand, here[0], _make(here[0], folder / "first"), folder / "first-hand")  # untimed
    took: dict[str, list[_Took]] = {sample.name: [] for sample in here}
    for number in range(_TIMES):
        measured = await _in_a_new_home(folder / str(number), notes if number == 0 else [])
        for place, sample in enumerate(here):
            # Whoever comes first pays for what the network and the disk have not seen yet: they take turns.
            took[sample.name].append(await measured.took(sample, hand_first=(place + number) % 2 == 0))
    return [row for name, times in took.items() for row in _rows(name, times)]


@dataclass(frozen=True, kw_only=True)
class _Took:
    """Seconds."""

    hand: float
    cold: float
    warm: float
    warm_set_up: float


def _rows(name: str, times: list[_Took]) -> list[Row]:
    hand = [one.hand for one in times]
    return [
        Row(what=f"{name}: cold", samples=[one.cold for one in times], target=_COLD * median(hand)),
        Row(what="by hand", samples=hand, part=True),
        Row(what="warm, all of it", samples=[one.warm for one in times], part=True),
        Row(what="warm, the set-up", samples=[one.warm_set_up for one in times], part=True, target=_WARM),
    ]


async def _in_a_new_home(folder: Path, notes: list[str]) -> "_Measured":
    """With empty caches."""
    settings = Settings(home=folder / "home")
    registries = make_registries(settings)
    await registries.found()  # a worker asks once, not for each set-up
    workspaces = GitWorkspaces(settings.home, source=make_source(), walls=True)
    builder = make_builder(settings, make_sandbox(settings), workspaces, registries)
    return _Measured(folder, workspaces, builder, notes)


@dataclass(frozen=True)
class _Measured:
    folder: Path
    workspaces: GitWorkspaces
    builder: Builder
    notes: list[str]

    async def took(self, sample: Sample, *, hand_first: bool) -> _Took:
        name = "".join(letter if letter.isalnum() else "-" for letter in sample.name.lower())
        repository = _make(sample, self.folder / name)
        first = await self._hand(sample, repository) if hand_first else None
        cold, runs = await self._build(repository, number=1)
        hand = first if first is not None else await self._hand(sample, repository)
        warm, again = await self._build(repository, number=2)
        result = result_of(runs, has_tests=True)
        if result.kind != "works":
            self.notes.append(f"{sample.name}: {result.sentence}")
        set_up = sum(run.seconds for run in again if run.purpose is Purpose.SETUP)
        return _Took(hand=hand, cold=cold, warm=warm, warm_set_up=set_up)

    async def _hand(self, sample: Sample, repository: Path) -> float:
        return await asyncio.to_thread(_by_hand, sample, repository, self.folder / f"{repository.name}-hand")

    async def _build(self, repository: Path, *, number: int) -> tuple[float, list[CommandRun]]:
        case = CaseId(f"local/{repository.name}#{number}")
        workspace = await self.workspaces.prepare(case, LocalRepository(path=repository), None)
        commands = find_plan(await self.workspaces.build_files(workspace, workspace.base)).commands
        started = time.monotonic()
        runs = await self.builder.run(workspace, commands, seconds=_SECONDS)
        return time.monotonic() - started, runs


def _make(sample: Sample, folder: Path) -> Path:
    for name, text in sample.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "First")
    return folder


def _by_hand(sample: Sample, repository: Path, copy: Path) -> float:
    shutil.copytree(repository, copy)
    caches = {"UV_CACHE_DIR": str(copy / ".uv"), "npm_config_cache": str(copy / ".npm")}
    path = f"{uv_program().parent}{os.pathsep}{os.environ['PATH']}"
    started = time.monotonic()
    done = subprocess.run(
        ["nice", "-n", str(NICENESS), "/bin/bash", "-c", sample.by_hand],
        cwd=copy,
        env={**os.environ, **caches, "PATH": path},
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        raise NotMeasured(f"{sample.name} by hand ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return time.monotonic() - started
