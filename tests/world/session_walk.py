"""People, CI and the bot act at random on one pull request. What is wrong afterwards is counted.

Whether the pull request was ready is told by the state of the double at the moment of a look, not by the code under
test.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Final

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.commands import Resume, Stop
from caseworker.core.pull.case import PullCase, PullState
from caseworker.core.record.pull_entries import PullJudged
from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.check_records import Conclusion, WorkflowRun
from caseworker.github_double.entities.repository import PullRequest, ReviewThread
from caseworker.github_double.request_log import Entry
from caseworker.ports import AgentFailed
from tests.patience import LOOK, PATIENCE
from tests.world.github import Person
from tests.world.github_office import BOT, GitHubOffice
from tests.world.github_pulls import NO_BARRIER, PullSession, asks_for
from tests.world.pull_agent import resolves
from tests.world.scripted_ci import ScriptedCi

_CHECK: Final = "unit"
_RESTS: Final = 0.2
"""How often the bot may finish what it does. Otherwise it is interrupted."""
_CALM_RESTS: Final = 0.7
_SPELL: Final = 20
"""Steps in which people act, and then as many in which they don't: otherwise it is hardly ever ready."""


@dataclass(frozen=True, kw_only=True)
class Walked:
    """What was done, and what must be 0."""

    steps: int
    pushes_by_people: int
    pushes_of_ours: int
    comments: int
    """Ours, in threads and below the pull request."""
    sessions: int
    ready: int
    """Looks that found it ready."""
    lost: int
    """Commits of people that are no longer on the branch by an act of ours."""
    false_ready: int
    twice: int
    """Comments of ours that are there twice, or answer a thread again without news."""


@dataclass(frozen=True)
class _Look:
    """What was true when GitHub answered a query of the bot."""

    at: datetime
    head: str
    is_ready: bool


@dataclass
class Walk:
    github: GitHubOffice
    pull: PullRequest
    rita: Person
    random: Random
    ci: ScriptedCi
    theirs: set[str]
    """Commits of people that belong to the branch: a force-push of a person takes those away that it drops."""
    heads: set[str] = field(default_factory=set)
    """Heads that people have pushed."""
    lost: set[str] = field(default_factory=set)
    looks: list[_Look] = field(default_factory=list)
    our_heads: set[str] = field(default_factory=set)
    pending: WorkflowRun | None = None
    pushes: int = 0
    sessions: int = 1

    # --- what people and CI do

    def person_pushes(self) -> None:
        text = f"Hello {self.random.randrange(1_000)}\n"
        head = self.rita.commits(self.github.shop, "fix", {"notes.txt": text}, "A note")
        self._person_pushed(head)
        self.theirs.add(head)

    def person_force_pushes(self) -> None:
        target = self.random.choice(sorted(self.theirs))
        self.rita.force_pushes(self.github.shop, "fix", target)
        self._person_pushed(target)
        path = self.github.shop.path
        self.theirs = {one for one in self.theirs if git_store.is_ancestor(path, one, target)}

    def base_moves(self) -> None:
        text = f"More {self.random.randrange(1_000)}\n"
        self.github.olga.commits(self.github.shop, "main", {"other.txt": text}, "Go on")

    def person_remarks(self) -> None:
        self.rita.remarks(self.pull, "greeting.txt", 1, f"What about {self.random.randrange(1_000)}?")

    def person_approves(self) -> None:
        self.rita.approves(self.pull)

    def ci_goes_on(self) -> None:
        """A run begins, or the one that is under way ends."""
        if self.pending is None:
            self.pending = self.ci.begins(self.pull.head.sha, [_CHECK], event="push")
            return
        result: Conclusion = self.random.choice(("success", "success", "failure"))
        self.ci.ends(self.pending, {_CHECK: result}, log=f"FAILED test_{self.random.randrange(4)}\n")
        self.pending = None

    def nothing(self) -> None:
        """Time for the bot."""

    def acts(self) -> list[Callable[[], None]]:
        some = [self.person_remarks, self.person_approves, self.person_pushes, self.person_force_pushes]
        return [self.nothing] * 6 + [self.ci_goes_on] * 14 + some + [self.base_moves]

    def calm_acts(self) -> list[Callable[[], None]]:
        """People are away. What CI runs last on a head passes."""
        return [self.ci_passes]

    def ci_passes(self) -> None:
        if self.pending is not None:
            self.ci.ends(self.pending, {_CHECK: "success"})
            self.pending = None
        else:
            self.ci_goes_on()

    def _person_pushed(self, head: str) -> None:
        self.pushes += 1
        self.heads.add(head)

    # --- what is watched

    def notice(self, entry: Entry) -> None:
        """Called with every request before its answer leaves."""
        if entry.actor != BOT:
            return
        if entry.face == "graphql" and not entry.is_write:
            self.looks.append(_Look(datetime.now(UTC), self.pull.head.sha, self._is_ready()))
        if entry.face == "git" and entry.is_write:
            self.our_heads |= {self._branch("fix")} - self.heads

    def check_commits(self) -> None:
        head = self._branch("fix")
        self.lost |= {one for one in self.theirs if not git_store.is_ancestor(self.github.shop.path, one, head)}

    def _is_ready(self) -> bool:
        shop, head = self.github.shop, self.pull.head.sha
        checks = [run for suite in shop.records.suites if suite.head_sha == head for run in suite.runs]
        newest = max((run for run in checks if run.name == _CHECK), key=lambda run: run.id, default=None)
        is_green = newest is not None and newest.conclusion == "success"
        is_answered = all(thread.resolved_by is not None for thread in self.pull.threads)
        return is_green and is_answered and git_store.is_ancestor(shop.path, self._branch("main"), head)

    def _branch(self, name: str) -> str:
        return git_store.branches(self.github.shop.path)[name]


