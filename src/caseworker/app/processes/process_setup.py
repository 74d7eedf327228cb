"""What a process that works does at its start: lowers its priority, chooses how it waits for child processes, and keeps
what it has loaded out of the garbage collector."""

import asyncio
import gc
import os
import sys
from typing import Final

NICENESS: Final = 5
"""How far processes that work give way to those that take or show messages."""


def give_way() -> None:
    """Lower our priority: on a busy machine, processes that take or show messages go first."""
    os.nice(NICENESS)


def end_loading() -> None:
    """Let the garbage collector begin, and never look at what was loaded until now: that stays, and to scan it takes
    0.2 s each time. Nor is it scanned a last time for garbage: imports leave little."""
    gc.freeze()
    gc.enable()


def watch_children() -> None:
    """Wait for child processes by pidfd instead of a thread each: Python 3.11 starts a thread per process, and a case
    starts dozens. Later versions do this themselves. Call it before the first process is started."""
    if sys.version_info >= (3, 12):
        return
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return
    watcher = asyncio.PidfdChildWatcher()
    watcher.attach_loop(asyncio.get_running_loop())
    asyncio.set_child_watcher(watcher)
