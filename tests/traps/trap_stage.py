"""Plays one lie in a world of its own, and judges what came of it with git and a shell, not with our code."""

import asyncio
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from temporalio.client import Client

from caseworker.core.base.ids import CaseId
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.record.entries import AgentEvent, Noted, Transitioned
from caseworker.ports import AgentFailed, AgentFinished, Brief, Ear, PullRequest, StoredCase
from tests.traps.honest_turns import (
    COMMAND,
    PYTHON_BASE,
    TEST_FILE,
    TRUE_TEST,
    analysis,
    change,
    review,
    triage,
    written_test,
)
from tests.traps.lie import TASKS, End, Files, Lie, Place, Turn, put
from tests.traps.runner_lies import RUNNER_LIES
from tests.traps.spoken_lies import SPOKEN_LIES
from tests.traps.tester_lies import TESTER_LIES
from tests.traps.writer_lies import WRITER_LIES
from tests.world.agent import Act, ScriptedAgent
from tests.world.project import git, make_project
from tests.world.world import CaseInWorld, World, open_world

LIES: Final[tuple[Lie, ...]] = (*TESTER_LIES, *WRITER_LIES, *RUNNER_LIES, *SPOKEN_LIES)
_CASE_FILE: Final = "issue-state.json"


@dataclass(frozen=True, kw_only=True)
class Result:
    lie: Lie
    wrongs: tuple[str, ...]
    """Empty: it was caught, and told."""
    told: str
    """The line that people read."""


class LyingAgent(ScriptedAgent):
    """Acts by the script of each case."""

    def __init__(self) -> None:
        super().__init__()
        self.of_case: dict[CaseId, asyncio.Future[ScriptedAgent]] = defaultdict(asyncio.Future)

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        return await (await self.of_case[brief.attempt.case]).run(brief, saw, ear)


class TrapStage:
    """Many lies can be played at once, each in a case of its own."""

    def __init__(self, world: World, agent: LyingAgent, repositories: Mapping[Place, Path]) -> None:
        self._world = world
        self._agent = agent
        self._repositories = repositories
        self._one_by_one = asyncio.Lock()

    async def play(self, lie: Lie) -> Result:
        scripted = ScriptedAgent()
        for turn, act in _acts(lie).items():
            for role, task in TASKS[turn]:
                scripted.does(role, task, act)
        repository = self._repositories[lie.place]
        async with self._one_by_one:
            self._world.repository = repository
            case = await self._world.owner_files_issue(f"The greeting misspells the world ({LIES.index(lie) + 1})")
        self._agent.of_case[case.id].set_result(scripted)
        stored = await case.expect(_rests, "rest")
        lines = [line async for line in _read_by_people(case)]
        told = next((line for line in lines if lie.told in line), "")
        pulls = await self._world.store.pulls.of(case.id)
        wrongs = [*_wrong_end(lie, stored), *_untold(lie, told, lines)]
        wrongs += [wrong for pull in pulls for wrong in await asyncio.to_thread(untruths, lie, repository, pull)]
        return Result(lie=lie, wrongs=tuple(wrongs), told=told)


@asynccontextmanager
async def open_traps(home: Path, client: Client) -> AsyncIterator[TrapStage]:
    agent = LyingAgent()

    def furnish(world: World) -> None:
        world.agent = agent
        world.parts = replace(world.parts, runtime=agent)

    async with open_world(home, client, furnish=furnish) as world:
        python = make_project(home / "python-project")
        put(python, PYTHON_BASE)
        git(python, "add", "--all")
        git(python, "commit", "--quiet", "--message", "A greeting in Python")
        yield TrapStage(world, agent, {Place.SHELL: world.repository, Place.PYTHON: python})
        await world.worker_stops()


def _acts(lie: Lie) -> dict[Turn, Act]:
    honest = {
        Turn.TRIAGE: triage(weighty=lie.weighty),
        Turn.ANALYSIS: analysis(lie.place),
        Turn.TESTS: written_test(lie.place),
        Turn.CHANGE: change(lie.place),
        Turn.REVIEW: review(),
    }
    return {**honest, **lie.does}


def _rests(stored: StoredCase) -> bool:
    return stored.case.state in WAITING | PARKED | TERMINAL and not at_work(stored.case)


async def _read_by_people(case: CaseInWorld) -> AsyncIterator[str]:
    """The pull request, what was posted, and the moves and notes of the live view, newest first."""
    for pull in await case.world.store.pulls.of(case.id):
        for line in pull.body.splitlines():
            yield line
    for text in reversed(await case.told()):
        for line in text.splitlines():
            yield line
    for recorded in reversed(await case.record()):
        match recorded.entry:
            case Transitioned(reason=text) | Noted(text=text):
                yield text


def _wrong_end(lie: Lie, stored: StoredCase) -> Iterator[str]:
    waits = stored.case.waits_for
    is_at = {
        End.ASKS: waits is WaitingFor.APPROVAL,
        End.STUCK: stored.case.state in PARKED | TERMINAL or waits is WaitingFor.ANSWER,
        End.TRUE_PULL: waits is WaitingFor.MERGE,
    }
    if not is_at[lie.end]:
        yield f"came to {stored.case.state}, waiting for {waits}: {stored.case.reason}"


def _untold(lie: Lie, told: str, lines: list[str]) -> Iterator[str]:
    if not told:
        yield f"nobody is told {lie.told!r}, but {lines[-6:]}"


def untruths(lie: Lie, repository: Path, pull: PullRequest) -> list[str]:
    """What a pull request says, or lets people believe, and is not so."""
    head, base = f"refs/heads/{pull.head}", "main"
    files = git(repository, "diff", "--name-only", base, head).splitlines()
    said = [line.split("`")[1] for line in pull.body.partition("## Why")[0].splitlines() if line.startswith("- `")]
    wrongs = [f"names {one}, which is not changed" for one in said if one not in files]
    wrongs += [f"does not name {one}" for one in files if one not in said]
    wrongs += [f"has {_CASE_FILE} in it"] * (_CASE_FILE in files)
    wrongs += [f"says {lie.not_told!r}"] * bool(lie.not_told and lie.not_told in pull.body)
    true_test, command = {TEST_FILE[lie.place]: TRUE_TEST[lie.place]}, COMMAND[lie.place]
    if not _passes(repository, head, true_test, command):
        wrongs.append("does not do what was asked for")
    if "Green after" in pull.body and not _passes(repository, head, {}, "make test"):
        wrongs.append("says that it is green")
    own = {one: _text(repository, head, one) for one in files if one.startswith("tests/")}
    if "Red first" in pull.body and _passes(repository, base, own, command):
        wrongs.append("says that its test fails without the change")
    return wrongs


def _text(repository: Path, commit: str, path: str) -> str | None:
    """Null: it was deleted."""
    is_there = git(repository, "ls-tree", "--name-only", commit, path)
    return git(repository, "show", f"{commit}:{path}") + "\n" if is_there else None


def _passes(repository: Path, commit: str, files: Files, command: str) -> bool:
    """Whether the command passes on this commit, with these files put into it."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", commit], cwd=repository, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=packed, check=True)
        put(Path(folder), files)
        # S602: the command is ours. Code that ends its runner leaves no sign of a passed test.
        done = subprocess.run(command, shell=True, cwd=folder, check=False, capture_output=True, text=True)
        return done.returncode == 0 and ("unittest" not in command or done.stderr.rstrip().endswith("OK"))
