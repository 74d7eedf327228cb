"""A deployment on our own GitHub: the real `caseworker serve`, its host and agent processes, real git, and real CI."""

import asyncio
import re
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caseworker.core.pull.case import PullState
from caseworker.github_double.ci.listener import run_ci
from caseworker.github_double.entities.repository import Comment, Issue, PullRequest, Repository
from caseworker.github_double.request_log import Entry
from tests.patience import PATIENCE
from tests.world.github import GitHubWorld, Person
from tests.world.terminal import Terminal, is_alive, open_terminal

BOT: Final = "caseworker[bot]"
_PATIENCE: Final = 3 * PATIENCE
"""A step may begin with the start of all processes."""
CI: Final = """\
name: CI
on: pull_request
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
      - name: Goodbye
        run: |
          test ! -e strict || grep -q Bye greeting.txt || { echo "error: the greeting says no goodbye"; exit 1; }
"""
FILES: Final = {
    "greeting.txt": "Hello wrold\n",
    "tests/hello.sh": "grep -q ^Hello greeting.txt\n",
    "Makefile": "test:\n\t@set -e; for t in tests/*.sh; do echo $$t; sh $$t; done\n",
    ".github/workflows/ci.yml": CI,
}


@dataclass
class GitHubDeployment:
    github: GitHubWorld
    terminal: Terminal
    shop: Repository
    olga: Person
    kills: int = 0
    _serve: asyncio.subprocess.Process | None = None

    # --- what machines do

    async def serving_starts(self) -> None:
        with (self.terminal.home.parent / "serve.log").open("ab") as log:
            self._serve = await asyncio.create_subprocess_exec(
                *self.terminal.command(("serve",)), env=self.terminal.environment, stderr=log
            )

    def is_killed_at_new_writes(self, known: set[str], *, most: int) -> None:
        """Everything is killed when GitHub has carried out a write that is not known, before its answer leaves, so
        many times at most. The write is known then. A write is told by its kind and by how many of them came before."""
        seen: Counter[str] = Counter()

        def received(entry: Entry) -> None:
            if not entry.is_write or entry.actor != BOT:
                return
            kind = re.sub(r"\d+", "N", f"{entry.method} {entry.path} {entry.operation}".rstrip())
            seen[kind] += 1
            name = f"{kind}, {seen[kind]}"
            if name not in known and self.kills < most:
                known.add(name)
                self._kill()

        self.github.double.log.listeners.append(received)

    def is_killed_by(self, path: str) -> None:
        """The same at the first POST to a path that fits this pattern."""
        self.github.double.faults.before(path, self._kill, method="POST")

    @asynccontextmanager
    async def killed_in(self, states: Collection[PullState]) -> AsyncIterator[set[PullState]]:
        """Everything is killed once in each of these states of a session. Yields those in which it was."""
        done: set[PullState] = set()
        task = asyncio.create_task(self._kill_in(set(states), done))
        try:
            yield done
        finally:
            task.cancel()

    async def _kill_in(self, states: set[PullState], done: set[PullState]) -> None:
        while states > done:
            state = self._state()
            if state in states - done and self._is_up():
                self._kill()
                if self._state() == state:  # it has not moved in the last instant
                    done.add(state)
            await asyncio.sleep(0.01)

    def _state(self) -> PullState | None:
        moves = self.terminal.entries("pull_moved")
        return PullState(str(moves[-1]["to_state"])) if moves else None

    async def _start_what_was_killed(self) -> None:
        if self._serve is not None and self._serve.returncode is not None:
            await self.serving_starts()

    def _kill(self) -> None:
        """Kills `serve` and the host with -9, with all that they have under way."""
        self.kills += 1
        assert self._serve is not None
        with suppress(ProcessLookupError):
            self._serve.kill()
        if self._is_up():
            self.terminal.kills(self.terminal.host_pid)

    def _is_up(self) -> bool:
        with suppress(OSError, ValueError):  # no host is there yet
            return is_alive(self.terminal.host_pid)
        return False

    # --- what can be looked at

    def tracking(self, issue: Issue) -> list[str]:
        """The tracking comments: workflow and state of each, in their order."""
        bodies = [one.body for one in self._ours(issue) if one.body.startswith("<!-- workflow-run:")]
        return [_shown(body) for body in bodies]

    def said(self, issue: Issue) -> list[str]:
        """Our other comments, without their markers."""
        ours = [one.body for one in self._ours(issue) if not one.body.startswith("<!-- workflow-run:")]
        return [body.rpartition("<!-- caseworker:")[0].rstrip() for body in ours]

    def pulls(self) -> list[PullRequest]:
        return list(self.shop.pulls.values())

    def checks(self) -> list[tuple[str, str | None]]:
        """Name and conclusion of each check run, oldest first."""
        runs = self.shop.records.workflow_runs
        return [(job.check_run.name, job.check_run.conclusion) for run in runs for job in run.jobs]

    def _ours(self, issue: Issue) -> list[Comment]:
        return [one for one in issue.comments if one.author.login == BOT]

    # --- what we expect

    async def expect(self, is_so: Callable[[], bool], what: str, issue: Issue) -> None:
        """Waits, and starts what was killed again."""
        deadline = time.monotonic() + _PATIENCE
        while not is_so():
            await self._start_what_was_killed()
            if time.monotonic() > deadline:
                talk = "\n---\n".join(f"{one.author.login}: {one.body}" for one in issue.comments)
                log = (self.terminal.home.parent / "serve.log").read_text()[-6000:]
                raise AssertionError(f"not seen: {what}\n{talk}\n\n{log}\n\n{self.terminal.host_log()}")
            await asyncio.sleep(0.1)

    async def expect_tracking(self, issue: Issue, *shown: str) -> None:
        await self.expect(lambda: self.tracking(issue) == list(shown), f"the tracking comments {shown}", issue)


