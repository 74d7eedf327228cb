"""Requirements that turn out to be missing late, and the place of a defect that a triage names."""

from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.record.entries import BuildRan
from tests.world.agent import Act, answers, approved, implemented, reviews, wrote_test
from tests.world.world import CaseInWorld, World

S = IssueState


def wrote_test_of_the_end(workspace: Path) -> Outcome:
    """Adds a second test, which the first change already satisfies."""
    written = wrote_test(workspace)
    (workspace / "tests" / "end.sh").write_text("grep -q 'world$' greeting.txt\n")
    return written.model_copy(update={"test_file": "tests/end.sh", "test_command": "sh tests/end.sh"})


def names_defect(path: str, line: int) -> Act:
    place = {"path": path, "line": line, "problem": "It is misspelt.", "expected": "Greet the world."}
    small = {"type": "BUG_FIX", "scope": "SMALL", "complexity": "simple", "reason": "It is misspelt."}
    return answers(Role.PM, Task.TRIAGE, status="PROCEED", defect=place, **small)


async def red_builds(case: CaseInWorld) -> list[BuildRan]:
    entries = [recorded.entry for recorded in await case.record()]
    return [entry for entry in entries if isinstance(entry, BuildRan) and entry.stage == "red"]


@pytest.mark.slow
async def test_after_a_late_gap_the_new_test_fails_on_the_base_not_on_the_change(world: World) -> None:
    world.agent.does(Role.TECH_LEAD, Task.REVIEW, reviews("REQUIREMENT_GAP", "How does it end?"), approved)
    world.agent.does(Role.TESTER, Task.CREATE_TESTS, wrote_test, wrote_test_of_the_end)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    first, second = await red_builds(case)
    assert (first.verdict, second.verdict) == ("red", "red")
    assert [run.command for run in second.runs][-1] == "sh tests/end.sh"
    assert await case.file_on_branch("greeting.txt") == "Hello world"
    assert S.UPDATING_TESTS not in await case.states()


@pytest.mark.slow
async def test_after_a_late_gap_a_test_that_passes_on_the_base_proves_nothing(world: World) -> None:
    def empty_test(workspace: Path) -> Outcome:
        written = wrote_test_of_the_end(workspace)
        (workspace / "tests" / "end.sh").write_text("grep -q Hello greeting.txt\n")
        return written

    world.agent.does(Role.TECH_LEAD, Task.REVIEW, reviews("REQUIREMENT_GAP", "How does it end?"), approved)
    world.agent.does(Role.TESTER, Task.CREATE_TESTS, wrote_test, empty_test)
    world.agent.does(Role.TESTER, Task.UPDATE_TESTS, wrote_test_of_the_end)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert [build.verdict for build in await red_builds(case)] == ["red", "green", "red"]


async def test_a_defect_at_a_line_of_the_base_needs_no_analysis(world: World) -> None:
    world.agent.does(Role.PM, Task.TRIAGE, names_defect("./greeting.txt", 1))
    case = await world.owner_files_issue()
    stored = await case.expect_state(S.CREATING_TESTS)
    assert S.ANALYZING_REQUIREMENTS not in await case.states()
    assert [file.path for file in stored.file.analysis.files] == ["greeting.txt"]


@pytest.mark.slow
async def test_a_defect_at_a_line_that_does_not_exist_does_not_count(world: World) -> None:
    world.agent.does(Role.PM, Task.TRIAGE, names_defect("greeting.txt", 2))
    world.agent.does(Role.DEVELOPER, Task.IMPLEMENT, implemented)
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    assert S.ANALYZING_REQUIREMENTS in await case.states()
    assert (
        "The triage names a defect at greeting.txt:2, which does not count: `greeting.txt` has 1 lines, not 2. "
        "The analyst looks for it." in await case.story()
    )
