"""What the processes of one sandbox use, read from /proc: a sandbox has its own process namespace, and its first
process is the parent of all whose own parent has ended."""

import os
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_BLOCK: Final = 512
_LEAST_FILE: Final = 4_096
"""What a file costs at least: empty files use up the disk's index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    pid: int
    parent: int
    threads: int
    started: int
    resident: int
    """Bytes, with pages that it shares with others."""


def processes() -> dict[int, Process]:
    """All processes of this machine that we can see."""
    found: dict[int, Process] = {}
    for name in os.listdir(_PROC):  # noqa: PTH208  # much faster than Path.iterdir, four times a second
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
                if fields[0] not in (b"Z", b"X"):
                    found[int(name)] = Process(
                        pid=int(name),
                        parent=int(fields[1]),
                        threads=int(fields[17]),
                        started=int(fields[19]),
                        resident=int(fields[21]) * _PAGE,
                    )
    return found


def tree_of(root: int, everything: dict[int, Process]) -> list[Process]:
    """The process and all below it; the process itself first."""
    children: dict[int, list[Process]] = {}
    for process in everything.values():
        children.setdefault(process.parent, []).append(process)
    found = [everything[root]] if root in everything else []
    for process in found:  # grows while it is read
        found.extend(children.get(process.pid, ()))
    return found


def outer_shell(tree: list[Process]) -> set[int]:
    """The processes that belong to no tool: bwrap, the first process inside, and the program that was started there."""
    shell = {process.pid for process in tree[:1]}
    for _ in range(2):
        below = [process for process in tree if process.parent in shell and process.pid not in shell]
        shell |= {min(below, key=lambda process: (process.started, process.pid)).pid} if below else set()
    return shell


def private_memory(pids: Iterable[int]) -> int:
    """Bytes that would be free without these processes. Pages that several share count once."""
    return sum(_proportional(pid) for pid in pids)


def _proportional(pid: int) -> int:
    try:
        return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), ("Pss_Anon:", "Pss_Shmem:"))
    except OSError:  # it doesn't let us look, or has ended
        with suppress(OSError):
            return _kilobytes(Path(f"/proc/{pid}/status"), ("RssAnon:", "RssShmem:"))
    return 0


def _kilobytes(file: Path, names: tuple[str, ...]) -> int:
    lines = [line.split() for line in file.read_text().splitlines()]
    return sum(int(words[1]) << 10 for words in lines if words and words[0] in names)


def in_memory_folders(tree: list[Process], folders: Iterable[str]) -> int:
    """Bytes in these folders of the sandbox, each a file system in memory."""
    ours = Path("/").stat().st_dev
    for process in tree[1:]:
        with suppress(OSError):
            root = f"/proc/{process.pid}/root"
            if Path(root).stat().st_dev != ours:  # not before the sandbox is made
                found = [os.statvfs(f"{root}{folder}") for folder in folders]
                return sum((one.f_blocks - one.f_bfree) * one.f_frsize for one in found)
    return 0


@dataclass(frozen=True, kw_only=True)
class Hidden:
    """Files without a name that a process holds open."""

    memory: int
    disk: int


def hidden_files(pids: Iterable[int], disks: Container[int] = ()) -> Hidden:
    """`disks`: the devices in question."""
    memory: dict[tuple[int, int], int] = {}
    disk: dict[tuple[int, int], int] = {}
    for link in _open_files(pids):
        with suppress(OSError):
            target = os.readlink(link)  # noqa: PTH115  # thousands of links, a path object for each costs more
            if target.startswith("/memfd:") or target.endswith(" (deleted)"):
                found = os.stat(link)  # noqa: PTH116
                kept = disk if found.st_dev in disks else memory if target.startswith("/memfd:") else None
                if kept is not None:
                    kept[found.st_dev, found.st_ino] = found.st_blocks * _BLOCK
    return Hidden(memory=sum(memory.values()), disk=sum(disk.values()))


def _open_files(pids: Iterable[int]) -> Iterator[str]:
    for pid in pids:
        with suppress(OSError):
            yield from (f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208


def folder_bytes(folders: Iterable[Path]) -> int:
    """What is in these folders on disk. Links are not followed; a file with several names counts once."""
    sizes: dict[int, int] = {}
    left = [str(folder) for folder in folders]
    while left:
        with suppress(OSError), os.scandir(left.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    sizes[entry.inode()] = max(_LEAST_FILE, entry.stat(follow_symlinks=False).st_blocks * _BLOCK)
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
    return sum(sizes.values())


def memory_left() -> int:
    return _kilobytes(_PROC / "meminfo", ("MemAvailable:",))
