"""What the case file says of a case that took more than one try."""

from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.record.entries import AttemptEnded
from tests.world.agent import answers, approved, reads_people, rejected, writes_greeting, wrote_test
from tests.world.project import git
from tests.world.world import World


@pytest.mark.slow
async def test_the_commit_keeps_the_developers_message_if_the_tester_wrote_last(world: World) -> None:
    def expects_too_much(workspace: Path) -> Outcome:
        outcome = wrote_test(workspace)
        (workspace / "tests" / "world.sh").write_text("grep -q '^Hello world!$' greeting.txt\n")
        return outcome

    blames_the_test = answers(Role.TESTER, Task.JUDGE, status="TESTS_NEED_WORK", summary="Nobody wants a mark.")
    world.agent.does(Role.TESTER, Task.CREATE_TESTS, expects_too_much)
    world.agent.does(Role.TESTER, Task.JUDGE, blames_the_test)
    case = await world.owner_files_issue()
    pull = await case.expect_pull_request()
    message = "Greet the world by its name\n\nIt was misspelt.\n\nIssue: The greeting misspells the world"
    assert git(world.repository, "log", "-1", "--format=%B", await case.branch()).strip() == message
    commit = (await case.stored()).file.commit
    assert (commit.message, commit.hash, commit.pushed) == (message, pull.head_sha, True)
    assert pull.title == "Greet the world by its name"
    assert "`greeting.txt`: the spelling" in pull.body


@pytest.mark.slow
async def test_the_writers_feedback_is_the_reviews_and_then_a_persons(world: World) -> None:
    senior = Role.SENIOR_DEVELOPER
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, rejected, approved)
    world.agent.does(senior, Task.FIX, writes_greeting("Hello world\n.\n"))
    world.agent.does(senior, Task.ADDRESS_FEEDBACK, writes_greeting("Hello world\n!\n", summary="A mark."))
    world.agent.does(Role.PM, Task.INTERPRET, reads_people())
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    writer = (await case.stored()).file.writer
    assert (writer.attempt, writer.previous_feedback) == (2, "greeting.txt, line 1: end it with a stop.")
    await case.person_says("End it with a mark instead.")
    later = await case.expect(lambda stored: stored.file.writer.summary == "A mark.", "the writer's turn")
    assert later.file.writer.previous_feedback == "ada: End it with a mark instead."
    done = await case.expect(lambda stored: stored.file.commit.completed, "the pull request again")
    assert (done.file.review.verdict, done.file.review.feedback_for_writer) == ("APPROVED", None)
    ended = [one.entry for one in await case.record() if isinstance(one.entry, AttemptEnded)]
    assert [(one.round, one.attempt, one.review.verdict) for one in ended] == [(1, 1, "REJECTED"), (1, 2, "APPROVED")]
