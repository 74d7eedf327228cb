"""Other processes on the same database: `python -m tests.edges.store_processes open|write|put|report URL ...`.

Each prints `ready`, waits for a line on its standard input, so that several can be started together, and then works.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from caseworker.core.base.ids import CaseId
from caseworker.core.record.entries import Noted
from caseworker.store.store import open_store
from tests.edges.store_examples import TRACE, bug_report, reported, said
from tests.patience import PATIENCE

_ROOT = Path(__file__).parents[2]


class Process:
    """A handle to the other process, for tests."""

    def __init__(self, *arguments: str) -> None:
        path = os.pathsep.join([str(_ROOT / "src"), str(_ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.edges.store_processes", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )

    def get_ready(self) -> None:
        assert self.next_line() == "ready"

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def next_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def lines(self) -> list[str]:
        """The rest of its output, until it has ended without an error."""
        out, err = self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0, err
        return out.splitlines()

    def kill(self) -> list[str]:
        """Kills the process without any clean-up, and returns its last complete lines."""
        self._process.kill()
        out, _ = self._process.communicate(timeout=PATIENCE)
        return [line.rstrip("\n") for line in out.splitlines(keepends=True) if line.endswith("\n")]


def let_off(processes: list[Process]) -> list[list[str]]:
    for process in processes:
        process.get_ready()
    for process in processes:
        process.go()
    return [process.lines() for process in processes]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _wait_for_the_others() -> None:
    _say("ready")
    sys.stdin.readline()


async def _open(url: str) -> None:
    _wait_for_the_others()
    store = await open_store(url)
    _say(str(len(await store.cases.list())))
    await store.close()


async def _write(url: str, case: str, name: str, times: int) -> None:
    """Runs every kind of write transaction, with reads in between."""
    store = await open_store(url)
    _wait_for_the_others()
    for number in range(times):
        await store.inbox.put(said(CaseId(case), id=f"{name}-{number}"))
        await store.record.append(CaseId(case), [Noted(text=f"{name} {number}")], trace=TRACE)
        await store.inbox.claim(CaseId(case), turn=number)
        await store.cases.list()
    await store.close()


async def _put(url: str, case: str) -> None:
    """Puts messages for ever, and prints each one only after its put has returned."""
    store = await open_store(url)
    _wait_for_the_others()
    number = 0
    while True:
        number += 1
        message = await store.inbox.put(said(CaseId(case), id=f"put-{number}"))
        assert message is not None
        _say(message.external_id)


async def _report(url: str, times: int) -> None:
    """Delivers the same reports as every other process, and prints the case of each."""
    store = await open_store(url)
    _wait_for_the_others()
    for number in range(times):
        case, _ = await store.bugs.open(bug_report(), reported(id=f"report-{number}"))
        _say(case)
    await store.close()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["open", url]:
            asyncio.run(_open(url))
        case ["write", url, case, name, times]:
            asyncio.run(_write(url, case, name, int(times)))
        case ["put", url, case]:
            asyncio.run(_put(url, case))
        case ["report", url, times]:
            asyncio.run(_report(url, int(times)))
        case _:
            sys.exit(2)
