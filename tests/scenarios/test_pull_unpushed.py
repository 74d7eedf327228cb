"""Work of a session that stops before it has pushed: it is kept on a branch of ours, and people are told where."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.people.commands import Stop
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.github_double import git_store
from caseworker.github_double.entities.repository import PullRequest
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import NO_CHECKS, asks_for
from tests.world.pull_agent import resolves

S = PullState
NOT_BUILDING = {"greeting.txt": "Bye\n"}


def _pull_with_thread(github: GitHubOffice) -> PullRequest:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    pull = github.olga.opens_pull(github.shop, "fix", "Spell the world")
    github.github.user("rita", role="write", on=github.shop).remarks(pull, "greeting.txt", 1, "Shorter, please.")
    return pull


def _beside(github: GitHubOffice, pull: PullRequest) -> dict[str, str]:
    """Branches of ours with work on the pull request, and what their greeting is."""
    prefix = f"agent/pull-{pull.issue.number}-"
    names = [name for name in git_store.branches(github.shop.path) if name.startswith(prefix)]
    return {name: (git_store.read_blob(github.shop.path, f"{name}:greeting.txt") or b"").decode() for name in names}


@pytest.mark.slow
async def test_the_unpushed_work_of_a_blocked_session_is_kept_on_a_branch_of_ours(github: GitHubOffice) -> None:
    pull = _pull_with_thread(github)
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves(NOT_BUILDING, threads=1))
    old = pull.head.sha
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_end(SessionEnd.BLOCKED)
    await session.expect(lambda case: bool(case.rest.kept_on), "kept work")
    [(branch, greeting)] = _beside(github, pull).items()
    assert (greeting, pull.head.sha) == ("Bye\n", old)
    assert git_store.is_ancestor(github.shop.path, old, git_store.branches(github.shop.path)[branch])
    take = f"`git fetch origin {branch} && git merge FETCH_HEAD`"
    told = f"> Work that was not pushed to `fix` is on `{branch}`. To take it, on your copy of the branch: {take}"
    await github.expect(lambda: told in github.tracking(pull.issue)["ship"], told, pull.issue)
    await github.expect_said(pull.issue, take)


@pytest.mark.slow
async def test_the_unpushed_work_of_a_stopped_session_is_kept_and_done_again_after_it(github: GitHubOffice) -> None:
    pull = _pull_with_thread(github)
    first, second = resolves(NOT_BUILDING, threads=1), resolves({"greeting.txt": "Hello\n"}, threads=1)
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, first, second)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect(lambda case: case.work.red_builds == 1, "a red build")
    await session.says("stop", Stop())
    paused = await session.expect(lambda case: case.state is S.PAUSED and bool(case.rest.kept_on), "kept work")
    assert list(_beside(github, pull)) == [paused.rest.kept_on]
    await github.expect_said(pull.issue, f"git fetch origin {paused.rest.kept_on}")
    await session.says("resume")
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.rest.unpushed is None
