"""Makes the environment of a worktree: from the cache, or by running the set-up once beside the worktree.

The shared cache is filled only from the base commit, in a side tree of its own: a change under review can't put
anything into it. A change that touches manifests gets an environment of its own, in its case's folder.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from caseworker.core.ecosystems.variables import CACHE, ROOT, always, in_set_up, search_path
from caseworker.core.evidence.builds import Command, CommandRun
from caseworker.ports import Enclosure, Equipment, Git, Workspace, Workspaces
from caseworker.workspaces.blocking_work import in_thread
from caseworker.workspaces.environment_mounts import UV_PLACE, Attachment, Entry, Known, equipped
from caseworker.workspaces.environments.allowed_registries import Registries
from caseworker.workspaces.environments.cache import EnvironmentCache
from caseworker.workspaces.environments.harvest import harvest, named_files, remove_downloads
from caseworker.workspaces.environments.keys import changed_manifests, key_of, manifests_of
from caseworker.workspaces.folders import remove_folder, size_of
from caseworker.workspaces.layout import git_dir_of
from caseworker.workspaces.mount_points import lay_mount_points
from caseworker.workspaces.sandboxed_runs import SandboxedRuns, with_short_paths

_SIDE = "environment"
_OWN = "environment-own"

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class ProviderParts:
    workspaces: Workspaces
    git: Git
    runs: SandboxedRuns
    cache: EnvironmentCache
    registries: Registries
    uv: Path


class Environments:
    def __init__(self, parts: ProviderParts) -> None:
        self._parts = parts

    async def provide(
        self, workspace: Workspace, commands: Sequence[Command], *, seconds: float
    ) -> tuple[Workspace, list[CommandRun]]:
        started = time.monotonic()
        git, git_dir = self._parts.git, git_dir_of(workspace)
        manifests = await manifests_of(git, git_dir, workspace.base)
        changed = await changed_manifests(git, git_dir, workspace.path, workspace.base)
        key = key_of({**manifests, **changed}, commands, await self._parts.registries.marks())
        if changed:
            entry, runs = await self._own(workspace, commands, key, seconds)
        else:
            entry, runs = await self._shared(workspace, commands, key, seconds)
        if entry is None:
            return bare(workspace), runs
        ready = await self._attach(workspace, entry)
        return ready, _timed(runs, time.monotonic() - started)

    async def _shared(
        self, workspace: Workspace, commands: Sequence[Command], key: str, seconds: float
    ) -> tuple[Entry | None, list[CommandRun]]:
        cache = self._parts.cache
        if (entry := cache.find(key)) is not None:
            return entry, _from_cache(entry, commands)
        async with cache.lock(key, seconds=seconds * len(commands)):
            if (entry := cache.find(key)) is not None:
                return entry, _from_cache(entry, commands)
            entry = await in_thread(cache.begin, key)
            tree = await self._parts.workspaces.branch_off(workspace, _SIDE, workspace.base)
            try:
                runs = await self._make(entry, tree, commands, key, seconds)
            finally:
                await self._parts.workspaces.drop(tree)
        await in_thread(cache.trim, keep=(key,))
        return (entry if entry.known() is not None else None), runs

    async def _own(
        self, workspace: Workspace, commands: Sequence[Command], key: str, seconds: float
    ) -> tuple[Entry | None, list[CommandRun]]:
        """For a worktree whose manifests are not the base's. Nobody else sees it."""
        entry = Entry(workspace.path.parent / _OWN)
        known = entry.known()
        if known is not None and known.key == key:
            return entry, _from_cache(entry, commands)
        await in_thread(remove_folder, entry.folder)
        entry.env.mkdir(parents=True)
        entry.made.mkdir()
        runs = await self._make(entry, workspace, commands, key, seconds)
        return (entry if entry.known() is not None else None), runs

    async def _make(
        self, entry: Entry, tree: Workspace, commands: Sequence[Command], key: str, seconds: float
    ) -> list[CommandRun]:
        started = time.monotonic()
        enclosure = await self._enclosure(entry, bare(tree))
        runs: list[CommandRun] = []
        for command in commands:
            run = await self._parts.runs.set_up(enclosure, command, seconds)
            runs.append(with_short_paths(run, tree.path))
            if not run.passed:
                await in_thread(remove_folder, entry.folder)
                return runs
        await in_thread(remove_downloads, entry, CACHE)
        made = await harvest(self._parts.git, git_dir_of(tree), tree.path, entry)
        known = Known(
            key=key,
            repository=git_dir_of(tree).parent.parent.name.removesuffix(".git"),
            tree=str(tree.path),
            made=made,
            named=await in_thread(named_files, entry, tree.path),
            seconds=round(time.monotonic() - started, 1),
            at=time.time(),
            size=await in_thread(size_of, entry.folder),
            has_venv=(entry.env / "venv" / "bin" / "python").is_symlink(),
        )
        entry.write(known)
        log.info("an environment was made", key=key, seconds=known.seconds, megabytes=known.size >> 20)
        return runs

    async def _enclosure(self, entry: Entry, tree: Workspace) -> Enclosure:
        place = entry.env / UV_PLACE
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        handed = await self._parts.registries.handed_in()
        plain = self._parts.runs.enclosure(tree)
        return replace(
            plain,
            environment={**plain.environment, **always(), **in_set_up(), **handed.variables},
            search_path=search_path(),
            read_only=(*plain.read_only, *handed.folders),
            laid=((entry.env, Path(ROOT)),),
            overlays=(*plain.overlays, (self._parts.uv, Path(ROOT) / UV_PLACE)),
        )

    async def _attach(self, workspace: Workspace, entry: Entry) -> Workspace:
        folder = workspace.path.parent
        attachment = Attachment(entry=entry.folder, uv=self._parts.uv)
        await in_thread(attachment.write, folder)
        ready = await in_thread(equipped, bare(workspace), attachment, folder)
        await in_thread(lay_mount_points, ready)
        return ready


def bare(workspace: Workspace) -> Workspace:
    """The worktree without an environment: its mounts are the last ones, from that of the fixed path on."""
    places = [inside for _, inside in workspace.overlays]
    end = places.index(Path(ROOT)) if Path(ROOT) in places else len(places)
    return replace(workspace, overlays=workspace.overlays[:end], equipment=Equipment())


def _timed(runs: list[CommandRun], seconds: float) -> list[CommandRun]:
    """Gives the first run what finding, checking and mounting took beside the commands themselves."""
    beside = max(0.0, seconds - sum(run.seconds for run in runs))
    first, *rest = runs
    return [first.model_copy(update={"seconds": round(first.seconds + beside, 3)}), *rest]


def _from_cache(entry: Entry, commands: Sequence[Command]) -> list[CommandRun]:
    known = entry.known()
    took = known.seconds if known is not None else 0.0
    output = f"Taken from the cache: it was made in {took:.0f} s.\n"
    return [
        CommandRun(purpose=one.purpose, command=one.command, exit_code=0, seconds=0.0, output=output, from_cache=True)
        for one in commands
    ]
