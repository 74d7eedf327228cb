"""Models that lie about tests: code sees it, and nothing of it becomes a pull request without a person or a reason."""

from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from tests.world.agent import approved, implemented, wrote_test
from tests.world.world import World

S = IssueState
SWALLOWS = "test:\n\t@for t in tests/*.sh; do sh $$t || true; done\n"
FINDING = "The target `test` of `Makefile`, which decides how tests are run, was changed."


def claims_a_test(workspace: Path) -> Outcome:
    outcome = wrote_test(workspace)
    (workspace / "tests" / "world.sh").unlink()
    return outcome


def empties_the_test(workspace: Path) -> Outcome:
    outcome = implemented(workspace)
    (workspace / "tests" / "world.sh").write_text("true\n")
    return outcome


def swallows_exit_codes(workspace: Path) -> Outcome:
    outcome = implemented(workspace)
    (workspace / "Makefile").write_text(SWALLOWS)
    return outcome


def gives_its_reason(workspace: Path) -> Outcome:
    named = [{"number": 1, "reason": "All of them run now."}]
    return type(approved(workspace)).model_validate({**approved(workspace).model_dump(), "weakened": named})


async def test_a_test_that_was_never_written_is_not_red(world: World) -> None:
    world.agent.does(Role.TESTER, Task.CREATE_TESTS, claims_a_test)
    world.agent.does(Role.TESTER, Task.UPDATE_TESTS, claims_a_test)
    case = await world.owner_files_issue()
    await case.expect_asked_for(Subject.NO_RED_TEST)
    assert "no test file was added or changed" in (await case.told())[-1]
    assert S.IMPLEMENTING not in await case.states()


async def test_a_test_that_is_emptied_after_it_was_red_is_seen_red_again(world: World) -> None:
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, empties_the_test)
    case = await world.owner_files_issue()
    pull = await case.expect_pull_request()
    assert S.UPDATING_TESTS in await case.states()
    assert "its tests on the base's code: they prove nothing" in await case.story()
    assert "**Red first**: the tests of " in pull.body
    assert await case.file_on_branch("tests/world.sh") == "grep -q '^Hello world$' greeting.txt"


@pytest.mark.slow
async def test_a_test_that_stays_empty_needs_a_waiver(world: World) -> None:
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, empties_the_test)
    world.agent.does(Role.TESTER, Task.UPDATE_TESTS, empties_the_test_as_tester)
    case = await world.owner_files_issue()
    await case.expect_asked_for(Subject.NO_RED_TEST)
    assert "passes without the fix: it proves nothing" in (await case.told())[-1]


def empties_the_test_as_tester(workspace: Path) -> Outcome:
    outcome = wrote_test(workspace)
    (workspace / "tests" / "world.sh").write_text("true  # corrected\n")
    return outcome


@pytest.mark.slow
async def test_a_change_of_what_decides_needs_a_waiver_if_the_review_is_silent(world: World) -> None:
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, swallows_exit_codes)
    case = await world.owner_files_issue()
    await case.expect_asked_for(Subject.WEAKENED)
    assert FINDING in (await case.told())[-1]
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)
    pull = await case.expect_pull_request()
    assert f"- {FINDING} Waived by `ada`." in pull.body


@pytest.mark.slow
async def test_a_review_that_names_the_change_of_what_decides_lets_it_pass(world: World) -> None:
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, swallows_exit_codes)
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, gives_its_reason)
    case = await world.owner_files_issue()
    pull = await case.expect_pull_request()
    assert f"- {FINDING} The review: “All of them run now.”" in pull.body
    review = next(brief for brief in world.agent.briefs if brief.task is Task.REVIEW)
    assert f"1. {FINDING}" in review.prompt
