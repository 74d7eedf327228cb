"""Sessions that meet what they can't repair: a red base, a fork, a usage limit of the model, a log of 20 MB."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.pull.case import PauseCause, PullState, SessionEnd
from caseworker.github_double import git_store
from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.repository_acts import fork_repository
from caseworker.github_double.entities.repository import PullRequest
from caseworker.ports import AgentFailed
from tests.world.agent import once
from tests.world.github_office import BOT, GitHubOffice
from tests.world.github_pulls import NO_CHECKS, asks_for
from tests.world.pull_agent import resolves
from tests.world.scripted_ci import ScriptedCi, long_log

FIX = {"greeting.txt": "Hello world\n"}


def _pull(github: GitHubOffice) -> PullRequest:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    return github.olga.opens_pull(github.shop, "fix", "Spell the world")


def _ci(github: GitHubOffice) -> ScriptedCi:
    return ScriptedCi(github.github.state, github.shop, github.olga.actor, seconds=0)


async def test_a_check_that_is_red_on_the_base_is_named_and_costs_no_turn(github: GitHubOffice) -> None:
    pull, ci = _pull(github), _ci(github)
    ci.runs(git_store.branches(github.shop.path)["main"], {"unit": "failure"}, event="push")
    ci.runs(pull.head.sha, {"unit": "failure"}, event="push")
    session = await asks_for(github, pull, policy=NO_CHECKS)
    ended = await session.expect_end(SessionEnd.BLOCKED)
    assert (ended.session.block, ended.progress.turns) == ("base_is_red", 0)
    assert ended.reason == "Red on the base as well, and not fixed here: unit."


@pytest.mark.slow
async def test_threads_of_a_fork_are_answered_and_nothing_is_pushed(github: GitHubOffice) -> None:
    fork = fork_repository(github.github.state, github.sam.actor, github.shop)
    head = github.sam.commits(fork, "fix", FIX, "Spell the world")
    pull = create_pull(
        github.github.state, github.sam.actor, github.shop, title="Spell", head="sam:fix", base="main", body=""
    )
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Which world?")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves(threads=1, verdict="needs_clarification"))
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_waiting_for("open_threads")
    assert [one.author.login for one in pull.threads[0].comments] == ["rita", BOT]
    assert git_store.branches(fork.path)["fix"] == head
    await github.expect(
        lambda: "in a fork, where Caseworker pushes nothing" in github.tracking(pull.issue)["ship"],
        "a note on the fork",
        pull.issue,
    )


@pytest.mark.slow
async def test_a_usage_limit_defers_the_session_until_it_is_lifted(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    limited = AgentFailed(why="quota", reason="the usage limit is reached", seconds=2)
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, once(limited, resolves(FIX, threads=1)))
    session = await asks_for(github, pull, policy=NO_CHECKS)
    paused = await session.expect_state(PullState.PAUSED)
    assert (paused.session.pause, paused.session.resume_at is not None) == (PauseCause.QUOTA, True)
    await session.expect_end(SessionEnd.READY)


@pytest.mark.slow
async def test_a_check_with_a_log_of_20_megabytes_is_repaired(github: GitHubOffice) -> None:
    pull, ci = _pull(github), _ci(github)
    ci.runs(pull.head.sha, {"unit": "failure"}, log=long_log(20_000_000))
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves(FIX))
    old = pull.head.sha
    soon = NO_CHECKS.model_copy(update={"checks_begin_seconds": 3})
    session = await asks_for(github, pull, policy=soon)
    ci.runs(await session.expect_other_head(old), {"unit": "success"})
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.progress.turns == 1
