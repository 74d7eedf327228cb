"""People, CI and the bot act at random on one pull request. Nothing of a person's is lost, and no "ready" is false."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.commands import Resume, Stop
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.core.record.pull_entries import PullJudged
from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.check_records import Conclusion
from caseworker.github_double.entities.repository import PullRequest
from caseworker.ports import AgentFailed
from tests.world.github import Person
from tests.world.github_office import BOT, GitHubOffice
from tests.world.github_pulls import NO_BARRIER, PullSession, asks_for
from tests.world.pull_agent import resolves
from tests.world.scripted_ci import ScriptedCi

STEPS = 500


@dataclass
class Walk:
    github: GitHubOffice
    pull: PullRequest
    rita: Person
    choose: random.Random
    ci: ScriptedCi
    theirs: set[str] = field(default_factory=set)
    """Commits of people that belong to the branch: a force-push of a person takes those away that it drops."""
    green: set[str] = field(default_factory=set)
    """Commits on which CI has passed last."""

    def pushes(self) -> None:
        text = f"Hello {self.choose.randrange(1_000)}\n"
        self.theirs.add(self.rita.commits(self.github.shop, "fix", {"notes.txt": text}, "A note"))

    def force_pushes(self) -> None:
        known = sorted(self.theirs)
        target = self.choose.choice(known)
        self.rita.force_pushes(self.github.shop, "fix", target)
        path = self.github.shop.path
        self.theirs = {one for one in self.theirs if git_store.is_ancestor(path, one, target)}

    def moves_base(self) -> None:
        text = f"More {self.choose.randrange(1_000)}\n"
        self.github.olga.commits(self.github.shop, "main", {"other.txt": text}, "Go on")

    def remarks(self) -> None:
        self.rita.remarks(self.pull, "greeting.txt", 1, f"What about {self.choose.randrange(1_000)}?")

    def approves(self) -> None:
        self.rita.approves(self.pull)

    def ci_reports(self) -> None:
        head = self.pull.head.sha
        result: Conclusion = self.choose.choice(("success", "success", "failure"))
        self.ci.runs(head, {"unit": result}, event="push", log=f"FAILED test_{self.choose.randrange(4)}\n")
        (self.green.add if result == "success" else self.green.discard)(head)

    def nothing(self) -> None:
        """Time for the bot."""

    def check_nothing_is_lost(self) -> None:
        path, head = self.github.shop.path, git_store.branches(self.github.shop.path)["fix"]
        lost = [one for one in self.theirs if not git_store.is_ancestor(path, one, head)]
        assert not lost, f"commits of people that are not on the branch any more: {lost}"


def _answers_all(github: GitHubOffice, pull: PullRequest) -> None:
    def act(workspace: Path) -> Outcome | AgentFailed:
        still = sum(thread.resolved_by is None for thread in pull.threads)
        return resolves({"greeting.txt": "Hello world\n"}, threads=still)(workspace)

    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, act)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
async def test_people_ci_and_the_bot_act_at_random(github: GitHubOffice, seed: int) -> None:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    pull = github.olga.opens_pull(github.shop, "fix", "Spell the world")
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"], is_strict=True)
    rita = github.github.user("rita", role="write", on=github.shop)
    ci = ScriptedCi(github.github.state, github.shop, github.olga.actor)
    walk = Walk(github, pull, rita, random.Random(seed), ci, {pull.head.sha})  # a walk, no secret
    _answers_all(github, pull)
    session = await asks_for(github, pull, policy=NO_BARRIER)
    acts: list[Callable[[], None]] = [walk.nothing] * 8 + [walk.ci_reports] * 4 + [walk.remarks, walk.approves]
    acts += [walk.pushes, walk.force_pushes, walk.moves_base]
    for _ in range(STEPS):
        walk.choose.choice(acts)()
        walk.check_nothing_is_lost()
        await _steer(walk, session)
        await asyncio.sleep(0)  # the bot is a task of its own: its pace is not ours
        await _until_it_looked(session, walk)
    walk.check_nothing_is_lost()
    await _check_ready_was_true(session, walk)
    bodies = [one.body for one in pull.issue.comments if one.author.login == BOT]
    assert len(set(bodies)) == len(bodies)
    replies = [one.body for thread in pull.threads for one in thread.comments if one.author.login == BOT]
    assert len(set(replies)) == len(replies)


async def _steer(walk: Walk, session: PullSession) -> None:
    """Owners stop it, let it go on, and ask for it again where it has ended."""
    case = await session.now()
    runs = await session.office.world.store.runs.of(session.case)
    is_over = case.state is PullState.ENDED and all(run.ended_at is not None for run in runs)
    if is_over and walk.choose.random() < 0.3:
        await asks_for(walk.github, walk.pull, policy=NO_BARRIER)
    elif case.state is PullState.PAUSED:
        await session.says("resume", Resume())
    elif walk.choose.random() < 0.02:
        await session.says("stop", Stop())


async def _until_it_looked(session: PullSession, walk: Walk) -> None:
    """Now and then the bot may finish what it does; most of the time it is interrupted."""
    if walk.choose.random() < 0.1:
        resting = (PullState.WAITING, PullState.PAUSED, PullState.ENDED)
        await session.expect(lambda case: case.state in resting, "a rest")


async def _check_ready_was_true(session: PullSession, walk: Walk) -> None:
    recorded = await session.office.world.store.record.whole(session.case)
    ready = [one.entry.verdict for one in recorded if isinstance(one.entry, PullJudged)]
    heads = {one.head for one in ready if one.outcome == "ready"}
    tested = {
        run.suite.head_sha
        for run in walk.github.shop.records.workflow_runs
        if any(job.check_run.conclusion == "success" for job in run.jobs)
    }
    assert heads <= tested, f"called ready without a green check: {heads - tested}"
    ended = (await session.now()).session.end
    assert ended is None or isinstance(ended, SessionEnd)
