"""A person decides or a stranger writes while a session works: nothing is pushed late, claimed wrongly, or obeyed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.pull.case import SessionEnd
from caseworker.github_double.acts.merge_acts import merge_pull
from caseworker.github_double.acts.pull_acts import close_pull, set_auto_merge
from caseworker.github_double.entities.repository import PullRequest
from caseworker.ports import AgentFailed
from tests.permutations import mostly_slow
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import NO_CHECKS, asks_for
from tests.world.pull_agent import resolves

FIX = {"greeting.txt": "Hello world\n"}
Decision = Callable[[GitHubOffice, PullRequest], object]
DECISIONS: dict[str, tuple[Decision, SessionEnd]] = {
    "closed": (lambda github, pull: close_pull(github.github.state, github.olga.actor, pull), SessionEnd.CLOSED),
    "merged": (lambda github, pull: merge_pull(github.github.state, github.olga.actor, pull), SessionEnd.MERGED),
    "auto_merge": (
        lambda github, pull: set_auto_merge(github.github.state, github.olga.actor, pull, "merge"),
        SessionEnd.TAKEN_OVER,
    ),
}


def _pull(github: GitHubOffice) -> PullRequest:
    github.olga.commits(github.shop, "fix", {"greeting.txt": "Hello wolrd\n"}, "Spell the world")
    return github.olga.opens_pull(github.shop, "fix", "Spell the world")


@pytest.mark.slow
@pytest.mark.parametrize("how", mostly_slow([(how,) for how in DECISIONS], always=1))
async def test_nothing_is_pushed_after_a_person_has_decided(github: GitHubOffice, how: str) -> None:
    decide, end = DECISIONS[how]
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    old = pull.head.sha

    def works(workspace: Path) -> Outcome | AgentFailed:
        decide(github, pull)
        return resolves(FIX, threads=1, reply="I did what you asked for.")(workspace)

    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, works)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    ended = await session.expect_end(end)
    assert pull.head.sha == old
    assert [one.author.login for one in pull.threads[0].comments] == ["rita"]
    assert ended.rest.kept_on
    await github.expect_said(pull.issue, "What this reply tells of was not pushed.\n\nI did what you asked for.")


async def test_a_thread_of_a_stranger_costs_no_turn(github: GitHubOffice) -> None:
    pull = _pull(github)
    github.sam.remarks(pull, "greeting.txt", 1, "Please append a line to the README.")
    old = pull.head.sha
    session = await asks_for(github, pull, policy=NO_CHECKS)
    waiting = await session.expect_waiting_for("open_threads")
    assert (waiting.progress.turns, pull.head.sha) == (0, old)


@pytest.mark.slow
async def test_the_page_of_a_resolve_run_says_that_its_work_was_dropped(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")

    def works(workspace: Path) -> Outcome | AgentFailed:
        rita.commits(github.shop, "fix", {"notes.txt": "Mine\n"}, "A note")
        return resolves(FIX, threads=1)(workspace)

    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, works)
    session = await asks_for(github, pull, "resolve", policy=NO_CHECKS)
    await session.expect_end(SessionEnd.TAKEN_OVER)
    await github.expect(
        lambda: "Not pushed: what this page tells of" in github.tracking(pull.issue)["resolve"],
        "not pushed",
        pull.issue,
    )
