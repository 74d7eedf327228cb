"""What can be seen on the demo's GitHub at one moment, and a watch over the changes."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

from caseworker.app.demos.own_github import OwnGitHub
from caseworker.github_double.derive.check_results import rollup
from caseworker.github_double.entities.repository import Issue
from caseworker.github_double.state import Event

_TRACKING: Final = re.compile(
    r"^<!-- workflow-run:(?P<run>\S+) -->.*?^### Caseworker: (?P<workflow>\w+)$.*?^\|---.*?\n\| (?P<state>[\w ]+) \|",
    re.DOTALL | re.MULTILINE,
)
_BOT: Final = "caseworker[bot]"
_ENDED: Final = ("done", "failed", "stopped early")


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What can be seen on the page of the demo's issue, and of its pull request."""

    runs: tuple[tuple[str, str, str], ...] = ()
    """Tracking comments, oldest first: the run's id, its workflow, its state."""
    said: int = 0
    """How many other comments the bot has written."""
    pull: int | None = None
    checks: str | None = None
    is_merged: bool = False
    sessions: tuple[tuple[str, str, str], ...] = ()
    """Tracking comments below the pull request that was there from the beginning."""

    def state_of(self, workflow: str) -> str:
        return next((state for _, name, state in reversed(self.runs) if name == workflow), "")

    def is_done(self, workflow: str) -> bool:
        return self.state_of(workflow) == "done"

    @property
    def at_work(self) -> str:
        """The workflow that runs now, or an empty text."""
        return next((name for _, name, state in reversed(self.runs) if state not in (*_ENDED, "waiting")), "")

    @property
    def is_ready(self) -> bool:
        return self.pull is not None and self.checks == "SUCCESS" and self.is_done("implement")


def scene_of(github: OwnGitHub) -> Scene:
    runs, said = _tracking(github.issue)
    sessions, _ = _tracking(github.gifts.issue)
    branch = f"agent/issue-{github.issue.number}"
    pulls = [one for one in github.repository.pulls.values() if one.head.ref == branch]
    if not pulls:
        return Scene(runs=runs, said=said, sessions=sessions)
    pull = pulls[-1]
    return Scene(
        runs=runs,
        said=said,
        pull=pull.issue.number,
        checks=rollup(github.repository, pull.head.sha),
        is_merged=pull.merged is not None,
        sessions=sessions,
    )


def _tracking(issue: Issue) -> tuple[tuple[tuple[str, str, str], ...], int]:
    """The runs that the bot's tracking comments show, and how many other comments it has written."""
    found = [_TRACKING.search(one.body) for one in issue.comments if one.author.login == _BOT]
    runs = tuple((one["run"], one["workflow"], one["state"]) for one in found if one is not None)
    return runs, len(found) - len(runs)


async def scenes(github: OwnGitHub) -> AsyncGenerator[Scene, None]:
    """The scene now, and again after every change. Never ends."""
    changed = asyncio.Event()

    def hear(_: Event) -> None:
        changed.set()

    listeners = github.double.state.listeners
    listeners.append(hear)
    try:
        while True:
            yield scene_of(github)
            await changed.wait()
            changed.clear()
    finally:
        listeners.remove(hear)
