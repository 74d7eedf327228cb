"""Watches what one sandbox uses of the machine, and ends it, or only its tools, when that is more than its limits.

It looks four times a second, and says which limit was passed. Behind it are limits of the kernel's, a little wider: a
control group where we may make one, and those of each process (ulimit), which do not hold root. What it can't see shows
in what the machine has left: then every sandbox ends, the large ones first.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

import structlog

from caseworker.ports import Enclosure
from caseworker.workspaces import control_groups
from caseworker.workspaces import process_tree as tree_reads
from caseworker.workspaces import sandbox_limits as words
from caseworker.workspaces.control_groups import GroupEvents
from caseworker.workspaces.process_tree import Process
from caseworker.workspaces.sandbox_limits import DISK_RESERVE, SandboxLimits

_PAUSE: Final = 0.25
_WORK: Final = 0.05
"""At most this part of the time is spent with looking."""
_READING_PAUSE: Final = 2.0
"""Between two readings of all files, at least."""
_MEMORY_RESERVE: Final = 192 << 20
_INDEXED: Final = 4_096
"""Bytes that stand for one more file."""
_GRACE: Final = 8
"""Looks that a small sandbox may go on while the machine has nothing left: the large one may end in between."""
_ROUNDS: Final = 20
"""How often new processes are stopped, before the whole sandbox is ended: they may be made faster than we stop them."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Which sandbox to look after."""

    folders: tuple[Path, ...]
    """What is written to on disk."""
    root: Callable[[], int | None]
    """Its outermost process, once it is started."""
    group: Path | None
    """The control group below which it has its own. Null: it has none."""
    spare: bool
    """Whether its program goes on, if it is enough to end what that has started."""


def written_folders(enclosure: Enclosure) -> tuple[Path, ...]:
    return (enclosure.workspace, *enclosure.read_write) if enclosure.writable else enclosure.read_write


