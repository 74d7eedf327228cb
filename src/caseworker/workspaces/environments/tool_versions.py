"""Asks the tools that a plan wants for their versions, inside the sandbox, where set-up and tests will find them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from caseworker.core.ecosystems.plan_parts import Wanted
from caseworker.core.ecosystems.version_ranges import fits
from caseworker.core.evidence.builds import Command, Purpose
from caseworker.core.evidence.not_run import NO_SUCH_COMMAND
from caseworker.ports import Workspace
from caseworker.workspaces.sandboxed_runs import SandboxedRuns

_SECONDS = 30.0
_QUESTION = {"go": "go version", "java": "java -version", "dotnet": "dotnet --version", "elixir": "elixir --version"}


@dataclass(frozen=True, kw_only=True)
class Tool:
    wanted: Wanted
    version: str
    """The line that tells it, as the tool prints it. Empty: it told none."""
    there: bool = True
    """Whether the program was found. One that is there may still not answer, or not in time."""

    @property
    def fits(self) -> bool:
        return bool(self.version) and fits(self.version, self.wanted.versions)

    @property
    def state(self) -> str:
        """For people."""
        return self.version or ("there, but it did not tell its version" if self.there else "not there")


async def ask_versions(runs: SandboxedRuns, workspace: Workspace, wanted: Sequence[Wanted]) -> list[Tool]:
    found: list[Tool] = []
    enclosure = replace(runs.enclosure(workspace), writable=False)
    for one in {tool.name: tool for tool in wanted}.values():
        question = _QUESTION.get(one.name, f"{one.name} --version")
        done = await runs.run(enclosure, Command(purpose=Purpose.LINT, command=question), _SECONDS)
        version = _version_line(one.name, done.run.output) if done.run.exit_code == 0 else ""
        found.append(Tool(wanted=one, version=version, there=done.run.exit_code not in NO_SUCH_COMMAND))
    return found


def _version_line(name: str, output: str) -> str:
    """The line that names the tool: some tell of their runtime first. Otherwise the first one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    own = (line for line in lines if line.lower().startswith(name.rpartition("/")[2].lower()))
    return next(own, lines[0] if lines else "")
