"""Identifies a process, so that another process can tell for certain that it has ended."""

import os
import socket
from pathlib import Path


def _boot_id() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else "unknown"


def started_at(pid: int) -> str | None:
    """When a process started, in clock ticks; None if it has ended. With the pid this identifies one process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


def _machine() -> str:
    """The host name and pid namespace: containers may share a host's name and boot id, but not its pids."""
    namespace = Path("/proc/self/ns/pid")
    inode = namespace.stat().st_ino if namespace.exists() else 0
    return f"{socket.gethostname()}/{inode}"


def own_identity() -> str:
    return f"{_machine()} {_boot_id()} {os.getpid()} {started_at(os.getpid())}"


def is_gone(identity: str) -> bool:
    """Whether a process of this machine has ended. False if that is not certain, as for other machines."""
    machine, boot, pid, started = identity.split(" ")
    if machine.partition("/")[0] != socket.gethostname():
        return False
    if boot != _boot_id():
        return True
    return machine == _machine() and started_at(int(pid)) != started
