"""Profiles a Python process with cProfile, and writes its hottest places when it ends.

It runs as `sitecustomize` in the repository's own Python, which may be as old as 3.7.
"""

import atexit
import cProfile
import os
import sys
import threading

_MOST = 60


def start() -> None:
    profiles = [cProfile.Profile()]

    def in_thread(*_: object) -> None:
        """The first event of a new thread. From 3.12 on the first profile covers all threads, and refuses another."""
        own = cProfile.Profile()
        try:
            own.enable()
        except ValueError:
            sys.setprofile(None)
        else:
            profiles.append(own)

    def write() -> None:
        profiles[0].disable()
        rows = []
        for profile in profiles:
            profile.snapshot_stats()
            for (file, line, name), (_, calls, own, total, _callers) in profile.stats.items():
                place = file if file == "~" else f"{os.path.abspath(file)}:{line}"
                rows.append((own, total, calls, place, name))
        rows.sort(reverse=True)
        with open(os.path.join(os.environ["CASEWORKER_OUT"], f"{os.getpid()}.python"), "w") as out:
            for own, total, calls, place, name in rows[:_MOST]:
                out.write(f"{own:.6f}\t{total:.6f}\t{calls}\t{place}\t{name}\n")

    atexit.register(write)
    threading.setprofile(in_thread)
    profiles[0].enable()
