"""Who a process is, so that another one can tell for certain that it is gone."""

import os
import socket
from pathlib import Path


def _boot_id() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else "unknown"


def started_at(pid: int) -> str | None:
    """The start time of a process in clock ticks: with the pid it names one process, even after pids are reused."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


def own_identity() -> str:
    return f"{socket.gethostname()} {_boot_id()} {os.getpid()} {started_at(os.getpid())}"


def is_gone(identity: str) -> bool:
    """True only where it is certain: a process of this machine that no longer runs. Other machines are never judged."""
    machine, boot, pid, started = identity.split(" ")
    if machine != socket.gethostname():
        return False
    return boot != _boot_id() or started_at(int(pid)) != started
