"""What all instruments share: a copy of the commit, the sandbox, the time that is left, and scripts with sections."""

import asyncio
import secrets
import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.core.investigation.measurements import ObservedRequest
from caseworker.ports import Builder, Workspace, Workspaces

_SHELL: Final = '"${BASH:-/bin/sh}"'
_HOOKS: Final = "caseworker.workspaces.instruments.hooks"
_LOG_BYTES: Final = 1_200
"""Bytes shown of the command's own output, from its end."""
_LAST_WORDS: Final = 300
_TO_REPORT: Final = 15.0
"""Seconds that are left to an instrument after the command was stopped."""


_NEXT: Final = """\
import os, sys
own = sys.modules.pop("sitecustomize", None)
sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = own
"""


def hook(name: str) -> str:
    return (files(_HOOKS) / name).read_text(encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Section:
    """Shell code that runs after the command. What it prints is a section of the result."""

    name: str
    script: str


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The result of a script with sections."""

    run: CommandRun
    sections: Mapping[str, str]
    log: str
    """The end of the command's own output."""

    @property
    def how(self) -> str:
        code = self.sections.get("exit", "").strip()
        if self.run.timed_out:
            return "it did not end in time"
        if self.run.over_limit:
            return f"it was stopped: {self.run.over_limit}"
        return "it was stopped at the time limit" if code == "124" else f"it ended with exit code {code or '?'}"

    @property
    def last_words(self) -> str:
        """How the command ended, and the end of its output."""
        return f"{self.how}. Its output ends: {self.log[-_LAST_WORDS:]}" if self.log else f"{self.how}."


@dataclass(frozen=True, kw_only=True)
class TimeLimit:
    seconds: float
    """For all of it."""
    deadline: float
    """By the clock of the event loop."""

    @property
    def left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()


def from_now(seconds: float) -> TimeLimit:
    return TimeLimit(seconds=seconds, deadline=asyncio.get_running_loop().time() + seconds)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """One measurement's place: side trees at a commit, the sandbox, and a time limit."""

    workspaces: Workspaces
    builder: Builder
    workspace: Workspace
    commit: Sha
    time: TimeLimit

    @asynccontextmanager
    async def tree(self, name: str) -> AsyncIterator[Workspace]:
        """A copy of the commit that is removed afterwards."""
        tree = await self.workspaces.branch_off(self.workspace, name, self.commit)
        try:
            yield tree
        finally:
            await self.workspaces.drop(tree)

    async def run(self, tree: Workspace, script: str, *, seconds: float) -> CommandRun:
        command = Command(purpose=Purpose.TEST, command=script)
        return (await self.builder.run(tree, [command], seconds=min(seconds, self.time.left)))[0]

    async def observe(
        self, tree: Workspace, request: ObservedRequest, *, prepare: str, around: str = "", after: Section
    ) -> Ended:
        """Runs the command once. `prepare`: shell code before it, with $T as a private folder; `around`: a program that
        runs the command."""
        mark = secrets.token_hex(8)
        limit = max(1.0, self.time.left - _TO_REPORT)
        prepare = f"{_set_up(request.setup)}{prepare}"
        script = _script(request.command, prepare=prepare, around=around, after=after, mark=mark, seconds=limit)
        run = await self.run(tree, script, seconds=self.time.left)
        log, *parts = run.output.split(f"\n{mark} ")
        named = [part.partition("\n") for part in parts]
        return Ended(run=run, sections={name: text for name, _, text in named}, log=log.strip())


def sitecustomize(name: str) -> str:
    """Shell code that lets every Python process of the command start with a hook, and then with the `sitecustomize`
    that it would have without it."""
    text = f"{hook(name)}\nstart()\n{_NEXT}"
    path = 'export PYTHONPATH="$T/lib${PYTHONPATH:+:$PYTHONPATH}"'
    return f"{write_file('lib/sitecustomize.py', text)}\n{path}"


def write_file(name: str, text: str) -> str:
    """Shell code that writes a file into $T."""
    end = f"end-{secrets.token_hex(8)}"
    return f"cat > \"$T/{name}\" <<'{end}'\n{text}\n{end}"


def _set_up(script: str) -> str:
    return (
        f'{_SHELL} -c {shlex.quote(script)} || {{ echo "The set-up failed."; exit 126; }}\n' if script.strip() else ""
    )


def _script(command: str, *, prepare: str, around: str, after: Section, mark: str, seconds: float) -> str:
    limit = f"timeout -s INT -k 5 {seconds:.0f}"
    inner = f"{_SHELL} -c {shlex.quote(command)}"
    return "\n".join(
        [
            'T=$(mktemp -d) && mkdir "$T/out" "$T/lib" "$T/bin" && export CASEWORKER_OUT="$T/out"',
            "limit=; command -v timeout > /dev/null && limit='" + limit + "'",
            f'({prepare}\n$limit {around} {inner}) > "$T/log" 2>&1 < /dev/null',
            "code=$?",
            f'tail -c {_LOG_BYTES} "$T/log"',
            f'printf "\\n{mark} exit\\n$code"',
            f'printf "\\n{mark} {after.name}\\n"',
            after.script,
        ]
    )
