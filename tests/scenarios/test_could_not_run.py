"""A repository whose tests can't be run: the case stops before money is spent, and says what to do."""

import pytest

from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import MessageKind
from tests.world.project import git
from tests.world.world import World

MAKEFILE = "test:\n\tno-such-runner tests\n"
TOLD = (
    "`make test` could not be run: there is no `no-such-runner`. Install `no-such-runner` where Caseworker runs (a "
    "tool outside of the system's folders is shown to builds with `expose` in caseworker.toml), or add a command that "
    "installs it as `setup` under `[commands]` in `.caseworker.toml`, on the base branch. `caseworker retry "
    "project/1` builds again then. To go on without running them: `caseworker approve project/1`; whoever "
    "merges is told so, with your name."
)


def lacks_its_runner(world: World) -> str:
    """Breaks the project's test command. Returns the Makefile as it was."""
    works = (world.repository / "Makefile").read_text()
    commits(world, MAKEFILE)
    return works


def commits(world: World, makefile: str) -> None:
    (world.repository / "Makefile").write_text(makefile)
    git(world.repository, "commit", "--quiet", "--all", "--message", "Test another way")


async def test_missing_tests_stop_a_case_before_its_first_turn_until_retry(world: World) -> None:
    works = lacks_its_runner(world)
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.CURE)
    assert await case.told() == [TOLD]
    assert world.agent.briefs == []
    commits(world, works)
    await case.person_says("", kind=MessageKind.RETRY)
    await case.expect_waiting(WaitingFor.MERGE)
    assert "Green after" in (await case.expect_pull_request()).body


@pytest.mark.slow
async def test_words_build_again_and_are_read_once_tests_can_be_run(world: World) -> None:
    works = lacks_its_runner(world)
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.CURE)
    await case.person_says("is it there now?")
    await case.expect_receipts(*2 * ["seen: kept: the tests can't be run yet, and the next turn reads it"])
    await case.expect_waiting(WaitingFor.CURE)
    assert world.agent.briefs == []
    commits(world, works)
    await case.person_says("now it is")
    await case.expect_waiting(WaitingFor.MERGE)
    assert "is it there now?" in world.agent.briefs[0].prompt
    assert "now it is" in world.agent.briefs[0].prompt


@pytest.mark.slow
async def test_a_person_goes_on_without_tests_and_the_pull_request_says_so(world: World) -> None:
    lacks_its_runner(world)
    case = await world.owner_files_issue()
    await case.expect_asked_for(Subject.NOT_RUN)
    await case.person_approves()
    await case.expect_waiting(WaitingFor.MERGE)
    pull = await case.expect_pull_request()
    assert "**Could not run**: nothing was tested, with or without the change: `make test` could not" in pull.body
    assert "Waived by `ada`: tests that could not be run" in pull.body
    assert "Green after" not in pull.body
