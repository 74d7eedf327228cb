"""The `Builder` port: each command in the sandbox, with a time limit, keeping only the end of what it says."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from caseworker.core.evidence import OUTPUT_TAIL, Command, CommandRun, Purpose
from caseworker.ports import Enclosure, Sandbox, Workspace
from caseworker.workspaces.egress import Resolve, look_up
from caseworker.workspaces.output import FailureNames, readable
from caseworker.workspaces.sandbox import Unconfined
from caseworker.workspaces.setup_network import SetupNetwork, find_interpreter

TIMED_OUT = 124
"""The exit code of timeout(1)."""
_TAIL_BYTES = 8 * OUTPUT_TAIL
"""More than the tail, because colours and multi-byte characters shrink."""
_ENVIRONMENT = {
    "CI": "true",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",  # so that a run that is stopped has said how far it got
}


class SandboxedBuilder:
    def __init__(
        self,
        sandbox: Sandbox,
        *,
        environment: Mapping[str, str] | None = None,
        hosts: tuple[str, ...] = (),
        resolve: Resolve = look_up,
    ) -> None:
        """`hosts`: what set-up commands may reach, as in the setting `setup_hosts`; all others reach nothing."""
        self._sandbox = sandbox
        self._environment = _ENVIRONMENT | dict(environment or {})
        network = SetupNetwork(hosts, interpreter=find_interpreter(), resolve=resolve)
        # Without walls there is no need for a way out, and the bridge would be open to everyone on this machine.
        self._network = None if isinstance(sandbox, Unconfined) else network

    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        """The time limit is each command's. What a build changed in the worktree stays: the caller resets."""
        enclosure = Enclosure(
            workspace=workspace.path,
            writable=True,
            environment=self._environment,
            read_only=workspace.read_only,
            overlays=workspace.overlays,
        )
        runs: list[CommandRun] = []
        for command in commands:
            if command.purpose is Purpose.SETUP and self._network is not None:
                runs.append(await self._set_up(self._network, enclosure, command, seconds))
            else:
                runs.append(await _run(command, self._argv(enclosure, command, seconds), seconds))
            if command.purpose is Purpose.SETUP and not runs[-1].passed:
                break
        return runs

    async def _set_up(
        self, network: SetupNetwork, enclosure: Enclosure, command: Command, seconds: float
    ) -> CommandRun:
        async with network.opened(enclosure) as way_out:
            argv = self._argv(way_out.enclosure, command, seconds, before=way_out.bridge)
            run = await _run(command, argv, seconds)
        if run.passed or not (refusals := way_out.refusals):
            return run
        said = f"{run.output}\n" if run.output and not run.output.endswith("\n") else run.output
        return run.model_copy(update={"output": f"{said}{refusals}\n"[-OUTPUT_TAIL:]})

    def _argv(
        self, enclosure: Enclosure, command: Command, seconds: float, *, before: tuple[str, ...] = ()
    ) -> list[str]:
        return self._sandbox.command(enclosure, [*_last_resort(seconds), *before, *_shell(), command.command])


async def _run(command: Command, argv: Sequence[str], seconds: float) -> CommandRun:
    started = monotonic()
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd="/",
        env={},  # bwrap's own environment can be read from inside
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    tail, names = bytearray(), FailureNames()
    timed_out = False
    try:
        async with asyncio.timeout(seconds):
            await _read(process, tail, names)
            await process.wait()
    except TimeoutError:
        timed_out = True
    finally:
        # Killing bwrap ends its process namespace with everything in it, whether time was up or we are cancelled.
        _kill(process)
        await process.wait()
    code = process.returncode if process.returncode is not None else -1
    run = CommandRun(
        purpose=command.purpose,
        command=command.command,
        exit_code=TIMED_OUT if timed_out else code,
        seconds=round(monotonic() - started, 3),
        output=readable(bytes(tail))[-OUTPUT_TAIL:],
        timed_out=timed_out,
    )
    # What a run that passed says about failures is only its log; one that was stopped had not said all.
    return run if run.passed or timed_out else run.model_copy(update={"failures": names.all()})


async def _read(process: asyncio.subprocess.Process, tail: bytearray, names: FailureNames) -> None:
    assert process.stdout is not None
    while chunk := await process.stdout.read(1 << 16):
        tail += chunk
        del tail[:-_TAIL_BYTES]
        names.hear(chunk)


def _shell() -> tuple[str, ...]:
    # With pipefail: `pytest | tee log` must not pass because tee did.
    return ("/bin/bash", "-o", "pipefail", "-c") if Path("/bin/bash").exists() else ("/bin/sh", "-c")


def _last_resort(seconds: float) -> tuple[str, ...]:
    """A worker that dies in the milliseconds before bwrap has tied itself to it leaves a build behind: it ends, too."""
    return ("timeout", "-s", "KILL", f"{seconds + 5:.0f}") if Path("/usr/bin/timeout").exists() else ()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
