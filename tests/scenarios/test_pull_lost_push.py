"""A push whose answer is lost: the session knows all commits that it has brought as its own."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.people.commands import BringUpToDate
from caseworker.core.pull.branch_updates import BranchCommit
from caseworker.core.pull.case import SessionEnd
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.github_double import git_store
from caseworker.github_double.acts.repository_acts import protect
from caseworker.ports.pull_branches import PullTree
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.pull_trees import GitPullBranches
from tests.scenarios.conftest import end
from tests.world.github_office import GitHubOffice, open_github_office
from tests.world.github_pulls import NO_CHECKS, asks_for
from tests.world.pull_agent import resolves
from tests.world.scripted_ci import ScriptedCi
from tests.world.world import World


class LosesAnswers(GitPullBranches):
    """Rebased branches are pushed, but nobody hears of it the first time."""

    async def push(self, tree: PullTree, commit: Sha, *, copies: bool = False) -> list[BranchCommit]:
        pushed = await super().push(tree, commit, copies=copies)
        if copies:
            raise Transient("The connection broke.")
        return pushed


def _furnish(world: World) -> None:
    parts = world.parts
    assert parts.pulls is not None
    branches = LosesAnswers(world.home, source=parts.forge.source, workspaces=parts.workspaces, git=SafeGit())
    world.parts = replace(parts, pulls=replace(parts.pulls, branches=branches))


@pytest.fixture
async def github(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[GitHubOffice]:
    async with open_github_office(home, await connect(temporal), furnish=_furnish) as office:
        yield office
        await office.serving_stops()
        await end(office.world, request)


@pytest.mark.slow
async def test_all_commits_of_a_rebase_whose_answer_was_lost_are_known_as_ours(github: GitHubOffice) -> None:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    pull = github.olga.opens_pull(github.shop, "fix", "Spell the world")
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    rita = github.github.user("rita", role="write", on=github.shop)
    acts = [resolves({"greeting.txt": text}, threads=1) for text in ("Hello you\n", "Hello world\n")]
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, *acts)
    rita.remarks(pull, "greeting.txt", 1, "Whom?")
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect(lambda case: case.work.pushes == 1, "a push")
    rita.remarks(pull, "greeting.txt", 1, "All of it.")
    await session.expect(lambda case: case.work.pushes == 2, "a second push")
    base = github.olga.commits(github.shop, "main", {"other.txt": "More\n"}, "Go on")
    await session.says("rebase", BringUpToDate())
    rebased = await session.expect(lambda case: case.work.pushes == 3, "a third push")
    made = git_store.log(github.shop.path, f"{base}..{pull.head.sha}")
    assert {one.sha for one in made if one.author_email == "caseworker@localhost"} <= set(rebased.watch.pushed)
    assert len(made) == 3
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(pull.head.sha, {"unit": "success"})
    await session.expect_end(SessionEnd.READY)
