"""A recipe is learned where the rules end in "could not run": kept only if tests were counted, used by later builds."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.issue.builds import Building
from caseworker.activities.issue.recipe_lessons import RecipeLessons
from caseworker.agents.claude import ModelSettings
from caseworker.agents.single_questions import SingleQuestions
from caseworker.contract.wire import BuildReply, BuildRequest
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.entries import Noted
from caseworker.ports import NewIssue
from caseworker.store.store import Store, open_store
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.kept_recipes import KeptRecipes
from caseworker.workspaces.sandbox import Unconfined
from tests.edges.repositories import Repository, local_workspaces, new_repository
from tests.edges.store_examples import TRACE, said

FILES = {"CONTRIBUTING.md": "Run sh check.sh\n", "check.sh": "echo 3 passed\n"}
SCRIPT = """
version: 1
turns: []
questions:
  - purpose: recipe
    steps: [{{answer: {{setup: [], test: ["{line}"], why: w}}}}]
"""


@dataclass(kw_only=True)
class Desk:
    store: Store
    repository: Repository
    recipes: KeptRecipes
    building: Building
    folder: Path

    async def base_build(self, line: str) -> BuildReply:
        registered = await self.store.repositories.register(self.repository.ref)
        issue = await self.store.repositories.new_issue(registered, NewIssue(title=f"About {line}", body="Broken."))
        id: CaseId = issue_case(issue.repository, issue.number)
        script = SCRIPT.format(line=line) if line else None
        await self.store.cases.open(issue, policy=Policy(), rehearsal=script, trace=TRACE, first=said(id))
        workspace = await local_workspaces(self.folder / "home").prepare(id, self.repository.ref, None)
        case = IssueCase(id=id).updated(base=workspace.base)
        request = BuildRequest(case=case, number=1, stage=Stage.BASE, commit=workspace.base, policy=Policy())
        self.case = id
        return await ActivityEnvironment().run(self.building.run_build, request)

    async def notes(self) -> list[str]:
        entries = [found.entry for found in await self.store.record.whole(self.case, ["noted"])]
        return [entry.text for entry in entries if isinstance(entry, Noted)]


@pytest.fixture
async def desk(tmp_path: Path, migrated_file: Path) -> AsyncIterator[Desk]:
    shutil.copy(migrated_file, tmp_path / "caseworker.db")
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    workspaces, recipes = local_workspaces(tmp_path / "home"), KeptRecipes(tmp_path / "home")
    builder = SandboxedBuilder(Unconfined(tmp_path / "unconfined"))
    model = SingleQuestions(ledger=store.ledger, record=store.record, model=ModelSettings())
    lessons = RecipeLessons(store=store, workspaces=workspaces, builder=builder, model=model)
    try:
        yield Desk(
            store=store,
            repository=new_repository(tmp_path / "calc", FILES),
            recipes=recipes,
            building=Building(store=store, workspaces=workspaces, builder=builder, lessons=lessons),
            folder=tmp_path,
        )
    finally:
        await store.close()


async def test_a_proposal_with_counted_tests_is_kept_and_used_again(desk: Desk) -> None:
    reply = await desk.base_build("sh check.sh")
    assert reply.verdict == "green"
    assert await desk.notes() == ["A recipe was tried: sh check.sh. It works: 3 tests pass."]
    assert desk.recipes.text(desk.repository.ref) == "# Learned: w\n[commands]\ntest = 'sh check.sh'\n"
    again = await desk.base_build("")
    assert again.verdict == "green", "without asking anybody"
    assert await desk.notes() == []


@pytest.mark.parametrize("line", ["true", "echo fine", "exit 1"])
async def test_a_proposal_that_counts_no_test_is_not_kept(desk: Desk, line: str) -> None:
    await desk.base_build(line)
    assert desk.recipes.text(desk.repository.ref) is None


async def test_a_proposal_whose_tests_fail_already_is_kept(desk: Desk) -> None:
    await desk.base_build("echo 1 passed; exit 1")
    assert desk.recipes.text(desk.repository.ref) is not None


async def test_a_repository_that_says_how_to_test_is_not_asked_about(desk: Desk) -> None:
    desk.repository.commit({".caseworker.toml": '[commands]\ntest = "false"\n'})
    await desk.base_build("sh check.sh")
    assert desk.recipes.text(desk.repository.ref) is None
