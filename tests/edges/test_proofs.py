"""A liar's tests on real git, real runners and the store: what counts as red, and what a head's tests prove."""

import shutil
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.issue.builds import Building
from caseworker.contract.wire import BuildReply, BuildRequest
from caseworker.core.base.ids import CaseId, Sha, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.pm import IssueType
from caseworker.ports import NewIssue, Workspace
from caseworker.store.store import open_store
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.sandbox import Unconfined
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import local_workspaces, new_repository
from tests.edges.store_examples import TRACE, said
from tests.permutations import mostly_slow

BUGGY, FIXED = "def total(a, b):\n    return a - b\n", "def total(a, b):\n    return a + b\n"
OLD = "from cart import total\n\ndef test_zero():\n    assert total(0, 0) == 0\n"
NEW = f"{OLD}\ndef test_total():\n    assert total(1, 2) == 3\n"
VACUOUS = f"{OLD}\ndef test_total():\n    assert True\n"
SKIPPED = NEW.replace("def test_total", "import pytest\n@pytest.mark.skip\ndef test_total")
INVENTED = "def test_members():\n    from cart import members\n    assert members() == 2\n"
PYTEST = f"{sys.executable} -m pytest -q"
COMMAND = f"{PYTEST} tests/test_cart.py"
TEST, CODE = "tests/test_cart.py", "cart.py"


@dataclass(kw_only=True)
class Desk:
    workspaces: GitWorkspaces
    building: Building
    case: IssueCase
    workspace: Workspace
    numbers: int = 0

    async def commits(self, **files: str) -> Sha:
        await self.workspaces.reset(self.workspace, self.workspace.base, scrub=True)
        for name, text in files.items():
            (self.workspace.path / {"code": CODE, "test": TEST}.get(name, name)).write_text(text)
        self.numbers += 1
        name = f"turn-{self.numbers}-1"
        return await self.workspaces.commit(self.workspace, "Work", parent=self.workspace.base, name=name)

    async def build(self, stage: Stage, **files: str) -> BuildReply:
        commit = await self.commits(**files)
        if stage is Stage.RED:
            self.case = self.case.updated(tests=commit)
        request = BuildRequest(case=self.case, number=self.numbers, stage=stage, commit=commit, policy=Policy())
        return await ActivityEnvironment().run(self.building.run_build, request)

    async def red(self, **files: str) -> BuildReply:
        reply = await self.build(Stage.RED, **files)
        self.case = self.case.updated(red=reply.verdict == "red", red_tests=reply.red_tests)
        return reply


@pytest.fixture
async def desk(tmp_path: Path, migrated_file: Path) -> AsyncIterator[Desk]:
    shutil.copy(migrated_file, tmp_path / "caseworker.db")
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    settings = f'[commands]\ntest = "{PYTEST}"\n'
    files = {CODE: BUGGY, TEST: OLD, "tests/__init__.py": "", "conftest.py": "", ".caseworker.toml": settings}
    repository = new_repository(tmp_path / "shop", files)
    issue = await store.repositories.new_issue(
        await store.repositories.register(repository.ref), NewIssue(title="It is broken", body="Very.")
    )
    id: CaseId = issue_case(issue.repository, issue.number)
    await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(id))
    workspaces = local_workspaces(tmp_path / "home")
    workspace = await workspaces.prepare(id, repository.ref, None)
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    builder = SandboxedBuilder(Unconfined(tmp_path / "unconfined"), environment=plain)
    known = {"base": workspace.base, "new_test": COMMAND, "issue_type": IssueType.BUG_FIX}
    try:
        yield Desk(
            workspaces=workspaces,
            building=Building(store=store, workspaces=workspaces, builder=builder),
            case=IssueCase(id=id).updated(**known),
            workspace=workspace,
        )
    finally:
        await store.close()


async def test_a_test_that_fails_without_the_change_is_red_by_name(desk: Desk) -> None:
    reply = await desk.red(test=NEW)
    assert (reply.verdict, reply.red_tests) == ("red", ("tests.test_cart.test_total",))
    assert reply.reason.startswith("`tests.test_cart.test_total` failed without the fix: ")


LIES: list[tuple[str, dict[str, str], str, str]] = [
    ("no test", {"notes.txt": "I wrote a test."}, COMMAND, "no test file was added or changed"),
    ("a vacuous test", {"test": VACUOUS}, COMMAND, "passes without the fix: it proves nothing"),
    ("a skipped test alone", {"test": SKIPPED.replace("_zero", "_zero_")}, f"{COMMAND}::test_total", "are skipped"),
    ("a test that is not collected", {"test": f"{OLD}import nothing_here\n"}, COMMAND, "lacks the name `nothing_here`"),
    ("a test of an invented name", {"test": INVENTED}, COMMAND, "lacks the name `members`"),
    ("a test that is not there", {"test": NEW}, f"{COMMAND}::test_other", "tested nothing"),
    ("a command that always fails", {"test": VACUOUS}, "exit 1", "failed before the new test in the same way"),
    ("a missing command", {"test": NEW}, "pytset tests", "there is no such command"),
    ("a fixture that is not there", {"test": f"{OLD}\ndef test_total(nothing): pass\n"}, COMMAND, "could not be run"),
]