def _shown(body: str) -> str:
    workflow = body.partition("### Caseworker: ")[2].partition("\n")[0]
    states = [state for state in ("working", "waiting", "done", "failed", "stopped") if f"| {state} |" in body]
    return f"{workflow} {' '.join(states)}"


@asynccontextmanager
async def open_deployment(
    folder: Path, rehearsal: Path, files: dict[str, str], **settings_too: str
) -> AsyncIterator[GitHubDeployment]:
    async with AsyncExitStack() as stack:
        github, port, secret = GitHubWorld(folder / "github"), _free_port(), "a secret of webhooks"
        await stack.enter_async_context(github.double.serving())
        await stack.enter_async_context(run_ci(github.state))
        olga = github.user("olga")
        shop = github.repository(olga, "shop", files)
        app, key = github.app(olga, url=f"http://127.0.0.1:{port}/github/webhooks", secret=secret)
        github.installed(app, shop)
        settings = {
            "GITHUB_APP_ID": str(app.id),
            "GITHUB_APP_PRIVATE_KEY": key,
            "GITHUB_API_URL": github.state.api_url,
            "GITHUB_WEBHOOK_SECRET": secret,
            "REPORTS_REHEARSAL": str(rehearsal),
            "SERVE_PORT": str(port),
            "CHECKS_SETTLE_SECONDS": "1",
            **settings_too,
        }
        terminal = stack.enter_context(
            open_terminal(folder / "home", **{f"CASEWORKER_{name}": value for name, value in settings.items()})
        )
        deployment = GitHubDeployment(github=github, terminal=terminal, shop=shop, olga=olga)
        stack.push_async_callback(_end, deployment)
        await deployment.serving_starts()
        yield deployment


async def _end(deployment: GitHubDeployment) -> None:
    process = deployment._serve
    if process is not None and process.returncode is None:
        process.kill()
        await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
