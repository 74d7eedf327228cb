"""Sessions in which agents work: threads answered, red checks repaired, conflicts solved, changes reviewed."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.people.commands import Say
from caseworker.core.pull.case import PauseCause, PullState, SessionEnd
from caseworker.core.pull.decide import READ_BEFORE
from caseworker.github_double import git_store
from caseworker.github_double.acts.review_acts import reply
from caseworker.github_double.entities.repository import PullRequest
from caseworker.ports import AgentFailed
from tests.world.agent import once
from tests.world.github import Person
from tests.world.github_office import GitHubOffice
from tests.world.github_pulls import NO_CHECKS, PullSession, asks_for
from tests.world.pull_agent import resolves, reviews_change
from tests.world.scripted_ci import ScriptedCi

S = PullState


def _pull(github: GitHubOffice, text: str = "Hello wolrd\n") -> PullRequest:
    github.olga.commits(github.shop, "fix", {"greeting.txt": text}, "Spell the world")
    return github.olga.opens_pull(github.shop, "fix", "Spell the world")


def _replies(pull: PullRequest) -> list[list[str]]:
    """Per thread, who wrote in it."""
    return [[comment.author.login for comment in thread.comments] for thread in pull.threads]


def _file(github: GitHubOffice, sha: str, path: str = "greeting.txt") -> str:
    return (git_store.read_blob(github.shop.path, f"{sha}:{path}") or b"").decode()


async def test_a_thread_is_answered_repaired_and_resolved_and_the_pull_request_is_ready(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves({"greeting.txt": "Hello world\n"}, threads=1))
    old = pull.head.sha
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_end(SessionEnd.READY)
    assert _file(github, pull.head.sha) == "Hello world\n"
    assert git_store.is_ancestor(github.shop.path, old, pull.head.sha)
    assert _replies(pull) == [["rita", "caseworker[bot]"]]
    assert [thread.resolved_by is not None for thread in pull.threads] == [True]
    body = await github.expect_tracking(pull.issue, "ship", "done")
    assert "Ready: a person can merge it." in body
    assert f"- pushed {pull.head.sha[:12]}; wrote in 1 thread, resolved 1" in body, "it tells what was done"


async def _disagrees_with_rita(github: GitHubOffice) -> tuple[PullSession, Person]:
    """A session that has answered a remark of Rita's as not valid, and waits for her."""
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Should it not be in French?")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves(threads=1, verdict="invalid"))
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_waiting_for("open_threads")
    return session, rita


@pytest.mark.slow
async def test_a_thread_that_is_not_valid_is_answered_once_and_stays_open(github: GitHubOffice) -> None:
    session, _ = await _disagrees_with_rita(github)
    waiting = await session.now()
    assert waiting.sight.verdict is not None
    assert waiting.sight.verdict.reasons[0].mover == "reviewer"
    assert _replies(session.pull) == [["rita", "caseworker[bot]"]]
    assert waiting.progress.turns == 1


async def test_the_late_event_of_a_comment_that_a_turn_has_read_asks_for_no_further_turn(github: GitHubOffice) -> None:
    session, rita = await _disagrees_with_rita(github)
    pull = session.pull
    [first, _] = pull.threads[0].comments
    await session.hears_late(first)
    await session.expect_outcome(f"late {first.id}", READ_BEFORE)
    assert ((await session.now()).progress.turns, _replies(pull)) == (1, [["rita", "caseworker[bot]"]])
    await session.hears_late(reply(github.github.state, rita.actor, pull.threads[0], body="French, please."))
    await session.expect(lambda case: case.progress.turns == 2, "a second turn")


