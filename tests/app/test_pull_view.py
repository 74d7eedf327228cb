"""What the terminal shows of a pull case, and which commands fit it."""

import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.cli.small_commands import export_one, list_cases, show_one
from caseworker.app.settings import Settings
from caseworker.app.terminal import give_command
from caseworker.app.terminal.case_filter import CaseFilter
from caseworker.app.terminal.explain import explain
from caseworker.app.terminal.show_conversation import show_conversation
from caseworker.core.base.errors import Refused
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.pull.case import PauseCause, PullState, SessionEnd
from caseworker.core.pull.reasons import Reason, ReasonKind
from caseworker.core.pull.verdict import Verdict
from caseworker.core.record.entries import PullMoved
from caseworker.core.record.pull_entries import PullJudged
from tests.app.issue_desk import IssueDesk
from tests.app.pull_desk import PullDesk
from tests.core.examples import HEAD, MORNING

S = PullState
REVIEW = Reason(
    kind=ReasonKind.REVIEW_REQUIRED, mover="reviewer", names=("ben",), act="ask_person", help="Review the pull request."
)
WAITS = Verdict(outcome="not_ready", head=HEAD, reasons=(REVIEW,), looked_at=MORNING)
MOVED = PullMoved(number=1, from_state=S.LOOKING, to_state=S.WAITING, reason="It waits: review required.")
Types = Callable[[Settings, Console], Awaitable[int]]


@pytest.fixture
def desk(tmp_path: Path) -> PullDesk:
    return PullDesk(tmp_path / "home")


def paper() -> Console:
    return Console(file=io.StringIO(), width=120, color_system=None)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_show_tells_the_story_the_messages_and_what_to_type(desk: PullDesk) -> None:
    await desk.begin(PullJudged(verdict=WAITS), MOVED, state=S.WAITING, verdict=WAITS, reason="It waits.")
    console = paper()
    await show_one(desk.settings, console, "!9", everything=False, pull_request=False, follow=False, as_json=False)
    said = written(console)
    for words in (
        "Not ready: a review is required.",
        "ann: Please ship this pull request.  (recorded)",
        "a review is required (review_required): the reviewer, ben",
        "https://github.com/acme/shop/pull/9",
        "`caseworker stop acme/shop/pull/9` pauses it.",
        "`caseworker abort acme/shop/pull/9` ends the session.",
    ):
        assert words in said.replace("│", "")


async def test_show_as_json_has_verdict_session_runs_ledger_and_messages(
    desk: PullDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    await desk.begin(MOVED, state=S.WAITING, verdict=WAITS)
    await show_one(
        desk.settings, paper(), "acme/shop!9", everything=False, pull_request=False, follow=False, as_json=True
    )
    document = json.loads(capsys.readouterr().out)
    assert (document["case"], document["kind"], document["state"]) == ("acme/shop!9", "pull", "waiting")
    assert document["verdict"]["reasons"][0]["kind"] == "review_required"
    assert document["session"]["workflow"] == "ship"
    assert [run["workflow"] for run in document["runs"]] == ["ship"]
    assert document["ledger"] == {"spent_micros": 0, "cap_micros": 5_000_000, "calls": 0, "rehearsed": False}
    assert [(one["kind"], one["receipt"]) for one in document["messages"]] == [("start", "recorded")]
    assert [one["entry"]["kind"] for one in document["record"]][-1] == "pull_moved"


async def test_the_list_of_cases_has_pull_cases(desk: PullDesk) -> None:
    await desk.begin(state=S.PAUSED, pause=PauseCause.STOPPED)
    console = paper()
    await list_cases(desk.settings, console, CaseFilter(), as_json=False)
    assert "acme/shop/pull/9" in written(console)
    assert "It was stopped by a person." in written(console)


async def test_why_names_the_reasons_and_what_moves_it(desk: PullDesk) -> None:
    await desk.begin(state=S.ENDED, end=SessionEnd.READY, verdict=WAITS, reason="Only people are left.")
    console = paper()
    await explain(desk.settings, console, "!9", as_json=False)
    said = written(console)
    assert "Caseworker has done its part. A person merges." in said
    assert "`caseworker ship acme/shop/pull/9` begins a new session." in said


async def test_the_conversation_lists_messages_with_receipts(desk: PullDesk) -> None:
    await desk.begin()
    console = paper()
    await show_conversation(desk.settings, console, "!9", as_json=False)
    assert "Please ship this pull request." in written(console)


async def test_export_writes_the_case_its_snapshot_and_its_record(desk: PullDesk, tmp_path: Path) -> None:
    await desk.begin(MOVED, state=S.WAITING, verdict=WAITS)
    await export_one(desk.settings, paper(), "!9", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["pull.json", "record.jsonl", "snapshot.json"]
    assert json.loads((tmp_path / "out" / "snapshot.json").read_text())["state"] == "waiting"


async def test_a_session_without_an_artifact_says_so(tmp_path: Path) -> None:
    desk = PullDesk(tmp_path / "home", "review")
    await desk.begin()
    with pytest.raises(Refused, match=r"REVIEW\.md is not written yet"):
        await export_one(desk.settings, paper(), "!9", None, run=WorkflowName.REVIEW)
    with pytest.raises(Refused, match="has no artifact of a run `ship`"):
        await export_one(desk.settings, paper(), "!9", None, run=WorkflowName.SHIP)


REFUSALS: list[tuple[str, Types, dict[str, object], str]] = [
    (
        "stop",
        lambda settings, console: give_command.stop(settings, console, "!9", None, as_json=False),
        {"state": S.PAUSED},
        "it is paused already",
    ),
    (
        "resume",
        lambda settings, console: give_command.resume(settings, console, "!9", None, as_json=False),
        {"state": S.WAITING},
        "it is not paused",
    ),
    (
        "abort",
        lambda settings, console: give_command.abort(settings, console, "!9", None, as_json=False),
        {"state": S.ENDED, "end": SessionEnd.READY},
        "nothing runs on this pull request",
    ),
    (
        "close",
        lambda settings, console: give_command.close(settings, console, "!9", "", "", None, as_json=False),
        {"state": S.ENDED, "end": SessionEnd.READY},
        "nothing runs on this pull request",
    ),
    (
        "close with a resolution",
        lambda settings, console: give_command.close(settings, console, "!9", "", "code_fix", None, as_json=False),
        {"state": S.WAITING},
        "acme/shop!9 is a pull case",
    ),
]


@pytest.mark.parametrize(("name", "types", "known", "says"), REFUSALS, ids=[row[0] for row in REFUSALS])
async def test_a_command_that_does_not_fit_is_refused_before_a_host_is_started(
    desk: PullDesk, name: str, types: Types, known: dict[str, object], says: str
) -> None:
    await desk.begin(**known)
    with pytest.raises(Refused, match=says):
        await types(desk.settings, paper())
    assert not desk.host_was_started


async def test_stop_is_for_pull_cases_only(tmp_path: Path) -> None:
    desk = IssueDesk(tmp_path / "issues")
    await desk.begin()
    with pytest.raises(Refused, match="is an issue case: `stop` is for pull cases"):
        await give_command.stop(desk.settings, paper(), "#1", None, as_json=False)