class SandboxGuard:
    """Looks after the processes below one process of ours."""

    def __init__(self, limits: SandboxLimits, watch: Watch) -> None:
        self._limits = limits
        self._watch = watch
        self._folders = watch.folders
        self._events = GroupEvents()
        """Those that were dealt with."""
        self._unnamed = 0
        """Bytes in memory files without a name, at the last reading."""
        self._disks_before = _disks(self._folders)
        self._next_taken = limits.disk
        self._next_reading = monotonic() + _READING_PAUSE
        self._patience = _GRACE
        self._untold: list[str] = []
        self.ended = ""
        """Why all of it was ended. Empty: it was not."""
        self.no_room = False
        """Whether the disk had no room left, whoever filled it."""

    def news(self) -> list[str]:
        """What was said since the last call: why it, or some of its tools, were ended."""
        told, self._untold = self._untold, []
        return told

    @asynccontextmanager
    async def watching(self) -> AsyncIterator["SandboxGuard"]:
        task = asyncio.create_task(self._keep_looking(), name="sandbox-guard")
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.wait([task])
            if self._watch.group is not None:
                if (root := self._watch.root()) is not None and (said := self._kernel_said(root)):
                    self._untold.append(said)
                control_groups.sweep(self._watch.group)

    async def _keep_looking(self) -> None:
        while not self.ended:
            await asyncio.sleep(_PAUSE)
            started = monotonic()
            try:
                await asyncio.to_thread(self._look)
            except OSError:
                log.warning("could not look at a sandbox", exc_info=True)
            await asyncio.sleep((monotonic() - started) / _WORK - _PAUSE)

    def _look(self) -> None:
        root = self._watch.root()
        if root is None:
            return
        said = self._kernel_said(root)
        tree = tree_reads.tree_of(root, tree_reads.processes()) if not said or self._watch.spare else []
        said = said or (self._too_much(tree) if tree else "")
        if said:
            self._end(root, tree, said)

    def _kernel_said(self, root: int) -> str:
        """Quick to read, also if thousands of processes leave us little time."""
        if self._watch.group is None:
            return ""
        events, known = control_groups.read_events(control_groups.group_of(self._watch.group, root)), self._events
        self._events = events
        if events.forks > known.forks:
            return words.too_many_threads(self._limits.threads, self._limits)
        return words.too_much_memory(2 * self._limits.memory, self._limits) if events.killed > known.killed else ""

    def _too_much(self, tree: list[Process]) -> str:
        self.no_room = False
        threads = sum(process.threads for process in tree)
        if len(tree) > self._limits.sandbox_processes:
            return words.too_many_processes(len(tree), self._limits)
        if threads > self._limits.threads:
            return words.too_many_threads(threads, self._limits)
        return self._memory(tree) or self._disk(tree)

    def _memory(self, tree: list[Process]) -> str:
        allowed, left = self._limits.memory, tree_reads.memory_left()
        files = tree_reads.in_memory_folders(tree, MEMORY_FOLDERS)
        files += self._unnamed  # some of it may be mapped, too: then it is counted twice
        used = files + sum(process.resident for process in tree)
        if used > allowed:
            used = files + tree_reads.private_memory(process.pid for process in tree)
        if used > allowed:
            return words.too_much_memory(used, self._limits)
        return words.no_memory_left(left) if left < _MEMORY_RESERVE and self._must_go(used, allowed) else ""

    def _disk(self, tree: list[Process]) -> str:
        allowed, disks = self._limits.disk, _disks(self._folders)
        taken = sum(before - disks.get(device, before) for device, before in self._disks_before.items())
        left = min(disks.values(), default=DISK_RESERVE)
        pressed = left < DISK_RESERVE
        # Others take and give back room on the same disk, so now and then all files are read, which is not free.
        if not pressed and taken <= self._next_taken and monotonic() < self._next_reading:
            return ""
        started = monotonic()
        hidden = tree_reads.hidden_files([process.pid for process in tree], {*disks})
        self._unnamed = hidden.memory
        used = tree_reads.folder_bytes(self._folders) + hidden.disk
        self._next_reading = monotonic() + max(_READING_PAUSE, (monotonic() - started) / _WORK)
        self._next_taken = max(allowed, taken) + allowed // 8
        if used > allowed:
            return words.too_much_disk(used, self._limits)
        self.no_room = pressed and self._must_go(used, allowed)
        return words.no_disk_left(left, self._folders[0]) if self.no_room else ""

    def _must_go(self, used: int, allowed: int) -> bool:
        """The machine has nothing left: the large ones at once, the small ones if that did not help."""
        self._patience -= 1
        return used > allowed // 4 or self._patience < 0

    def _end(self, root: int, tree: list[Process], said: str) -> None:
        log.warning("a sandbox used too much of the machine", why=said)
        self._untold.append(said)
        if not (self._watch.spare and _end_tools(root, tree)):
            self.ended = said
            _signal([root], signal.SIGKILL)  # all others inside die with it


MEMORY_FOLDERS: Final = ("/tmp", "/dev/shm", "/home/agent")
"""Where the sandbox has a file system in memory."""


def _end_tools(root: int, tree: list[Process]) -> bool:
    """Ends all processes but the program and those around it. False: new ones came faster, or there are no others."""
    shell = tree_reads.outer_shell(tree)
    stopped: set[int] = set()
    for _ in range(_ROUNDS):
        fresh = {process.pid for process in tree} - shell - stopped
        if not fresh:
            _signal(stopped, signal.SIGKILL)
            return bool(stopped)
        _signal(fresh, signal.SIGSTOP)
        stopped |= fresh
        tree = tree_reads.tree_of(root, tree_reads.processes())
    return False


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _disks(folders: Iterable[Path]) -> dict[int, int]:
    """Bytes left, by disk. A disk whose index of files is full has none left."""
    found: dict[int, int] = {}
    for folder in folders:
        with suppress(OSError):
            disk = os.statvfs(folder)
            left = disk.f_bavail * disk.f_frsize
            found[folder.stat().st_dev] = min(left, disk.f_favail * _INDEXED) if disk.f_files else left
    return found
