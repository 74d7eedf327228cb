"""The copy of the case file that GitHub Actions reads: written when a case is loaded and after every move."""

import json
from pathlib import Path

import pytest
from temporalio.client import Client

from caseworker.activities.issue.records import Records
from caseworker.activities.shared.case_file_copy import CaseFileCopy
from caseworker.app.settings import Settings, actions_folder
from caseworker.app.wiring import make_parts
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.contract.wire import MoveRequest
from caseworker.core.base.ids import CaseId
from caseworker.core.casefile.model import CaseFile, load_case_file
from caseworker.core.issue.states import IssueState
from caseworker.core.record.entries import Noted
from caseworker.store.store import Store
from tests.edges.store_examples import case_file, open_case, snapshot
from tests.intake.bell import RecordingBell


def copied(folder: Path) -> CaseFile:
    return load_case_file(json.loads((folder / "issue-state.json").read_text()))


def records(store: Store, folder: Path) -> Records:
    copy = CaseFileCopy(folder=folder)
    return Records(store=store, doorbell=RecordingBell(), terminal=TerminalPhrasing(), copy=copy)


async def block(store: Store, case: CaseId, activities: Records) -> None:
    after = (await snapshot(store, case)).updated(state=IssueState.BLOCKED, reason="No key.", transitions=1)
    await activities.record_move(MoveRequest(after=after, entry=Noted(text="blocked")))


async def test_the_copy_follows_the_case_from_its_start(store: Store, tmp_path: Path) -> None:
    case, activities = await open_case(store), records(store, tmp_path)
    await activities.load_case(case)
    assert copied(tmp_path) == await case_file(store, case)
    await block(store, case, activities)
    assert copied(tmp_path) == await case_file(store, case)
    assert copied(tmp_path).pipeline.blocked_reason == "No key."


async def test_a_folder_that_can_not_be_written_to_does_not_stop_the_case(store: Store, tmp_path: Path) -> None:
    case, activities = await open_case(store), records(store, tmp_path / "missing")
    await block(store, case, activities)
    assert (await snapshot(store, case)).state is IssueState.BLOCKED


def test_the_folder_is_the_workspace_of_github_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", "/github/workspace")
    assert actions_folder() == Path("/github/workspace")
    monkeypatch.delenv("GITHUB_WORKSPACE")
    assert actions_folder() is None


async def test_the_program_copies_to_the_workspace_of_github_actions(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    client = await Client.connect("127.0.0.1:1", lazy=True)
    parts = make_parts(Settings.model_validate({"home": tmp_path / "home"}), store, client)
    assert parts.case_file.folder == tmp_path
