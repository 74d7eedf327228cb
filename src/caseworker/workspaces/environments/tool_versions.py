"""Asks the tools that a plan wants for their versions, inside the sandbox, where set-up and tests will find them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from caseworker.core.ecosystems.plan_parts import Wanted
from caseworker.core.ecosystems.version_ranges import fits
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.ports import Workspace
from caseworker.workspaces.sandboxed_runs import SandboxedRuns

_SECONDS = 30.0
_QUESTION = {"go": "go version", "java": "java -version", "dotnet": "dotnet --version", "elixir": "elixir --version"}


@dataclass(frozen=True, kw_only=True)
class Tool:
    wanted: Wanted
    version: str
    """The first line that it prints. Empty: it is not there."""

    @property
    def fits(self) -> bool:
        return bool(self.version) and fits(self.version, self.wanted.versions)


async def ask_versions(runs: SandboxedRuns, workspace: Workspace, wanted: Sequence[Wanted]) -> list[Tool]:
    found: list[Tool] = []
    enclosure = replace(runs.enclosure(workspace), writable=False)
    for one in {tool.name: tool for tool in wanted}.values():
        question = _QUESTION.get(one.name, f"{one.name} --version")
        done = await runs.run(enclosure, Command(purpose=Purpose.LINT, command=question), _SECONDS)
        lines = done.run.output.strip().splitlines()
        found.append(Tool(wanted=one, version=lines[0].strip() if lines and done.run.exit_code == 0 else ""))
    return found
