"""An issue case on our own GitHub with real CI: from the issue to a pull request whose checks have ended."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.check_verdict import Stand
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.forges.forge_choice import make_choice
from caseworker.forges.github.connect import connect as connect_github
from caseworker.forges.github.forge import make_github_forge
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.github_double.ci.listener import run_ci
from caseworker.github_double.entities.repository import Repository
from caseworker.ports import NewIssue, StoredCase
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.github_shop import FAST
from tests.scenarios.conftest import end
from tests.world.agent import approved, changes
from tests.world.github import GitHubWorld
from tests.world.world import CaseInWorld, World, open_world

S = IssueState
WORKFLOW = """\
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
FILES = {
    "greeting.txt": "Hello wrold\n",
    "tests/hello.sh": "grep -q ^Hello greeting.txt\n",
    "Makefile": "test:\n\t@set -e; for t in tests/*.sh; do echo $$t; sh $$t; done\n",
    ".github/workflows/ci.yml": WORKFLOW,
}
POLICY = Policy(turn_retries=1, checks_look_seconds=0.5, checks_settle_seconds=1)


@dataclass
class Stage:
    world: World
    github: GitHubWorld
    repository: Repository
    ref: RemoteRepository

    async def owner_files_issue(self) -> CaseInWorld:
        store = self.world.store
        repository = await store.repositories.register(self.ref)
        issue = await store.repositories.new_issue(
            repository, NewIssue(title="The greeting misspells the world", body="")
        )
        opened = await self.world.new_cases.open_case(issue, policy=POLICY, rehearsal=None, author="olga")
        self.world.cases.append(opened.case)
        return CaseInWorld(self.world, opened.case)

    def was_limited(self) -> bool:
        return any(entry.status == 403 for entry in self.github.double.log.entries)

    def checks(self) -> list[tuple[str, str | None]]:
        """Name and conclusion of each check run of the repository, oldest first."""
        runs = self.repository.records.workflow_runs
        return [(job.check_run.name, job.check_run.conclusion) for run in runs for job in run.jobs]


@asynccontextmanager
async def staged(world: World, folder: Path, files: dict[str, str]) -> AsyncIterator[Stage]:
    """The world's workers, with a GitHub that has one repository, our App and real CI."""
    github = GitHubWorld(folder)
    olga = github.user("olga")
    shop = github.repository(olga, "shop", files)
    app, key = github.app(olga)
    github.installed(app, shop)
    async with AsyncExitStack() as stack:
        double = await stack.enter_async_context(github.double.serving())
        await stack.enter_async_context(run_ci(github.state))
        api = connect_github(GitHubAccess(api_url=double.state.api_url, app_id=str(app.id), app_private_key=key))
        remote = make_github_forge(api, world.store, SafeGit(), pace=FAST)
        forge = make_choice(local=world.parts.forge, remote=remote, repositories=world.store.repositories)
        workspaces = GitWorkspaces(world.home, source=forge.source)
        await world.worker_stops()
        world.parts = replace(world.parts, forge=forge, workspaces=workspaces)
        await world.worker_starts()
        yield Stage(world, github, shop, RemoteRepository(host=api.address.host, owner="olga", name="shop"))


def stands(wanted: Stand) -> "Stands":
    return Stands(wanted)


@dataclass(frozen=True)
class Stands:
    wanted: Stand

    def __call__(self, stored: StoredCase) -> bool:
        checks = stored.case.delivery.checks
        return checks is not None and checks.stands == self.wanted


@pytest.fixture
async def world(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with open_world(home, await connect(temporal)) as world:
        yield world
        await end(world, request)


async def test_an_issue_becomes_a_pull_request_with_green_checks(world: World, tmp_path: Path) -> None:
    async with staged(world, tmp_path / "github", FILES) as stage:
        case = await stage.owner_files_issue()
        await case.expect(stands("green"), "green checks")
        assert stage.checks() == [("test", "success")]
        assert (await case.states())[-1] is S.WAITING_FOR_HUMAN_INPUT
        assert await case.runs() == ["implement succeeded"]
        await case.expect_story("Pull request 1 has green checks. A person merges it.")


@pytest.mark.slow
async def test_a_red_check_goes_back_to_the_developer_until_it_is_green(world: World, tmp_path: Path) -> None:
    def says_goodbye(workspace: Path) -> Outcome:
        (workspace / "greeting.txt").write_text("Hello world\nBye.\n")
        return changes("Say goodbye")

    world.agent.does(Role.DEVELOPER, Task.FIX, says_goodbye)
    strict = {**FILES, "strict": "", ".github/workflows/ci.yml": WORKFLOW}
    async with staged(world, tmp_path / "github", strict) as stage:
        case = await stage.owner_files_issue()
        await case.expect(stands("green"), "green checks after a fix")
        assert stage.checks() == [("test", "failure"), ("test", "success")]
        fix = next(brief for brief in world.agent.briefs if brief.task is Task.FIX)
        assert "The check `test` failed on the pull request" in fix.prompt
        assert "error: the greeting says no goodbye" in fix.prompt
        assert (await case.stored()).case.limits.attempt == 2
        assert await case.runs() == ["implement succeeded"]


@pytest.mark.slow
async def test_a_rate_limit_is_waited_for_without_an_activity_and_people_are_heard(
    world: World, tmp_path: Path
) -> None:
    async with staged(world, tmp_path / "github", FILES) as stage:

        def approves_as_the_limit_is_reached(workspace: Path) -> Outcome:
            stage.github.double.limits.refuse_next(retry_after=3_600)
            return approved(workspace)

        world.agent.does(Role.TECH_LEAD, Task.REVIEW, approves_as_the_limit_is_reached)
        case = await stage.owner_files_issue()
        await case.expect(lambda _: stage.was_limited(), "the rate limit")
        await world.expect_nothing_under_way(case.id)
        await case.person_closes()
        await case.expect_end(S.CLOSED)
        assert stage.repository.pulls == {}
