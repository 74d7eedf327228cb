"""What people are told of a case that should be in work while no host runs."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.terminal.explain import explain
from caseworker.core.issue.states import IssueState
from caseworker.engine.host import HostPlace
from tests.app.issue_desk import IssueDesk

_NOTE = "Nothing works on it now: the host is not running."


@pytest.fixture
def desk(tmp_path: Path) -> IssueDesk:
    return IssueDesk(tmp_path / "home")


async def told_why(desk: IssueDesk) -> str:
    file = io.StringIO()
    await explain(desk.settings, Console(file=file, width=120, color_system=None), "#1", as_json=False)
    return file.getvalue()


@pytest.mark.parametrize(("state", "noted"), [(IssueState.IMPLEMENTING, True), (IssueState.BLOCKED, False)])
async def test_a_case_in_work_without_a_host_is_told_to_stand_still(
    desk: IssueDesk, state: IssueState, noted: bool
) -> None:
    await desk.begin(state=state)
    assert (_NOTE in await told_why(desk)) is noted


async def test_nothing_is_noted_while_a_host_runs(desk: IssueDesk) -> None:
    await desk.begin(state=IssueState.IMPLEMENTING)
    with HostPlace(desk.settings.home).held() as is_ours:
        assert is_ours
        assert _NOTE not in await told_why(desk)