async def walk(github: GitHubOffice, seed: int, steps: int) -> Walked:
    """One walk on a new pull request."""
    here = _begin(github, seed)
    github.github.double.log.listeners.append(here.notice)
    session = await asks_for(github, here.pull, policy=NO_BARRIER)
    for step in range(steps):
        is_calm = step // _SPELL % 2 == 1
        here.random.choice(here.calm_acts() if is_calm else here.acts())()
        here.check_commits()
        await _steer(here, session)
        await asyncio.sleep(0)  # the bot is a task of its own: its pace is not ours
        if here.random.random() < (_CALM_RESTS if is_calm else _RESTS):
            await _let_it_finish(session)
    here.check_commits()
    return await _result(here, session, steps)


def _begin(github: GitHubOffice, seed: int) -> Walk:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    pull = github.olga.opens_pull(github.shop, "fix", "Spell the world")
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=[_CHECK], is_strict=True)
    rita = github.github.user("rita", role="write", on=github.shop)
    # Jobs take no time: with hundreds of them the clock of the double would leave ours behind, and tokens would expire.
    ci = ScriptedCi(github.github.state, github.shop, github.olga.actor, seconds=0)
    head, turns = pull.head.sha, count()

    def act(workspace: Path) -> Outcome | AgentFailed:
        still = sum(thread.resolved_by is None for thread in pull.threads)
        text = f"Hello world {next(turns)}\n"  # a thread is resolved only by a change
        return resolves({"greeting.txt": text}, threads=still)(workspace)

    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, act)
    return Walk(github, pull, rita, Random(seed), ci, {head}, {head})


async def _steer(here: Walk, session: PullSession) -> None:
    """Owners stop it, let it go on, and ask for it again where it has ended."""
    case = await session.now()
    is_over = case.state is PullState.ENDED and not await _is_asked_for(session)
    if is_over and here.random.random() < 0.5:
        await asks_for(here.github, here.pull, policy=NO_BARRIER)
        here.sessions += 1
    elif case.state is PullState.PAUSED:
        await session.says("resume", Resume())
    elif here.random.random() < 0.02:
        await session.says("stop", Stop())


async def _let_it_finish(session: PullSession) -> None:
    """Until it has looked at what was done so far and waits, or is paused or over."""
    now = datetime.now(UTC)

    def rests(case: PullCase) -> bool:
        if case.state in (PullState.PAUSED, PullState.ENDED):
            return True
        looked_at = case.sight.looked_at
        return case.state is PullState.WAITING and looked_at is not None and looked_at > now

    deadline = time.monotonic() + PATIENCE
    while (await session.expect(rests, "a rest")).state is PullState.ENDED and await _is_asked_for(session):
        assert time.monotonic() < deadline, f"the next session does not begin\n{await session.story()}"
        await asyncio.sleep(LOOK)


async def _is_asked_for(session: PullSession) -> bool:
    """Whether a run is in flight: in a case that has ended, the flow has not heard of it yet."""
    runs = await session.office.world.store.runs.of(session.case)
    return any(run.ended_at is None for run in runs)


async def _result(here: Walk, session: PullSession, steps: int) -> Walked:
    recorded = await session.office.world.store.record.whole(session.case)
    judged = [one.entry.verdict for one in recorded if isinstance(one.entry, PullJudged)]
    ready = [one for one in judged if one.outcome == "ready"]
    replies = [one for thread in here.pull.threads for one in thread.comments if one.author.login == BOT]
    below = [one.body for one in here.pull.issue.comments if one.author.login == BOT]
    return Walked(
        steps=steps,
        pushes_by_people=here.pushes,
        pushes_of_ours=len(here.our_heads),
        comments=len(replies) + len(below),
        sessions=here.sessions,
        ready=len(ready),
        lost=len(here.lost),
        false_ready=sum(not _was_true(here, one.looked_at, one.head) for one in ready),
        twice=len(below) - len(set(below)) + sum(map(_answered_again, here.pull.threads)),
    )


def _was_true(here: Walk, at: datetime, head: str) -> bool:
    """By the last look before the verdict."""
    looks = [look for look in here.looks if look.at <= at]
    return bool(looks) and looks[-1].head == head and looks[-1].is_ready


def _answered_again(thread: ReviewThread) -> int:
    """Answers that follow one of ours and tell of no change."""
    followed = [(one, after) for one, after in pairwise(thread.comments) if one.author.login == BOT]
    return sum(after.author.login == BOT and "Changed in" not in after.body for _, after in followed)
