"""Control groups: limits of the kernel for a whole sandbox, also if the worker is root, where we may make a group.

Version 2 where it is delegated to us (systemd's `Delegate=yes`) or the whole tree is ours, with limits of processes
and memory; version 1 for root, with a limit of processes. Elsewhere there is none, and the guard looks alone.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PREFIX: Final = "caseworker-"
_NEEDED: Final = {"pids", "memory"}
JOIN: Final = """\
if [ -n "$group" ]; then
  g=$group/caseworker-$$
  { mkdir "$g"; echo "$tasks" > "$g/pids.max"; [ ! -e "$g/memory.max" ] || echo "$memory" > "$g/memory.max"
    [ ! -e "$g/memory.swap.max" ] || echo 0 > "$g/memory.swap.max"
    [ -e "$g/tasks" ] && echo 0 > "$g/tasks" || echo 0 > "$g/cgroup.procs"; } 2> /dev/null
fi
"""
"""Shell code that puts its own process into a new group below $group, named by its process id. A group that can't be
made is done without. No swap: what is swapped out does not count as memory. `tasks` (version 1 only): through it the
one thread of this shell moves itself, while `cgroup.procs` holds up every fork on the machine for milliseconds."""


@dataclass(frozen=True, kw_only=True)
class GroupEvents:
    """What the kernel has refused or ended because of a group's limits."""

    forks: int = 0
    killed: int = 0


def find_parent() -> Path | None:
    """The group below which sandboxes may have theirs. Null: this machine lets us make none."""
    try:
        names = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
        mounts = [line.split(" - ", 1) for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return None
    for left, right in mounts:
        kind, _, options = right.split(" ", 2)
        root, place = left.split(" ")[3:5]
        for _, controllers, path in names:
            group = Path(place) / Path(path).relative_to(root).as_posix() if path.startswith(root) else None
            if group is None:
                continue
            if kind == "cgroup2" and not controllers and (found := _delegated(group, Path(place))) is not None:
                return found
            is_pids = "pids" in controllers.split(",") and "pids" in options.split(",")
            if kind == "cgroup" and is_pids and _can_make(group, "pids.max"):
                return group
    return None


def _delegated(group: Path, top: Path) -> Path | None:
    """The nearest group from here up that is ours to divide. Processes are in the leaves, so it is not our own."""
    for folder in (group, *group.parents):
        if _is_ours(folder, top):
            with suppress(OSError):
                missing = _NEEDED - {*(folder / "cgroup.subtree_control").read_text().split()}
                if missing:
                    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in sorted(missing)))
                if _can_make(folder, "memory.max"):
                    return folder
        if folder == top:
            return None
    return None


def _is_ours(folder: Path, top: Path) -> bool:
    """Root could write everywhere: it takes what the system has marked as delegated, or a tree that is all its own."""
    if os.geteuid() != 0:
        return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
    for mark in ("user.delegate", "trusted.delegate"):  # systemd sets one or both, by its version
        with suppress(OSError):
            if os.getxattr(folder, mark) == b"1":
                return True
    return folder == top and not (folder / "init.scope").exists()


def _can_make(folder: Path, file: str) -> bool:
    trial = folder / f"{_PREFIX}trial-{os.getpid()}"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        return os.access(trial / file, os.W_OK)
    finally:
        with suppress(OSError):
            trial.rmdir()


def group_of(parent: Path, root: int) -> Path:
    return parent / f"{_PREFIX}{root}"


def read_events(group: Path) -> GroupEvents:
    return GroupEvents(forks=_count(group / "pids.events", "max"), killed=_count(group / "memory.events", "oom_kill"))


def _count(file: Path, name: str) -> int:
    with suppress(OSError, ValueError):
        for line in file.read_text().splitlines():
            key, _, count = line.partition(" ")
            if key == name:
                return int(count)
    return 0


def sweep(parent: Path) -> None:
    """Removes groups that have no process any more, also those that a killed worker left.

    A group is empty for a moment after it was made, so those of processes that live are left alone."""
    for folder in parent.glob(f"{_PREFIX}*"):
        if not Path("/proc", folder.name.rpartition("-")[2]).exists():
            with suppress(OSError):  # the kernel refuses while something runs in it
                folder.rmdir()
