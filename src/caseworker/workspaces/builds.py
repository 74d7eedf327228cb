"""The `Builder` port: runs each command in the sandbox with a time limit, and keeps the end of its output and, of
tests, the results that their runner reports."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, time_ns

from caseworker.core.evidence.builds import OUTPUT_TAIL, Command, CommandRun, Purpose
from caseworker.core.evidence.report_options import reporting
from caseworker.core.evidence.runner_output import MAX_OUTPUT_BYTES, go_text, is_go_json
from caseworker.ports import Enclosure, Sandbox, Workspace
from caseworker.workspaces.child_processes import Child, Program
from caseworker.workspaces.egress import Resolve, look_up
from caseworker.workspaces.output import FailureNames, readable
from caseworker.workspaces.report_files import read_report
from caseworker.workspaces.sandbox import Unconfined
from caseworker.workspaces.setup_network import SetupNetwork, find_interpreter

TIMED_OUT = 124
"""The exit code of timeout(1)."""
_TAIL_BYTES = 8 * OUTPUT_TAIL
"""More than is kept in the end: removing colours and decoding multi-byte characters makes the text shorter."""
_TESTS = (Purpose.TEST, Purpose.NEW_TEST)
_PACKAGE = 1 << 20
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
            elif command.purpose in _TESTS:
                runs.append(await self._test(enclosure, command, seconds))
            else:
                argv = self._argv(enclosure, command, seconds)
                runs.append((await self._run(command, enclosure, argv, seconds)).run)
            if command.purpose is Purpose.SETUP and not runs[-1].passed:
                break
        return [_with_short_paths(run, workspace) for run in runs]

    async def _test(self, enclosure: Enclosure, command: Command, seconds: float) -> CommandRun:
        """Runs a test command so that it reports each test, into a folder that nothing else writes to."""
        with TemporaryDirectory(prefix="caseworker-report-", ignore_cleanup_errors=True) as name:
            folder, workspace = Path(name), enclosure.workspace
            how = reporting(command.command, folder=name, package=await asyncio.to_thread(_package, workspace))
            inside = replace(
                enclosure,
                environment={**enclosure.environment, **how.environment},
                read_write=(*enclosure.read_write, folder),
            )
            started = time_ns()
            argv = self._argv(inside, command.model_copy(update={"command": how.command}), seconds)
            done = await self._run(command, inside, argv, seconds)
            report = await asyncio.to_thread(read_report, folder, workspace, started, done.whole)
        kept = [line for line in done.run.output.splitlines(keepends=True) if name not in line]  # where the report is
        run = done.run.model_copy(update={"report": report, "output": "".join(kept)})
        if is_go_json(done.whole or ""):
            run = run.model_copy(update={"output": go_text(done.whole or "")[-OUTPUT_TAIL:]})
        return run

    async def _set_up(
        self, network: SetupNetwork, enclosure: Enclosure, command: Command, seconds: float
    ) -> CommandRun:
        async with network.opened(enclosure) as way_out:
            argv = self._argv(way_out.enclosure, command, seconds, before=way_out.bridge)
            run = (await self._run(command, way_out.enclosure, argv, seconds)).run
        if run.passed or not (refusals := way_out.refusals):
            return run
        output = f"{run.output}\n" if run.output and not run.output.endswith("\n") else run.output
        return run.model_copy(update={"output": f"{output}{refusals}\n"[-OUTPUT_TAIL:]})

    async def _run(self, command: Command, enclosure: Enclosure, argv: Sequence[str], seconds: float) -> "_Done":
        started = monotonic()
        output = _Output()
        # With an empty environment: what runs inside can read bwrap's.
        child = Child(Program(argv=argv), on_output=output.add)
        code = None
        try:
            async with self._sandbox.guard(enclosure, lambda: child.pid) as guard, asyncio.timeout(seconds):
                code = await child.ended()
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
            exit_code=TIMED_OUT if code is None else code,
            seconds=round(monotonic() - started, 3),
            output=readable(bytes(output.tail))[-OUTPUT_TAIL:],
            timed_out=code is None and not over_limit,
            over_limit=over_limit,
        )
        # A run that passed may print names of failures in its log; a run that was stopped has not printed all of them.
        if not run.passed and not run.cut_short:
            run = run.model_copy(update={"failures": output.names.all()})
        return _Done(run=run, whole=readable(bytes(output.head)) if len(output.head) < MAX_OUTPUT_BYTES else None)

    def _argv(
        self, enclosure: Enclosure, command: Command, seconds: float, *, before: tuple[str, ...] = ()
    ) -> list[str]:
        return self._sandbox.command(enclosure, [*_last_resort(seconds), *before, *_shell(), command.command])


@dataclass(frozen=True, kw_only=True)
class _Done:
    run: CommandRun
    whole: str | None
    """All of its output. Null: it is too long to be read for results."""


def _package(workspace: Path) -> str:
    """The text of package.json, which says whether its scripts call a runner that can report. Empty: there is none."""
    file = workspace / "package.json"
    try:
        return file.read_text(encoding="utf-8")[:_PACKAGE] if file.is_file() and not file.is_symlink() else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _with_short_paths(run: CommandRun, workspace: Workspace) -> CommandRun:
    """Paths inside the worktree, from its root: where it is on this machine is nobody's concern in a pull request."""
    return run.model_copy(update={"output": run.output.replace(f"{workspace.path}/", "")})


class _Output:
    """The end of the output, the failures named anywhere in it, and all of it if it is not long."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.names = FailureNames()

    def add(self, chunk: bytes) -> None:
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
