"""Runs the same case without Caseworker: a shell script with the same git commands, agent turns and builds, in order.

The agent is the same program with the same tools, schema and environment, in the same sandbox, on the same rehearsed
model. The difference is what is measured: records, workflow, retries, budget, events, and the case file.
"""

import json
import shlex
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.home import NotMeasured, Ran, timed
from bench.projects import ISSUE, git
from caseworker.agents.agent_program import agent_binary
from caseworker.agents.agent_settings import agent_environment
from caseworker.agents.process import AttemptFolder
from caseworker.agents.prompt_inputs import IssueInputs
from caseworker.agents.prompt_texts import render
from caseworker.agents.role_tools import tools_for, writes
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import outcome_schema
from caseworker.ports import Enclosure
from caseworker.workspaces.sandbox import Bubblewrap

_TURNS: Final = {
    Role.PM: Task.TRIAGE,
    Role.ANALYST: Task.ANALYZE,
    Role.TESTER: Task.CREATE_TESTS,
    Role.DEVELOPER: Task.IMPLEMENT,
    Role.TECH_LEAD: Task.REVIEW,
}
_BRANCH: Final = "agent/issue-1"
_ALL_TESTS: Final = "python3 -m unittest discover"
_NEW_TEST: Final = "python3 -m unittest tests.test_shipping"
_BUILD_ENVIRONMENT: Final = {"CI": "true", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
_GIT: Final = "git -c user.name=Bench -c user.email=bench@localhost"


class BareCase:
    def __init__(self, folder: Path, shop: Path) -> None:
        self._folder = folder
        self._shop = shop
        self._mirror = folder / "mirror.git"
        self._tree = folder / "tree"
        self._sandbox = Bubblewrap(folder / "sandbox")

    def run(self, script: Path, *, pace: float) -> Ran:
        """Only the shell script is timed: the model's server is started before it."""
        for role in _TURNS:
            place = self._place(role)
            for inner in (place.config, place.home, place.socket.parent):
                inner.mkdir(parents=True)
        file = self._folder / "case.sh"
        file.write_text(self._script(), encoding="utf-8")
        with self._model(script, pace):
            ran = timed(["/bin/bash", str(file)], {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self._folder)})
        if not git(self._shop, "branch", "--list", _BRANCH):
            raise NotMeasured(f"the bare script did not get to its end: {self._end_of_log()}")
        return ran

    @contextmanager
    def _model(self, script: Path, pace: float) -> Iterator[None]:
        argv = [sys.executable, "-m", "bench.model", str(self._folder), str(script), str(self._tree), str(pace)]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            assert server.stdin is not None
            if server.stdout.readline() != "ready\n":
                raise NotMeasured("the rehearsed model did not start")
            try:
                yield
            finally:
                server.stdin.close()

    def _script(self) -> str:
        tree = f"{_GIT} -C {self._tree}"
        checkout = f"{tree} checkout --quiet --detach"
        lines = (
            f"set -eu; exec > {self._folder / 'log'} 2>&1",
            f"git init --quiet --bare {self._mirror}",
            f"git -C {self._mirror} fetch --quiet {self._shop} '+refs/heads/*:refs/remotes/origin/*'",
            f"git -C {self._mirror} worktree add --quiet --detach {self._tree} refs/remotes/origin/main",
            f"base=$({tree} rev-parse HEAD)",
            *(self._turn(role) for role in (Role.PM, Role.ANALYST, Role.TESTER)),
            f"{tree} add --all; {tree} commit --quiet --message 'Test for issue #1'",
            f"tested=$({tree} rev-parse HEAD)",
            f"{checkout} $base; {self._build(_ALL_TESTS)}",
            f"{checkout} $tested; ! {self._build(_ALL_TESTS)}; ! {self._build(_NEW_TEST)}",
            self._turn(Role.DEVELOPER),
            f"{tree} add --all; {tree} commit --quiet --amend --message 'Ship orders of exactly 50.00 free'",
            f"{self._build(_ALL_TESTS)}; {self._build(_NEW_TEST)}",
            self._turn(Role.TECH_LEAD),
            f"{tree} push --quiet {self._shop} HEAD:refs/heads/{_BRANCH}",
        )
        return "\n".join(lines) + "\n"

    def _turn(self, role: Role) -> str:
        place, task = self._place(role), _TURNS[role]
        inputs = IssueInputs(title="Shipping", body=ISSUE.read_text(encoding="utf-8"), author="its author")
        system, prompt = render(role, task, inputs)
        (place.root / "prompt").write_text(prompt, encoding="utf-8")
        flags: dict[str, str] = {
            "output-format": "stream-json",
            "system-prompt": system,
            "tools": ",".join(tools_for(role, task)),
            "model": Policy().model_for(role, task),
            "permission-mode": "bypassPermissions",
            "session-id": str(uuid.uuid4()),
            "setting-sources": "",
            "json-schema": json.dumps(outcome_schema(role, task)),
        }
        argv = [str(agent_binary()), "-p", "--verbose", "--strict-mcp-config"]
        argv += [f"--{name}={value}" for name, value in flags.items()]
        inside = self._sandbox.command(self._enclosure(agent_environment(place), role), argv)
        return f"{shlex.join(inside)} < {place.root / 'prompt'}"

    def _build(self, command: str) -> str:
        return shlex.join(self._sandbox.command(self._enclosure(_BUILD_ENVIRONMENT), ["/bin/bash", "-c", command]))

    def _enclosure(self, environment: Mapping[str, str], role: Role | None = None) -> Enclosure:
        if role is None:
            return Enclosure(workspace=self._tree, writable=True, environment=environment, read_only=(self._mirror,))
        place = self._place(role)
        return Enclosure(
            workspace=self._tree,
            writable=writes(role, _TURNS[role]),
            environment=environment,
            read_only=(self._mirror, agent_binary().parent),
            read_write=(place.config, place.home),
            sockets=(place.socket.parent,),
        )

    def _place(self, role: Role) -> AttemptFolder:
        return AttemptFolder(self._folder / role.value)

    def _end_of_log(self) -> str:
        log = self._folder / "log"
        return log.read_text(errors="replace")[-600:] if log.exists() else "it said nothing"