async def test_a_red_check_is_repaired_and_read_back(github: GitHubOffice) -> None:
    pull = _pull(github)
    ci = ScriptedCi(github.github.state, github.shop, github.olga.actor, seconds=0)
    ci.runs(pull.head.sha, {"unit": "failure"}, log="FAILED tests/test_world.py::test_it - assert 1 == 0\n")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves({"greeting.txt": "Hello world\n"}))
    old = pull.head.sha
    soon = NO_CHECKS.model_copy(update={"checks_begin_seconds": 3})
    session = await asks_for(github, pull, "resolve", policy=soon)
    new = await session.expect_other_head(old)
    ci.runs(new, {"unit": "success"})
    ended = await session.expect_end(SessionEnd.DONE)
    assert ended.progress.turns == 1
    body = await github.expect_tracking(pull.issue, "resolve", "done")
    assert "It greets the world." in body


@pytest.mark.slow
async def test_a_resolve_run_with_something_outstanding_is_incomplete(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Which world?")
    answer = resolves(threads=1, verdict="needs_clarification", status="PARTIAL")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, answer)
    session = await asks_for(github, pull, "resolve", policy=NO_CHECKS)
    ended = await session.expect_end(SessionEnd.INCOMPLETE)
    assert "open threads" in ended.reason
    await github.expect_tracking(pull.issue, "resolve", "stopped early")


@pytest.mark.slow
async def test_a_conflict_is_solved_by_the_developer_and_pushed_as_a_merge(github: GitHubOffice) -> None:
    pull = _pull(github)
    theirs = github.olga.commits(github.shop, "main", {"greeting.txt": "Hello there\n"}, "Greet")
    old = pull.head.sha
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves({"greeting.txt": "Hello world\n"}))
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_end(SessionEnd.READY)
    head = git_store.commit(github.shop.path, pull.head.sha)
    assert set(head.parents) == {old, theirs}
    assert _file(github, pull.head.sha) == "Hello world\n"


@pytest.mark.slow
async def test_a_red_build_is_never_pushed(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Shorter, please.")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves({"greeting.txt": "Bye\n"}, threads=1))
    old = pull.head.sha
    session = await asks_for(github, pull, policy=NO_CHECKS)
    ended = await session.expect_end(SessionEnd.BLOCKED)
    assert (ended.session.block, ended.progress.turns, pull.head.sha) == ("build_stays_red", 3, old)
    assert _replies(pull) == [["rita"]]


@pytest.mark.slow
async def test_an_owners_words_reach_the_developer_and_get_an_answer(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Which world?")
    later = resolves(threads=1, verdict="needs_clarification", reply="Every world.")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, once(resolves(threads=1, verdict="invalid"), later))
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_waiting_for("open_threads")
    await session.says("Which worlds do you mean?", Say())
    await github.expect_said(pull.issue, "Every world.")


async def test_a_review_posts_each_finding_once_and_never_approves(github: GitHubOffice) -> None:
    pull = _pull(github)
    finding = {
        "file": "greeting.txt",
        "line": 1,
        "severity": "minor",
        "title": "The world is misspelt",
        "body": "It is spelt world.",
        "quote": "Hello wolrd",
    }
    github.world.agent.does(Role.TECH_LEAD, Task.REVIEW_PULL, reviews_change(finding))
    session = await asks_for(github, pull, "review", policy=NO_CHECKS)
    await session.expect_end(SessionEnd.DONE)
    assert _replies(pull) == [["caseworker[bot]"]]
    assert [review.state for review in pull.reviews] == ["COMMENTED"]
    body = await github.expect_tracking(pull.issue, "review", "done")
    assert "The world is misspelt" in body
    again = await asks_for(github, pull, "review", policy=NO_CHECKS)
    await again.expect(lambda case: case.session.end is SessionEnd.DONE and case.epoch == 2, "a second review")
    assert _replies(pull) == [["caseworker[bot]"]]


@pytest.mark.slow
async def test_a_budget_that_runs_out_pauses_the_session(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    broke = AgentFailed(why="budget", reason="the next model call could cost $1, which would pass the budget")
    answer = resolves({"greeting.txt": "Hello world\n"}, threads=1)
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, once(broke, answer))
    session = await asks_for(github, pull, policy=NO_CHECKS)
    paused = await session.expect_state(S.PAUSED)
    assert paused.session.pause is PauseCause.BUDGET
    await session.says("budget +5")
    await session.expect_end(SessionEnd.READY)
