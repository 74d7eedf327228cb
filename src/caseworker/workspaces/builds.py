"""The `Builder` port: runs each command in the sandbox with a time limit, and keeps the end of its output and, of
tests, the results that their runner reports."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time_ns
from typing import Protocol

from caseworker.core.evidence.builds import OUTPUT_TAIL, Command, CommandRun, Purpose
from caseworker.core.evidence.report_options import reporting
from caseworker.core.evidence.runner_output import go_text, is_go_json
from caseworker.ports import Enclosure, Sandbox, Workspace
from caseworker.workspaces.egress import Resolve, look_up
from caseworker.workspaces.report_files import read_report, small_file
from caseworker.workspaces.sandbox import Unconfined
from caseworker.workspaces.sandboxed_runs import SandboxedRuns, widened, with_short_paths
from caseworker.workspaces.setup_network import SetupNetwork, find_interpreter

_TESTS = (Purpose.TEST, Purpose.NEW_TEST)
_PACKAGE = 1 << 20


class Provider(Protocol):
    """Makes the environment that set-up commands describe, or takes it from a cache."""

    async def provide(
        self, workspace: Workspace, commands: Sequence[Command], *, seconds: float
    ) -> tuple[Workspace, list[CommandRun]]:
        """The worktree with its environment, and how the set-up went: a failed run is the last one."""


class SandboxedBuilder:
    def __init__(
        self,
        sandbox: Sandbox,
        *,
        environment: Mapping[str, str] | None = None,
        hosts: tuple[str, ...] = (),
        resolve: Resolve = look_up,
        provider: Provider | None = None,
    ) -> None:
        """`hosts`: what set-up commands may reach, as in the setting `setup_hosts`. Other commands have no network.
        `provider`: null runs set-up commands in the worktree itself."""
        network = SetupNetwork(hosts, interpreter=find_interpreter(), resolve=resolve)
        # Without a sandbox commands have the network anyway, and everyone on this machine could use the bridge.
        confined = not isinstance(sandbox, Unconfined)
        self._runs = SandboxedRuns(sandbox, network=network if confined else None, environment=environment)
        self._provider = provider

    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        """Runs the commands in order; `seconds` limits each of them. The caller resets the worktree afterwards."""
        runs: list[CommandRun] = []
        left = list(commands)
        first = [one for one in commands if one.purpose is Purpose.SETUP]
        if first and self._provider is not None:
            workspace, runs = await self._provider.provide(workspace, first, seconds=seconds)
            left = [one for one in commands if one.purpose is not Purpose.SETUP]
        enclosure = self._runs.enclosure(workspace)
        for command in left:
            if runs and runs[-1].purpose is Purpose.SETUP and not runs[-1].passed:
                break
            runs.append(await self._one(enclosure, command, seconds))
        return [with_short_paths(run, workspace.path) for run in runs]

    async def _one(self, enclosure: Enclosure, command: Command, seconds: float) -> CommandRun:
        if command.purpose is Purpose.SETUP:
            return await self._runs.set_up(enclosure, command, seconds)
        if command.purpose in _TESTS:
            return await self._test(enclosure, command, seconds)
        return (await self._runs.run(enclosure, command, seconds)).run

    async def _test(self, enclosure: Enclosure, command: Command, seconds: float) -> CommandRun:
        """Runs a test command so that it reports each test, into a folder that nothing else writes to."""
        with TemporaryDirectory(prefix="caseworker-report-", ignore_cleanup_errors=True) as name:
            folder, workspace = Path(name), enclosure.workspace
            how = reporting(command.command, folder=name, package=await asyncio.to_thread(_package, workspace))
            inside = widened(enclosure, how.environment, read_write=(folder,))
            started = time_ns()
            altered = command.model_copy(update={"command": how.command})
            done = await self._runs.run(inside, altered, seconds, shown=command)
            report = await asyncio.to_thread(read_report, folder, workspace, started, done.whole)
        kept = [line for line in done.run.output.splitlines(keepends=True) if name not in line]  # where the report is
        run = done.run.model_copy(update={"report": report, "output": "".join(kept)})
        if is_go_json(done.whole or ""):
            run = run.model_copy(update={"output": go_text(done.whole or "")[-OUTPUT_TAIL:]})
        return run


def _package(workspace: Path) -> str:
    """The text of package.json, which says whether its scripts call a runner that can report. Empty: there is none."""
    return (small_file(workspace / "package.json", _PACKAGE) or b"").decode(errors="replace")
