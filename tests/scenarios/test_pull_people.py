"""People decide while a session is under way: they close, merge, convert, retarget, force-push, or contradict."""

from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.commands import Stop
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.github_double import git_store
from caseworker.github_double.acts.pull_acts import edit_pull, set_auto_merge, set_draft
from caseworker.github_double.acts.queue_acts import enqueue
from caseworker.github_double.acts.repository_acts import add_ruleset, protect
from caseworker.github_double.acts.review_acts import reply
from caseworker.github_double.entities.protection import ReviewRule, Rule
from caseworker.github_double.entities.repository import PullRequest
from caseworker.ports import AgentFailed
from tests.world.github_office import BOT, GitHubOffice
from tests.world.github_pulls import NO_CHECKS, PullSession, asks_for
from tests.world.pull_agent import resolves
from tests.world.scripted_ci import ScriptedCi

FIX = {"greeting.txt": "Hello world\n"}


def _pull(github: GitHubOffice, text: str = "Hello world\n") -> PullRequest:
    github.olga.commits(github.shop, "fix", {"greeting.txt": text}, "Spell the world")
    return github.olga.opens_pull(github.shop, "fix", "Spell the world")


async def _waiting(github: GitHubOffice) -> PullSession:
    """A session that waits for the required check `unit`."""
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    session = await asks_for(github, pull)
    await session.expect_waiting_for("pending_checks")
    return session


@pytest.mark.slow
async def test_a_pull_request_that_is_closed_meanwhile_ends_the_session(github: GitHubOffice) -> None:
    session = await _waiting(github)
    github.olga.closes(session.pull.issue)
    await session.expect_end(SessionEnd.CLOSED)
    await github.expect_tracking(session.pull.issue, "ship", "stopped early")


@pytest.mark.slow
async def test_a_pull_request_that_is_merged_meanwhile_ends_the_session(github: GitHubOffice) -> None:
    session = await _waiting(github)
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(session.pull.head.sha, {"unit": "failure"})
    github.olga.merges(session.pull)
    await session.expect_end(SessionEnd.MERGED)


@pytest.mark.slow
async def test_a_pull_request_that_becomes_a_draft_meanwhile_is_left_to_its_author(github: GitHubOffice) -> None:
    session = await _waiting(github)
    set_draft(github.github.state, github.olga.actor, session.pull, is_draft=True)
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(session.pull.head.sha, {"unit": "success"})
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.reason == "Only people are left: draft."


@pytest.mark.slow
async def test_another_base_has_its_own_rules(github: GitHubOffice) -> None:
    session = await _waiting(github)
    github.olga.commits(github.shop, "next", {"next.txt": "Next\n"}, "Begin what is next")
    protect(github.github.state, github.olga.actor, github.shop, "next", checks=["lint"])
    ScriptedCi(github.github.state, github.shop, github.olga.actor).runs(session.pull.head.sha, {"lint": "success"})
    edit_pull(github.github.state, github.olga.actor, session.pull, base="next")
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.sight.base_branch == "next"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["auto_merge", "merge_queue"])
async def test_auto_merge_or_merge_queue_ends_the_session(github: GitHubOffice, how: str) -> None:
    state, olga = github.github.state, github.olga.actor
    if how == "auto_merge":
        session = await _waiting(github)
        set_auto_merge(state, olga, session.pull, "merge")
    else:
        add_ruleset(state, olga, github.shop, "queue", [Rule(type="merge_queue")], include=("refs/heads/main",))
        session = await _waiting(github)
        ScriptedCi(state, github.shop, olga).runs(session.pull.head.sha, {"unit": "success"})
        enqueue(state, olga, session.pull)
    ended = await session.expect_end(SessionEnd.TAKEN_OVER)
    assert "olga has" in ended.reason


@pytest.mark.slow
async def test_a_force_push_in_the_middle_of_a_turn_drops_the_turns_work(github: GitHubOffice) -> None:
    pull = _pull(github, "Hello wolrd\n")
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    main = git_store.branches(github.shop.path)["main"]
    theirs: list[str] = []

    def works(workspace: Path) -> Outcome | AgentFailed:
        rita.force_pushes(github.shop, "fix", main)
        theirs.append(rita.commits(github.shop, "fix", {"greeting.txt": "Hello, world\n"}, "Begin again"))
        return resolves(FIX, threads=1)(workspace)

    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, works)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await session.expect_end(SessionEnd.TAKEN_OVER)
    assert git_store.branches(github.shop.path)["fix"] == theirs[0]
    assert [one.author.login for one in pull.threads[0].comments] == ["rita"]


