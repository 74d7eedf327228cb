"""`caseworker export`: which files are written, and where."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.cli.small_commands import export_one
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.model import load_case_file
from caseworker.core.issue.case import InvestigationProgress
from caseworker.core.outcomes.answers import RoleQuestion
from caseworker.core.outcomes.pm import PlanOutcome
from caseworker.intake.issues import read_issue
from caseworker.ports import NewIssue
from caseworker.store.store import Store, open_store
from tests.core.examples import planned
from tests.core.investigation_examples import a_request
from tests.edges.store_examples import begun, case_file, completed_entry, finished, open_case, pull


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"home": tmp_path / "home"})


async def finish(store: Store, case: CaseId, turn: int, plan: PlanOutcome) -> None:
    attempt = await begun(store, case, turn)
    done = finished(attempt).model_copy(update={"role": Role.PM, "task": Task.PLAN, "outcome": plan})
    assert await store.turns.complete(attempt, done, await case_file(store, case), completed_entry(attempt))


async def a_case(settings: Settings, *plans: PlanOutcome, pull_request: bool = False) -> CaseId:
    store = await open_store(settings.database)
    try:
        case = await open_case(store)
        for turn, plan in enumerate(plans, start=1):
            await finish(store, case, turn, plan)
        if pull_request:
            await store.pulls.create(pull(case))
        return case
    finally:
        await store.close()


async def exported(settings: Settings, case: CaseId, to: Path | None, run: WorkflowName | None = None) -> list[Path]:
    paper = io.StringIO()
    await export_one(settings, Console(file=paper, width=400), case, to, run=run)
    return [Path(line) for line in paper.getvalue().splitlines()]


async def test_an_exported_case_file_can_be_loaded_and_run_again(settings: Settings, tmp_path: Path) -> None:
    case = await a_case(settings)
    file, record = await exported(settings, case, tmp_path / "out")
    assert (file.name, record.name) == ("issue-state.json", "record.jsonl")
    document = json.loads(file.read_text())
    assert load_case_file(document).issue.title == "Checkout is broken"
    assert read_issue(file) == NewIssue(number=1, title="Checkout is broken", body="It says 500.")
    assert json.loads(record.read_text().splitlines()[0])["entry"]["kind"] == "case_opened"


async def test_the_newest_finished_plan_is_written(settings: Settings, tmp_path: Path) -> None:
    first, second = planned(), planned().model_copy(update={"plan": "# Plan\n\n1. Round once.\n\n"})
    unclear = planned("NEEDS_CLARIFICATION").model_copy(update={"plan": "unfinished"})
    asks = planned().model_copy(update={"plan": "asks", "ask": [RoleQuestion(to="analyst", question="Why?")]})
    case = await a_case(settings, first, second, unclear, asks, pull_request=True)
    names = [path.name for path in await exported(settings, case, tmp_path / "out")]
    assert names == ["issue-state.json", "record.jsonl", "PLAN.md", "pull-request.md"]
    assert (tmp_path / "out" / "PLAN.md").read_text() == "# Plan\n\n1. Round once.\n"


async def test_an_investigation_is_written_as_its_state_and_its_page(settings: Settings, tmp_path: Path) -> None:
    needed = planned("INVESTIGATION_NEEDED").model_copy(update={"investigation": a_request("It is slow.")})
    case = await a_case(settings, needed)
    store = await open_store(settings.database)
    try:
        stored = await store.cases.load(case)
        assert stored is not None
        await store.cases.keep(stored.case.updated(investigation=InvestigationProgress(began=(1,))))
    finally:
        await store.close()
    _, _, state, page = await exported(settings, case, tmp_path)
    assert (state.name, page.name) == ("investigation-state.json", "INVESTIGATION.md")
    told = json.loads(state.read_text())["investigation_state"]
    assert (told["session_id"], told["status"], told["problem_summary"]) == (case, "in_progress", "It is slow.")
    assert page.read_text().startswith("# Investigation: Checkout is broken\n")


async def test_without_a_finished_plan_none_is_written(settings: Settings, tmp_path: Path) -> None:
    case = await a_case(settings, planned("EXTERNAL_DEPENDENCY"))
    assert [path.name for path in await exported(settings, case, tmp_path)] == ["issue-state.json", "record.jsonl"]


async def test_in_github_actions_files_go_into_the_workspace_unless_a_folder_is_named(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = await a_case(settings)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "workspace"))
    assert {path.parent for path in await exported(settings, case, None)} == {tmp_path / "workspace"}
    assert (tmp_path / "workspace" / "issue-state.json").exists()
    assert {path.parent for path in await exported(settings, case, tmp_path / "named")} == {tmp_path / "named"}


async def test_elsewhere_the_case_file_is_printed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await a_case(settings)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert await exported(settings, case, None) == []
    assert load_case_file(json.loads(capsys.readouterr().out)).issue.number == 1


async def test_the_artifact_of_a_run_is_printed_or_written_alone(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await a_case(settings, planned())
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert await exported(settings, case, None, WorkflowName.IMPLEMENT) == []
    assert capsys.readouterr().out.startswith("# Checkout is broken\n\nrunning, $0.00, 1 turn, ")
    written = await exported(settings, case, tmp_path / "out", WorkflowName.IMPLEMENT)
    assert written == [tmp_path / "out" / "IMPLEMENT.md"]


async def test_the_artifact_of_a_run_that_does_not_exist_is_refused(settings: Settings, tmp_path: Path) -> None:
    case = await a_case(settings)
    with pytest.raises(Refused, match="no artifact of a run `review`"):
        await exported(settings, case, tmp_path, WorkflowName.REVIEW)