@pytest.mark.parametrize(
    ("files", "command", "reason"),
    mostly_slow([lie[1:] for lie in LIES], always=2, ids=[lie[0] for lie in LIES]),
)
async def test_what_did_not_run_and_fail_is_not_red(
    desk: Desk, files: dict[str, str], command: str, reason: str
) -> None:
    desk.case = desk.case.updated(new_test=command)
    reply = await desk.red(**files)
    assert reply.verdict in ("green", "not_run")
    assert reason in reply.reason


async def test_a_head_whose_tests_fail_on_the_base_is_proved(desk: Desk) -> None:
    await desk.red(test=NEW)
    reply = await desk.build(Stage.HEAD, test=NEW, code=FIXED)
    assert (reply.verdict, reply.unproved, reply.change.weakened) == ("green", "", ())


@pytest.mark.slow
async def test_a_test_that_is_made_vacuous_after_it_was_red_proves_nothing(desk: Desk) -> None:
    await desk.red(test=NEW)
    reply = await desk.build(Stage.HEAD, test=VACUOUS, code=BUGGY + "\n# fixed\n")
    assert (reply.verdict, reply.unproved) == ("green", f"`{COMMAND}` passes without the fix: it proves nothing")


@pytest.mark.slow
async def test_a_second_test_does_not_stand_in_for_the_one_that_was_red(desk: Desk) -> None:
    await desk.red(test=NEW)
    other = f"{VACUOUS}\ndef test_more():\n    assert total(2, 2) == 4\n"
    reply = await desk.build(Stage.HEAD, test=other, code=FIXED)
    assert reply.unproved == (
        "`tests.test_cart.test_total` was changed after it was seen to fail, and no longer fails without the change"
    )


@pytest.mark.slow
async def test_a_red_test_that_is_skipped_or_deleted_on_the_head_is_red(desk: Desk) -> None:
    await desk.red(test=NEW)
    for test in (SKIPPED, OLD):
        reply = await desk.build(Stage.HEAD, test=test, code=BUGGY + "\n# fixed\n")
        told = "`tests.test_cart.test_total` was seen to fail without the change, and was not run on it"
        assert (reply.verdict, reply.reason) == ("red", told)
        assert any("test_total" in one for one in reply.change.weakened)


@pytest.mark.slow
async def test_a_feature_is_red_by_a_name_that_the_change_then_provides(desk: Desk) -> None:
    desk.case = desk.case.updated(issue_type=IssueType.NEW_FEATURE)
    assert (await desk.red(test=INVENTED)).verdict == "red"
    provided = await desk.build(Stage.HEAD, test=INVENTED, code=f"{BUGGY}\ndef members():\n    return 2\n")
    assert (provided.verdict, provided.unproved) == ("green", "")


@pytest.mark.slow
async def test_a_name_that_the_change_does_not_provide_proves_nothing(desk: Desk) -> None:
    desk.case = desk.case.updated(issue_type=IssueType.NEW_FEATURE)
    await desk.red(test=INVENTED)
    conjured = f"{BUGGY}\nglobals()['mem' + 'bers'] = lambda: 2\n"
    reply = await desk.build(Stage.HEAD, test=INVENTED, code=conjured)
    assert reply.unproved == "the test lacked the name `members`, which the change does not provide"


@pytest.mark.slow
async def test_a_name_that_only_the_tests_provide_proves_nothing(desk: Desk) -> None:
    desk.case = desk.case.updated(issue_type=IssueType.NEW_FEATURE, new_test="python3 -m pytest -q tests")
    await desk.red(test="from tests.extra import members\n\ndef test_members():\n    assert members() == 2\n")
    lie = "def members():\n    return 2\n"
    own = "from tests.extra import members\n\ndef test_members():\n    assert members() == 2\n"
    reply = await desk.build(Stage.HEAD, test=own, **{"tests/extra.py": lie})
    assert reply.verdict == "green"
    assert reply.unproved == "`python3 -m pytest -q tests` passes without the fix: it proves nothing"


@pytest.mark.slow
async def test_a_changed_conftest_is_named_with_every_write(desk: Desk) -> None:
    told = "`conftest.py`, which decides how tests are run, was changed."
    hides = "collect_ignore = ['tests/test_cart.py']\n"
    assert (await desk.red(test=NEW, **{"conftest.py": hides})).change.weakened == (told,)
    reply = await desk.build(Stage.HEAD, test=NEW, code=FIXED, **{"conftest.py": hides})
    assert told in reply.change.weakened


async def test_a_command_that_fails_everywhere_by_now_proves_nothing(desk: Desk, tmp_path: Path) -> None:
    """Without results per test: honest until the test was seen to fail, then red where the change's file is absent."""
    later = tmp_path / "later"
    honest = f"grep test_total {TEST} && grep 'a + b' {CODE}"
    desk.case = desk.case.updated(new_test=f"if [ -e {later} ]; then ls more.txt; else {honest}; fi")
    assert (await desk.red(test=NEW)).verdict == "red"
    later.touch()
    reply = await desk.build(Stage.HEAD, test=NEW, code=FIXED, **{"more.txt": ""})
    assert reply.unproved is not None
    assert "failed before the new test in the same way" in reply.unproved
