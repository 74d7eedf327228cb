"""Runs the commands that show findings of a review, in the sandbox on the reviewed commit, with limits of time."""

from collections.abc import Sequence
from time import monotonic
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.core.outcomes.pull_work import PullFinding
from caseworker.core.pull.findings import TO_BE_SHOWN, Reproduction, finding_id
from caseworker.ports import Builder, Workspace, Workspaces

_SECONDS_EACH: Final = 120.0
_SECONDS_IN_ALL: Final = 240.0
"""It is part of the review's turn, which has a limit of its own."""
_OUTPUT: Final = 2_000


class Reproductions:
    def __init__(self, *, workspaces: Workspaces, builder: Builder, seconds: float = _SECONDS_EACH) -> None:
        self._workspaces = workspaces
        self._builder = builder
        self._seconds = seconds

    async def run(self, workspace: Workspace, commit: Sha, findings: Sequence[PullFinding]) -> dict[str, Reproduction]:
        """By the ids of the findings. The caller holds the case."""
        wanted = [one for one in findings if one.severity in TO_BE_SHOWN and one.reproduction.strip()]
        if not wanted:
            return {}
        end = monotonic() + _SECONDS_IN_ALL
        await self._workspaces.reset(workspace, commit, scrub=False)
        is_ready = await self._set_up(workspace, min(self._seconds, _SECONDS_IN_ALL))
        found: dict[str, Reproduction] = {}
        for finding in wanted:
            left = min(self._seconds, end - monotonic()) if is_ready else 0.0
            found[finding_id(finding)] = await self._reproduce(workspace, commit, finding.reproduction, left)
        return found

    async def _set_up(self, workspace: Workspace, seconds: float) -> bool:
        """Commands are read from the base: a change must not choose what prepares its review."""
        set_up = (await self._workspaces.plan(workspace)).set_up
        return all(one.passed for one in await self._builder.run(workspace, set_up, seconds=seconds))

    async def _reproduce(self, workspace: Workspace, commit: Sha, text: str, seconds: float) -> Reproduction:
        if seconds < 1:
            return Reproduction(commit=commit, command=text, result="not_run")
        await self._workspaces.reset(workspace, commit, scrub=False)  # what the set-up made is ignored, and stays
        command = Command(purpose=Purpose.NEW_TEST, command=text)
        runs = await self._builder.run(workspace, [command], seconds=seconds)
        return _told(commit, runs[-1])


def _told(commit: Sha, run: CommandRun) -> Reproduction:
    if run.timed_out:
        return Reproduction(commit=commit, command=run.command, result="timed_out")
    if run.over_limit:
        return Reproduction(commit=commit, command=run.command, result="not_run")
    return Reproduction(
        commit=commit,
        command=run.command,
        result="passed" if run.passed else "failed",
        exit_code=run.exit_code,
        output=run.output[-_OUTPUT:],
    )
