"""Runs single commands in the sandbox, with a time limit and the end of their output; for set-up, with a way out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from caseworker.core.evidence.builds import OUTPUT_TAIL, Command, CommandRun
from caseworker.core.evidence.runner_output import MAX_OUTPUT_BYTES
from caseworker.ports import Enclosure, Sandbox, Workspace
from caseworker.workspaces.child_processes import Child, Program
from caseworker.workspaces.mount_points import not_hiding
from caseworker.workspaces.output import FailureNames, readable
from caseworker.workspaces.setup_network import SetupNetwork, WayOut

TIMED_OUT = 124
"""The exit code of timeout(1)."""
_TAIL_BYTES = 8 * OUTPUT_TAIL
"""More than is kept in the end: removing colours and decoding multi-byte characters makes the text shorter."""
_REFUSED_SECONDS = 30.0
"""How long a set-up that was refused a host may go on without a sign of progress: some clients retry for minutes."""
_ENVIRONMENT = {
    "CI": "true",
    "TERM": "dumb",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",  # so that the output of a run that we stop shows how far it got
}


@dataclass(frozen=True, kw_only=True)
class Done:
    run: CommandRun
    whole: str | None
    """All of its output. Null: it is too long to be read for results."""


class SandboxedRuns:
    def __init__(
        self, sandbox: Sandbox, *, network: SetupNetwork | None, environment: Mapping[str, str] | None = None
    ) -> None:
        """`network`: what set-up commands may reach. Null: whatever the sandbox lets them."""
        self._sandbox = sandbox
        self._network = network
        self._environment = {**_ENVIRONMENT, **(environment or {})}

    def enclosure(self, workspace: Workspace) -> Enclosure:
        return Enclosure(
            workspace=workspace.path,
            writable=True,
            environment={**workspace.equipment.variables, **self._environment},
            read_only=workspace.read_only,
            overlays=not_hiding(workspace),
            search_path=workspace.equipment.search_path,
        )

    async def run(
        self, enclosure: Enclosure, command: Command, seconds: float, *, shown: Command | None = None
    ) -> Done:
        """`shown`: the command as it is told, where another one is run."""
        return await self._guarded(shown or command, enclosure, self._argv(enclosure, command, seconds), seconds)

    async def set_up(self, enclosure: Enclosure, command: Command, seconds: float) -> CommandRun:
        if self._network is None:
            return (await self.run(enclosure, command, seconds)).run
        async with self._network.opened(enclosure) as way_out:
            argv = self._argv(way_out.enclosure, command, seconds, before=way_out.bridge)
            run = (await self._guarded(command, way_out.enclosure, argv, seconds, way_out=way_out)).run
        refusals = f"{way_out.refusals}\n" if way_out.refusals else ""
        if run.passed or not (told := f"{way_out.egress.missed()}{refusals}"):
            return run
        output = f"{run.output}\n" if run.output and not run.output.endswith("\n") else run.output
        refused = way_out.egress.refused_hosts()
        return run.model_copy(update={"output": f"{output}{told}"[-OUTPUT_TAIL:], "refused": refused})

    async def _guarded(
        self,
        command: Command,
        enclosure: Enclosure,
        argv: Sequence[str],
        seconds: float,
        *,
        way_out: WayOut | None = None,
    ) -> Done:
        started = monotonic()
        output = _Output()
        # With an empty environment: what runs inside can read bwrap's.
        child = Child(Program(argv=argv), on_output=output.add)
        code, refused = None, False
        try:
            async with self._sandbox.guard(enclosure, lambda: child.pid) as guard, asyncio.timeout(seconds):
                if way_out is None:
                    code = await child.ended()
                else:
                    code = await _ended_or_refused(child, output, way_out)
                    refused = code is None
        except TimeoutError:
            pass
        finally:
            # Killing bwrap ends every process inside, also after a timeout or when we are cancelled.
            child.kill()
            await child.end()
        over_limit = guard.ended or (next(iter(guard.news()), "") if code else "")
        if over_limit:
            output.add(f"\nCaseworker ended this command: {over_limit}.\n".encode())
        run = CommandRun(
            purpose=command.purpose,
            command=command.command,
            exit_code=1 if refused else TIMED_OUT if code is None else code,
            seconds=round(monotonic() - started, 3),
            output=readable(bytes(output.tail))[-OUTPUT_TAIL:],
            timed_out=code is None and not refused and not over_limit,
            over_limit=over_limit,
        )
        # A run that passed may print names of failures in its log; a run that was stopped has not printed all of them.
        if not run.passed and not run.cut_short:
            run = run.model_copy(update={"failures": output.names.all()})
        return Done(run=run, whole=readable(bytes(output.head)) if len(output.head) < MAX_OUTPUT_BYTES else None)

    def _argv(
        self, enclosure: Enclosure, command: Command, seconds: float, *, before: tuple[str, ...] = ()
    ) -> list[str]:
        return self._sandbox.command(enclosure, [*_last_resort(seconds), *before, *_shell(), command.command])


def with_short_paths(run: CommandRun, path: Path) -> CommandRun:
    """The run with paths relative to the worktree: its place on this machine must not appear in a pull request."""
    return run.model_copy(update={"output": run.output.replace(f"{path}/", "")})


def widened(enclosure: Enclosure, environment: Mapping[str, str], *, read_write: tuple[Path, ...] = ()) -> Enclosure:
    return replace(
        enclosure,
        environment={**enclosure.environment, **environment},
        read_write=(*enclosure.read_write, *read_write),
    )


async def _ended_or_refused(child: Child, output: "_Output", way_out: WayOut) -> int | None:
    """Its exit code. Null: it was refused a host, and then showed no progress."""
    ending = asyncio.ensure_future(child.ended())
    seen, since = (0, 0), monotonic()
    try:
        while not (await asyncio.wait([ending], timeout=1))[0]:
            now = (output.size, way_out.egress.moved)
            if now != seen or not way_out.refusals:
                seen, since = now, monotonic()
            elif monotonic() - since > _REFUSED_SECONDS:
                return None
        return ending.result()
    finally:
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)


class _Output:
    """The end of the output, the failures named anywhere in it, and all of it if it is not long."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.names = FailureNames()
        self.size = 0

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.head += chunk[: MAX_OUTPUT_BYTES - len(self.head)]
        self.tail += chunk
        del self.tail[:-_TAIL_BYTES]
        self.names.add(chunk)


def _shell() -> tuple[str, ...]:
    # pipefail: `pytest | tee log` must not pass because tee did.
    return ("/bin/bash", "-o", "pipefail", "-c") if Path("/bin/bash").exists() else ("/bin/sh", "-c")


def _last_resort(seconds: float) -> tuple[str, ...]:
    """Ends a build whose worker died in the milliseconds before bwrap's --die-with-parent takes effect."""
    return ("timeout", "-s", "KILL", f"{seconds + 5:.0f}") if Path("/usr/bin/timeout").exists() else ()
