"""The `Builder` port: runs each command in the sandbox with a time limit, and keeps only the end of its output."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from caseworker.core.evidence.builds import OUTPUT_TAIL, Command, CommandRun, Purpose
from caseworker.ports import Enclosure, Sandbox, Workspace
from caseworker.workspaces.child_processes import Child, Program
from caseworker.workspaces.egress import Resolve, look_up
from caseworker.workspaces.output import FailureNames, readable
from caseworker.workspaces.sandbox import Unconfined
from caseworker.workspaces.setup_network import SetupNetwork, find_interpreter

TIMED_OUT = 124
"""The exit code of timeout(1)."""
_TAIL_BYTES = 8 * OUTPUT_TAIL
"""More than is kept in the end: removing colours and decoding multi-byte characters makes the text shorter."""
_ENVIRONMENT = {
    "CI": "true",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",  # so that the output of a run that we stop shows how far it got
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
        """`hosts`: what set-up commands may reach, as in the setting `setup_hosts`. Other commands have no network."""
        self._sandbox = sandbox
        self._environment = _ENVIRONMENT | dict(environment or {})
        network = SetupNetwork(hosts, interpreter=find_interpreter(), resolve=resolve)
        # Without a sandbox commands have the network anyway, and everyone on this machine could use the bridge.
        self._network = None if isinstance(sandbox, Unconfined) else network

    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        """Runs the commands in order; `seconds` limits each of them. The caller resets the worktree afterwards."""
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
        return [_with_short_paths(run, workspace) for run in runs]

    async def _set_up(
        self, network: SetupNetwork, enclosure: Enclosure, command: Command, seconds: float
    ) -> CommandRun:
        async with network.opened(enclosure) as way_out:
            argv = self._argv(way_out.enclosure, command, seconds, before=way_out.bridge)
            run = await _run(command, argv, seconds)
        if run.passed or not (refusals := way_out.refusals):
            return run
        output = f"{run.output}\n" if run.output and not run.output.endswith("\n") else run.output
        return run.model_copy(update={"output": f"{output}{refusals}\n"[-OUTPUT_TAIL:]})

    def _argv(
        self, enclosure: Enclosure, command: Command, seconds: float, *, before: tuple[str, ...] = ()
    ) -> list[str]:
        return self._sandbox.command(enclosure, [*_last_resort(seconds), *before, *_shell(), command.command])


async def _run(command: Command, argv: Sequence[str], seconds: float) -> CommandRun:
    started = monotonic()
    output = _Output()
    # With an empty environment: what runs inside can read bwrap's.
    child = Child(Program(argv=argv), on_output=output.add)
    code = None
    try:
        async with asyncio.timeout(seconds):
            code = await child.ended()
    except TimeoutError:
        pass
    finally:
        # Killing bwrap ends every process inside, also after a timeout or when we are cancelled.
        child.kill()
        await child.end()
    run = CommandRun(
        purpose=command.purpose,
        command=command.command,
        exit_code=TIMED_OUT if code is None else code,
        seconds=round(monotonic() - started, 3),
        output=readable(bytes(output.tail))[-OUTPUT_TAIL:],
        timed_out=code is None,
    )
    # A run that passed may print names of failures in its log; a run that was stopped has not printed all of them.
    return run if run.passed or run.timed_out else run.model_copy(update={"failures": output.names.all()})


def _with_short_paths(run: CommandRun, workspace: Workspace) -> CommandRun:
    """Paths inside the worktree, from its root: where it is on this machine is nobody's concern in a pull request."""
    return run.model_copy(update={"output": run.output.replace(f"{workspace.path}/", "")})


class _Output:
    """The end of the output, and the failures named anywhere in it."""

    def __init__(self) -> None:
        self.tail = bytearray()
        self.names = FailureNames()

    def add(self, chunk: bytes) -> None:
        self.tail += chunk
        del self.tail[:-_TAIL_BYTES]
        self.names.add(chunk)


def _shell() -> tuple[str, ...]:
    # pipefail: `pytest | tee log` must not pass because tee did.
    return ("/bin/bash", "-o", "pipefail", "-c") if Path("/bin/bash").exists() else ("/bin/sh", "-c")


def _last_resort(seconds: float) -> tuple[str, ...]:
    """Ends a build whose worker died in the milliseconds before bwrap's --die-with-parent takes effect."""
    return ("timeout", "-s", "KILL", f"{seconds + 5:.0f}") if Path("/usr/bin/timeout").exists() else ()
