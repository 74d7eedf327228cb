"""The stage of the GitHub storm: our own GitHub here; Temporal's server, worker and serving process apart."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.world.github import GitHubWorld, Person

from bench.prove.processes import RestartedProcess, RestartedTemporal, Target, free_port, wait_for_answer
from caseworker.github_double.entities.repository import Comment, Issue, Repository
from caseworker.intake.github_webhook import PATH

SECRET: Final = "the secret of the storm"
BOT: Final = "caseworker[bot]"
FILES: Final = {"greeting.txt": "Hello wrold\n", "Makefile": "test:\n\t@true\n"}


@dataclass(kw_only=True)
class GitHubStage:
    home: Path
    github: GitHubWorld
    shop: Repository
    olga: Person
    ben: Person
    temporal: RestartedTemporal
    worker: RestartedProcess
    serving: RestartedProcess
    kills: dict[Target, int] = field(default_factory=lambda: {"worker": 0, "temporal": 0, "serving": 0})

    @property
    def database(self) -> Path:
        return self.home / "caseworker.db"

    @property
    def log(self) -> Path:
        return self.home / "given.log"

    def kill(self, target: Target) -> bool:
        parts: dict[Target, RestartedProcess | RestartedTemporal] = {
            "worker": self.worker,
            "temporal": self.temporal,
            "serving": self.serving,
        }
        done = parts[target].kill()
        self.kills[target] += done
        return done

    def ours(self, issue: Issue) -> list[Comment]:
        return [comment for comment in issue.comments if comment.author.login == BOT]

    def is_done(self, issue: Issue, workflow: str) -> bool:
        """Whether a tracking comment shows that this workflow is done."""
        head = f"### Caseworker: {workflow}\n"
        return any(head in one.body and "| done |" in one.body for one in self.ours(issue))


@asynccontextmanager
async def open_github_stage(home: Path) -> AsyncIterator[GitHubStage]:
    await asyncio.to_thread(home.mkdir, parents=True)
    github, port = GitHubWorld(home / "github"), free_port()
    github.double.limits.per_hour = 10_000_000  # the storm lasts minutes, and has the requests of days
    temporal = RestartedTemporal(home / "temporal")
    async with github.double.serving():
        olga = github.user("olga")
        shop = github.repository(olga, "shop", FILES)
        ben = github.user("ben", role="write", on=shop)
        url = f"http://127.0.0.1:{port}{PATH}"
        app, key = github.app(olga, url=url, secret=SECRET)
        github.installed(app, shop)
        await temporal.start()
        env = _environment(home, temporal.server.address.target, port, github.state.api_url)
        env |= {"CASEWORKER_GITHUB_APP_ID": str(app.id), "CASEWORKER_GITHUB_APP_PRIVATE_KEY": key}
        python = [sys.executable, "-m"]
        worker = RestartedProcess(
            [*python, "bench.prove.github_worker", str(home / "given.log")], env, home / "worker.log"
        )
        serving = RestartedProcess([*python, "bench.prove.github_serving"], env, home / "serving.log")
        stage = GitHubStage(
            home=home, github=github, shop=shop, olga=olga, ben=ben, temporal=temporal, worker=worker, serving=serving
        )
        try:
            serving.start()
            await wait_for_answer(url, patience=60)
            worker.start()
            yield stage
        finally:
            for part in (serving, worker, temporal):
                await part.stop()


def _environment(home: Path, temporal: str, port: int, api_url: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
    return {
        **kept,
        "CASEWORKER_HOME": str(home),
        "CASEWORKER_TEMPORAL_ADDRESS": temporal,
        "CASEWORKER_GITHUB_API_URL": api_url,
        "CASEWORKER_GITHUB_WEBHOOK_SECRET": SECRET,
        "CASEWORKER_ANTHROPIC_API_KEY": "none: the model has a stand-in",
        "CASEWORKER_SERVE_PORT": str(port),
        "CASEWORKER_SLOTS": "8",
        "CASEWORKER_DEVELOPERS": "8",
    }
