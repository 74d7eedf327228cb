"""Verdicts of builds with real git, store and commands: by their runs, the base, and forbidden paths."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.issue.builds import Building
from caseworker.contract.wire import BuildReply, BuildRequest
from caseworker.core.base.ids import CaseId, Sha, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.casefile.model import CaseFile
from caseworker.core.evidence.builds import Stage
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.pm import Topic
from caseworker.core.record.entries import BuildRan
from caseworker.ports import NewIssue, Workspace
from caseworker.store.store import Store, open_store
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.sandbox import Unconfined
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.edges.repositories import Repository, git, local_workspaces, new_repository
from tests.edges.store_examples import TRACE, case_file, said

SETTINGS = '[commands]\ntest = "sh test.sh"\n'
PASSES, FAILS = "echo 1 passed\n", "echo something is wrong\nexit 1\n"


@dataclass(kw_only=True)
class Desk:
    store: Store
    repository: Repository
    workspaces: GitWorkspaces
    building: Building
    case: IssueCase
    workspace: Workspace

    async def agent_writes(self, files: dict[str, str]) -> Sha:
        await self.workspaces.reset(self.workspace, self.workspace.base, scrub=True)
        for name, text in files.items():
            (self.workspace.path / name).write_text(text)
        return await self.workspaces.commit(self.workspace, "Fix", parent=self.workspace.base, name="turn-1-1")

    async def must_not(self, *lines: str) -> None:
        def forbid(file: CaseFile) -> CaseFile:
            analysis = file.analysis.model_copy(update={"must_not_do": list(lines)})
            return file.model_copy(update={"analysis": analysis})

        await self.store.cases.edit_file(self.case.id, forbid)

    async def build(
        self, commit: Sha, stage: Stage = Stage.HEAD, *, number: int = 2, policy: Policy | None = None
    ) -> BuildReply:
        request = BuildRequest(case=self.case, number=number, stage=stage, commit=commit, policy=policy or Policy())
        return await ActivityEnvironment().run(self.building.run_build, request)

    async def recorded(self) -> list[tuple[str, str]]:
        entries = [found.entry for found in await self.store.record.whole(self.case.id, ["build_ran"])]
        return [(entry.verdict, entry.reason) for entry in entries if isinstance(entry, BuildRan)]


@pytest.fixture
async def desk(tmp_path: Path, migrated_file: Path) -> AsyncIterator[Desk]:
    shutil.copy(migrated_file, tmp_path / "caseworker.db")
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    files = {".caseworker.toml": SETTINGS, "test.sh": PASSES, "setup.cfg": "[x]\n", "calc.py": "x = 1\n"}
    repository = new_repository(tmp_path / "calc", files)
    issue = await store.repositories.new_issue(
        await store.repositories.register(repository.ref), NewIssue(title="It is broken", body="Very.")
    )
    id: CaseId = issue_case(issue.repository, issue.number)
    await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(id))
    workspaces = local_workspaces(tmp_path / "home")
    workspace = await workspaces.prepare(id, repository.ref, None)
    building = Building(
        store=store, workspaces=workspaces, builder=SandboxedBuilder(Unconfined(tmp_path / "unconfined"))
    )
    try:
        yield Desk(
            store=store,
            repository=repository,
            workspaces=workspaces,
            building=building,
            case=IssueCase(id=id).updated(base=workspace.base),
            workspace=workspace,
        )
    finally:
        await store.close()


async def test_a_forbidden_path_makes_a_build_red_though_all_commands_pass(desk: Desk) -> None:
    await desk.must_not("Don't touch setup.cfg", "Be clever")
    commit = await desk.agent_writes({"setup.cfg": "[y]\n", "calc.py": "x = 2\n"})
    reply = await desk.build(commit)
    told = "`setup.cfg` was changed, and the analysis says: Don't touch setup.cfg"
    assert (reply.verdict, reply.reason, reply.base_fails_too) == ("red", told, False)
    kept = "If the issue can't be solved without it, leave it and say why: a person is asked then."
    assert reply.feedback == f"- {told}\n\nTake that back. {kept}"
    assert (reply.forbidden, reply.otherwise_red, reply.unfit) == (("setup.cfg",), False, True)
    assert await desk.recorded() == [("red", told)]
    assert (await case_file(desk.store, desk.case.id)).review.feedback_for_writer == reply.feedback


async def test_a_path_that_a_person_allowed_is_not_forbidden_and_others_still_are(desk: Desk) -> None:
    await desk.must_not("Don't touch setup.cfg", "Leave test.sh alone")
    desk.case = desk.case.updated(may_change=("setup.cfg",))
    reply = await desk.build(await desk.agent_writes({"setup.cfg": "[y]\n"}))
    assert (reply.verdict, reply.forbidden, reply.unfit) == ("green", (), False)
    reply = await desk.build(await desk.agent_writes({"setup.cfg": "[y]\n", "test.sh": FAILS}), number=3)
    assert (reply.verdict, reply.forbidden, reply.otherwise_red) == ("red", ("test.sh",), True)


async def test_a_forbidden_path_that_was_not_changed_does_not_matter(desk: Desk) -> None:
    await desk.must_not("Don't touch setup.cfg")
    reply = await desk.build(await desk.agent_writes({"calc.py": "x = 2\n"}))
    assert (reply.verdict, reply.feedback) == ("green", "")


async def test_a_forbidden_path_may_be_changed_by_a_persons_push(desk: Desk) -> None:
    await desk.must_not("Don't touch setup.cfg")
    ours = await desk.agent_writes({"calc.py": "x = 2\n"})
    theirs = Sha(desk.repository.commit({"setup.cfg": "[theirs]\n"}))
    git(desk.repository.path, "push", "-q", str(_mirror(desk)), f"{theirs}:refs/remotes/origin/agent/issue-1")
    joined = await desk.workspaces.merge(desk.workspace, ours, theirs, since=None, message="Merge")
    assert (await desk.build(joined.commit)).verdict == "green"


async def test_sensitive_paths_are_reported_but_not_those_a_person_pushed(desk: Desk) -> None:
    ours = await desk.agent_writes({"login.py": "x = 2\n", "calc.py": "x = 2\n"})
    touches = (Touched(topic=Topic.AUTHENTICATION, paths=("login.py",)),)
    assert (await desk.build(ours)).touches == touches
    assert (await desk.build(ours, Stage.RED)).touches == ()
    assert (await desk.build(ours, policy=Policy(approve_sensitive_paths=False))).touches == ()
    theirs = Sha(desk.repository.commit({"Dockerfile": "FROM scratch\n"}))
    git(desk.repository.path, "push", "-q", str(_mirror(desk)), f"{theirs}:refs/remotes/origin/agent/issue-1")
    joined = await desk.workspaces.merge(desk.workspace, ours, theirs, since=None, message="Merge")
    assert (await desk.build(joined.commit)).touches == touches


async def test_forbidden_paths_do_not_count_when_only_the_new_test_is_built(desk: Desk) -> None:
    await desk.must_not("Don't touch test.sh")
    commit = await desk.agent_writes({"test.sh": FAILS})
    reply = await desk.build(commit, Stage.RED)
    assert (reply.verdict, reply.reason) == ("red", "`sh test.sh` ended with exit code 1 without the fix")


async def test_a_head_that_fails_like_its_base_is_reported_as_such(desk: Desk) -> None:
    base = Sha(desk.repository.commit({"test.sh": FAILS}))
    await desk.workspaces.remove(desk.case.id)
    desk.workspace = await desk.workspaces.prepare(desk.case.id, desk.repository.ref, None)
    desk.case = desk.case.updated(base=base)
    await desk.build(base, Stage.BASE, number=1)
    reply = await desk.build(await desk.agent_writes({"calc.py": "x = 2\n"}))
    assert (reply.verdict, reply.base_fails_too) == ("red", True)
    await desk.must_not("Don't touch calc.py")
    reply = await desk.build(await desk.agent_writes({"calc.py": "x = 2\n"}), number=3)
    assert (reply.verdict, reply.base_fails_too) == ("red", False)
    assert "something is wrong" in reply.feedback


async def test_a_head_that_is_red_on_a_green_base_is_not_excused(desk: Desk) -> None:
    await desk.build(desk.workspace.base, Stage.BASE, number=1)
    reply = await desk.build(await desk.agent_writes({"test.sh": FAILS}))
    assert (reply.verdict, reply.base_fails_too) == ("red", False)


async def test_after_a_failed_set_up_the_case_file_says_that_nothing_passed(desk: Desk) -> None:
    commands = '[commands]\nsetup = "exit 3"\ntest = "sh test.sh"\n'
    base = Sha(desk.repository.commit({".caseworker.toml": commands}))
    await desk.workspaces.remove(desk.case.id)
    desk.workspace = await desk.workspaces.prepare(desk.case.id, desk.repository.ref, None)
    desk.case = desk.case.updated(base=base)
    assert (await desk.build(await desk.agent_writes({"calc.py": "x = 2\n"}))).verdict == "red"
    seen = (await case_file(desk.store, desk.case.id)).build
    assert (seen.tests_passed, seen.lint_passed) == (False, None)
    assert seen.errors == ["exit 3 ended with exit code 3", "sh test.sh was not run"]


def _mirror(desk: Desk) -> Path:
    assert desk.workspace.git_dir is not None
    return desk.workspace.git_dir.parent.parent
