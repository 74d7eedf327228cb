"""What one sandbox may use of the machine, and the sentence for each limit that it passes."""

import os
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field

_GB: Final = 1 << 30
_SHARE: Final = 0.8
"""Of the machine's memory and free disk, for all sandboxes together."""
DISK_RESERVE: Final = 256 << 20
"""Bytes of a disk that stay free: with less left, what runs in a sandbox is ended."""
THREADS_EACH: Final = 4
"""Threads for each process that is allowed: Node has about ten, a JVM thirty, and most programs one."""


class SandboxLimits(BaseModel):
    """For each agent and each command of a build. Settings of a deployment."""

    sandbox_memory_gb: float = Field(default=4, gt=0)
    """Memory of all its processes, its home folder and its /tmp together."""
    sandbox_processes: int = Field(default=512, ge=16)
    """Processes at the same time."""
    sandbox_disk_gb: float = Field(default=10, gt=0)
    """What its worktree may hold."""

    @property
    def memory(self) -> int:
        return int(self.sandbox_memory_gb * _GB)

    @property
    def disk(self) -> int:
        return int(self.sandbox_disk_gb * _GB)

    @property
    def threads(self) -> int:
        return self.sandbox_processes * THREADS_EACH

    def shared(self, sandboxes: int) -> "SandboxLimits":
        """Less, where so many at the same time would take all memory of this machine."""
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        fair = _SHARE * total / max(1, sandboxes) / _GB
        return self.model_copy(update={"sandbox_memory_gb": min(self.sandbox_memory_gb, fair)})


def too_much_memory(used: int, limits: SandboxLimits) -> str:
    return _passed(f"it used {size(used)} of memory, and {size(limits.memory)} are allowed", "sandbox_memory_gb")


def too_many_processes(count: int, limits: SandboxLimits) -> str:
    return _passed(f"it had {count} processes, and {limits.sandbox_processes} are allowed", "sandbox_processes")


def too_many_threads(count: int, limits: SandboxLimits) -> str:
    return _passed(f"it had {count} threads, and {limits.threads} are allowed", "sandbox_processes")


def too_much_disk(used: int, limits: SandboxLimits) -> str:
    return _passed(f"its files took {size(used)}, and {size(limits.disk)} are allowed", "sandbox_disk_gb")


def no_memory_left(left: int) -> str:
    return (
        f"the machine had only {size(left)} of memory left; the setting `slots` says how many agents and builds run at "
        "the same time"
    )


def no_disk_left(left: int, folder: Path) -> str:
    return f"the disk of {folder} had only {size(left)} left; make room there"


def _passed(why: str, setting: str) -> str:
    return f"{why}; the setting `{setting}` allows more"


def size(count: int) -> str:
    return f"{count / _GB:.1f} GB" if count >= _GB else f"{count / (1 << 20):.0f} MB"
