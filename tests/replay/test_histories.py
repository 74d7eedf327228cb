"""Committed histories replay with the present flows: a changed decision would fail here."""

import asyncio
import json
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from caseworker.app.workers import FLOWS
from caseworker.engine.worker import BUILD_ID, sandboxed_runner
from tests.patience import PATIENCE

HISTORIES = sorted((Path(__file__).parent / "histories").rglob("*.json"))


def read(path: Path) -> WorkflowHistory:
    document = json.loads(path.read_text())
    return WorkflowHistory.from_json(document.pop("workflow_id"), document)


def test_there_are_histories_of_every_flow() -> None:
    started = {
        read(path).events[0].workflow_execution_started_event_attributes.workflow_type.name for path in HISTORIES
    }
    assert started == {str(flow.__name__) for flow in FLOWS}


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
async def test_a_committed_history_replays(path: Path) -> None:
    history = read(path)
    replayer = Replayer(
        workflows=FLOWS,
        workflow_runner=sandboxed_runner(),
        data_converter=pydantic_data_converter,
        build_id=BUILD_ID,
        debug_mode=True,  # a machine that is busy for two seconds is no deadlock
    )
    await asyncio.wait_for(replayer.replay_workflow(history), timeout=PATIENCE)