async def test_the_push_of_a_person_stops_a_turn_that_is_under_way(github: GitHubOffice) -> None:
    pull = _pull(github, "Hello wolrd\n")
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves(FIX, threads=1))
    github.world.agent.holds_in(Task.RESOLVE_PULL)  # for ever
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await github.world.agent.reached(Task.RESOLVE_PULL)
    await session.rings()  # news that is no push stops nothing
    rita.commits(github.shop, "fix", {"greeting.txt": "Hello, world\n"}, "A comma")
    ended = await session.expect_end(SessionEnd.TAKEN_OVER)
    assert (github.world.agent.stopped, ended.progress.turns) == ([Role.DEVELOPER], 0)


async def test_a_person_stops_a_turn_that_is_under_way(github: GitHubOffice) -> None:
    pull = _pull(github, "Hello wolrd\n")
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "It is spelt world.")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, resolves(FIX, threads=1))
    github.world.agent.holds_in(Task.RESOLVE_PULL)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    await github.world.agent.reached(Task.RESOLVE_PULL)
    await session.says("stop", Stop())
    await session.expect_state(PullState.PAUSED)
    assert github.world.agent.stopped == [Role.DEVELOPER]


@pytest.mark.slow
async def test_two_reviewers_who_contradict_each_other_are_both_answered_and_decide(github: GitHubOffice) -> None:
    pull = _pull(github, "Hello wolrd\n")
    rita = github.github.user("rita", role="write", on=github.shop)
    tom = github.github.user("tom", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Greet the world.")
    tom.remarks(pull, "greeting.txt", 1, "Do not greet the world.")
    answer = resolves(threads=2, verdict="needs_clarification")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, answer)
    old = pull.head.sha
    session = await asks_for(github, pull, policy=NO_CHECKS)
    waiting = await session.expect_waiting_for("open_threads")
    assert [[one.author.login for one in thread.comments] for thread in pull.threads] == [["rita", BOT], ["tom", BOT]]
    assert waiting.sight.verdict is not None
    [reason] = waiting.sight.verdict.reasons
    assert (reason.mover, set(reason.names), pull.head.sha) == ("reviewer", {"rita", "tom"}, old)


@pytest.mark.slow
async def test_a_thread_that_an_owner_will_not_fix_is_not_fixed_and_left_to_its_reviewer(github: GitHubOffice) -> None:
    pull = _pull(github)
    rita = github.github.user("rita", role="write", on=github.shop)
    rita.remarks(pull, "greeting.txt", 1, "Should it not be in French?")
    reply(github.github.state, github.olga.actor, pull.threads[0], body="Won't fix: we greet in English.")
    answer = resolves(threads=1, verdict="invalid")
    github.world.agent.does(Role.DEVELOPER, Task.RESOLVE_PULL, answer)
    old = pull.head.sha
    session = await asks_for(github, pull, policy=NO_CHECKS)
    waiting = await session.expect_waiting_for("open_threads")
    assert waiting.progress.turns <= 1
    assert (pull.head.sha, pull.threads[0].resolved_by) == (old, None)


async def test_a_required_review_is_left_to_people_and_named(github: GitHubOffice) -> None:
    pull = _pull(github)
    reviews = ReviewRule(approvals=1)
    protect(github.github.state, github.olga.actor, github.shop, "main", reviews=reviews)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.reason == "Only people are left: review required."


@pytest.mark.slow
async def test_a_draft_is_left_to_its_author(github: GitHubOffice) -> None:
    pull = _pull(github)
    set_draft(github.github.state, github.olga.actor, pull, is_draft=True)
    session = await asks_for(github, pull, policy=NO_CHECKS)
    ended = await session.expect_end(SessionEnd.READY)
    assert ended.reason == "Only people are left: draft."


@pytest.mark.slow
async def test_a_session_ends_at_its_deadline(github: GitHubOffice) -> None:
    pull = _pull(github)
    protect(github.github.state, github.olga.actor, github.shop, "main", checks=["unit"])
    session = await asks_for(github, pull, policy=NO_CHECKS.model_copy(update={"ship_seconds": 1.0}))
    await session.expect_end(SessionEnd.DEADLINE)
    await github.expect_tracking(pull.issue, "ship", "stopped early")
