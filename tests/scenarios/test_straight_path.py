"""An issue case on its straight path to a merged pull request, and the ways in which it can end earlier."""

from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject
from caseworker.core.outcomes.outcome import Outcome
from caseworker.ports import AgentFailed
from tests.world.agent import approved, changes, implemented, rejected, wrote_test
from tests.world.project import git
from tests.world.world import World

S = IssueState
STRAIGHT = [
    S.ANALYZING_REQUIREMENTS,
    S.CREATING_TESTS,
    S.IMPLEMENTING,
    S.RUNNING_TESTS,
    S.REVIEWING_CODE,
    S.CREATING_PR,
    S.WAITING_FOR_HUMAN_INPUT,
]


async def test_an_issue_becomes_a_pull_request_and_is_completed_when_a_person_merges(world: World) -> None:
    case = await world.owner_files_issue()
    pull = await case.expect_pull_request()
    assert pull.title == "Greet the world by its name"
    assert await case.states() == STRAIGHT
    assert await case.file_on_branch("greeting.txt") == "Hello world"
    assert await case.runs() == ["implement succeeded"]
    await case.person_merges()
    stored = await case.expect_end(S.COMPLETED)
    assert await case.runs() == ["implement succeeded"]
    assert stored.file.pipeline.status == "completed"
    assert stored.file.commit.issue_closed


@pytest.mark.slow
async def test_the_case_file_is_filled_section_by_section(world: World) -> None:
    case = await world.owner_files_issue(body="It says wrold.")
    await case.expect_pull_request()
    file = (await case.stored()).file
    assert file.issue.original_body == "It says wrold."
    assert file.triage.should_proceed
    assert file.analysis.must_do == ["Greet the world."]
    assert file.writer.test_written
    assert file.writer.test_file == "tests/world.sh"
    assert file.build.tests_passed
    assert file.review.verdict == "APPROVED"
    assert file.commit.pr_created
    assert file.commit.branch == "agent/issue-1"
    assert file.pipeline.status == "blocked"
    copy = world.home / "issue-state.json"
    await case.expect(lambda stored: copy.read_text() == stored.file.dump(), "the copy for GitHub Actions")


@pytest.mark.slow
async def test_the_pull_request_shows_the_test_that_failed_before_and_passes_now(world: World) -> None:
    case = await world.owner_files_issue()
    pull = await case.expect_pull_request()
    red, green = pull.body.index("**Red first**"), pull.body.index("**Green after**")
    assert "`sh tests/world.sh` ended with exit code 1" in pull.body[red:green]
    assert "`sh tests/world.sh` ended with exit code 0" in pull.body[green:]
    assert "#1" not in pull.body, "a number of our own means another issue on a forge"


async def test_a_test_that_passes_without_the_fix_is_rewritten_then_a_person_is_asked(world: World) -> None:
    def wrote_an_empty_test(workspace: Path) -> Outcome:
        outcome = wrote_test(workspace)
        (workspace / "tests" / "world.sh").write_text("true\n")
        return outcome

    world.agent.does(Role.TESTER, Task.CREATE_TESTS, wrote_an_empty_test)
    world.agent.does(Role.TESTER, Task.UPDATE_TESTS, wrote_an_empty_test)
    case = await world.owner_files_issue()
    stored = await case.expect_asked_for(Subject.NO_RED_TEST)
    assert "passes without the fix" in stored.case.reason
    again = next(brief for brief in world.agent.briefs if brief.task is Task.UPDATE_TESTS)
    assert "does not fail without the fix" in again.prompt


async def test_a_rejected_review_leads_to_a_fix_before_anything_is_pushed(world: World) -> None:
    def repaired(workspace: Path) -> Outcome:
        (workspace / "greeting.txt").write_text("Hello world\nBye.\n")
        return changes("Greet the world and say goodbye")

    world.agent.does(Role.TECH_LEAD, Task.REVIEW, rejected, approved)
    world.agent.does(Role.SENIOR_DEVELOPER, Task.FIX, repaired)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert S.FIXING_ISSUES in await case.states()
    assert await case.file_on_branch("greeting.txt") == "Hello world\nBye."
    fix = next(brief for brief in world.agent.briefs if brief.task is Task.FIX)
    assert "end it with a stop" in fix.prompt


@pytest.mark.slow
async def test_a_turn_that_fails_for_good_fails_the_case_with_its_reason(world: World) -> None:
    failed = AgentFailed(reason="the answer was invalid twice", why="invalid_outcome")
    world.agent.does(Role.ANALYST, Task.ANALYZE, lambda _: failed)
    case = await world.owner_files_issue()
    stored = await case.expect_end(S.FAILED)
    assert "the answer was invalid twice" in stored.case.reason
    assert stored.file.pipeline.failure_reason == stored.case.reason


@pytest.mark.slow
async def test_a_crashed_turn_is_retried_from_the_same_commit(world: World) -> None:
    tries: list[str] = []

    def dies_once(workspace: Path) -> Outcome | AgentFailed:
        tries.append((workspace / "greeting.txt").read_text())
        if len(tries) == 1:
            (workspace / "greeting.txt").write_text("half an ed")
            (workspace / "stray.txt").write_text("left behind")
            return AgentFailed(reason="the process crashed", why="crashed", retry=True)
        return implemented(workspace)

    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, dies_once)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert tries == ["Hello wrold\n", "Hello wrold\n"]
    assert "stray.txt" not in git(world.repository, "ls-tree", "-r", "--name-only", await case.branch())


@pytest.mark.slow
async def test_two_cases_on_one_repository_do_not_affect_each_other(world: World) -> None:
    first = await world.owner_files_issue("The greeting misspells the world")
    second = await world.owner_files_issue("The greeting is still misspelt")
    await first.expect_pull_request()
    await second.expect_pull_request()
    assert {await first.branch(), await second.branch()} == {"agent/issue-1", "agent/issue-2"}
    for case in (first, second):
        names = git(world.repository, "diff", "--name-only", "main", await case.branch())
        assert names.split() == ["greeting.txt", "tests/world.sh"]


async def test_a_dirty_checkout_is_not_changed(world: World) -> None:
    (world.repository / "greeting.txt").write_text("my own work")
    (world.repository / "notes.txt").write_text("mine")
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert (world.repository / "greeting.txt").read_text() == "my own work"
    assert git(world.repository, "status", "--short").splitlines() == ["M greeting.txt", "?? notes.txt"]
    assert git(world.repository, "branch", "--show-current") == "main"
