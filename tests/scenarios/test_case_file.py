"""What the case file says of a case that took more than one try."""

from pathlib import Path

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from tests.world.agent import answers, wrote_test
from tests.world.project import git
from tests.world.world import World


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
    message = "Greet the world by its name\n\nIt was misspelt.\n\nFixes #1"
    assert git(world.repository, "log", "-1", "--format=%B", await case.branch()).strip() == message
    commit = (await case.stored()).file.commit
    assert (commit.message, commit.hash, commit.pushed) == (message, pull.head_sha, True)
    assert pull.title == "Greet the world by its name"
    assert "`greeting.txt`: the spelling" in pull.body
