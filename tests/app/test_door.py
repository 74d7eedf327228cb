"""The front door: what people type, as they guess it, and as it was printed for them to copy."""

import asyncio
import io
import json
import shlex
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from typer.main import get_group
from typer.testing import CliRunner

from caseworker.app.cli.main import app
from caseworker.app.cli.shared_options import LOOK, OPERATE, SPEAK, START
from caseworker.app.desk import find_case, reading, recording
from caseworker.app.run_subjects import folder_or_here, issue_argument
from caseworker.app.settings import Settings
from caseworker.app.terminal.case_filter import CaseFilter, chosen, listed
from caseworker.app.terminal.chat import is_for_chat
from caseworker.app.terminal.interrupted import Interrupted
from caseworker.app.terminal.local_times import clock, date_and_time, with_local_times, zone_words
from caseworker.app.terminal.run_issue import told_how_to_return
from caseworker.app.terminal.show_logs import readable
from caseworker.app.terminal.text_console import print_commands
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.issue.states import IssueState
from caseworker.ports import NewIssue
from tests.app.issue_desk import IssueDesk
from tests.edges.store_examples import TRACE, said
from tests.world.project import make_project

RUNNER = CliRunner()


def page(*words: str) -> str:
    return RUNNER.invoke(app, [*words], env={"COLUMNS": "100", "TERM": "dumb"}).output


@pytest.fixture
def desk(tmp_path: Path) -> IssueDesk:
    return IssueDesk(tmp_path / "home")


# --- help


def test_every_command_is_in_one_of_four_groups_with_one_plain_line() -> None:
    told = page("-h")
    assert told == page("--help")
    assert [name for name in (START, SPEAK, LOOK, OPERATE, "Commands") if f"─ {name} ─" in told] == [
        *(START, SPEAK, LOOK, OPERATE)
    ]
    commands = [line for line in told.partition(f"─ {START} ─")[2].splitlines() if line.startswith("│")]
    assert len(commands) > 30
    assert all(line[2:3].strip() and line.rstrip("│ ").endswith(".") for line in commands), "a line is too long"


@pytest.mark.parametrize(
    ("guess", "meant"),
    [
        *(("list", "caseworker cases"), ("status", "caseworker why")),
        *(("delete", "caseworker purge"), ("dashboard", "caseworker open")),
    ],
)
def test_another_word_for_a_command_is_answered_with_the_command(guess: str, meant: str) -> None:
    outcome = RUNNER.invoke(app, [guess])
    assert isinstance(outcome.exception, Refused)
    assert f"There is no command `{guess}`." in str(outcome.exception)
    assert meant in str(outcome.exception)


def test_a_misspelt_command_is_answered_with_the_likely_one() -> None:
    assert "'show'" in page("shwo")


def test_a_shell_can_complete_commands() -> None:
    asked = {"_CASEWORKER_COMPLETE": "complete_bash", "COMP_WORDS": "caseworker cas", "COMP_CWORD": "1"}
    assert RUNNER.invoke(app, [], env=asked, prog_name="caseworker").output.split() == ["cases"]


# --- names of cases


async def test_a_command_that_was_printed_finds_its_case_after_a_shell_has_read_it(desk: IssueDesk) -> None:
    case = await desk.begin()
    (name,) = shlex.split(typed(case), comments=True)
    async with reading(desk.settings) as store:
        assert (await find_case(store, name)).case.id == case
        for other in ("1", "#1", "shop#1", "local/shop#1"):
            assert (await find_case(store, other)).case.id == case


async def test_a_name_in_another_case_finds_the_only_case_that_it_fits(desk: IssueDesk) -> None:
    case = await desk.begin()
    async with reading(desk.settings) as store:
        for other in ("SHOP/1", "Shop#1", "LOCAL/shop#1"):
            assert (await find_case(store, other)).case.id == case


async def test_a_short_name_means_the_case_of_the_repository_that_one_stands_in(
    desk: IssueDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with recording(desk.settings) as store:
        for name in ("till", "shop"):
            (tmp_path / name / "src").mkdir(parents=True)
            repository = await store.repositories.register(LocalRepository(path=tmp_path / name))
            issue = await store.repositories.new_issue(repository, NewIssue(title=name, body=""))
            first = said(CaseId(f"{repository}#1"))
            await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=first)
        with pytest.raises(Refused) as refused:
            await find_case(store, "#1")
        assert str(refused.value) == (
            "`#1` names 2 cases: shop/1, till/1. Write the whole id, as in `caseworker show shop/1`, or go into the "
            "folder of its repository."
        )
        monkeypatch.chdir(tmp_path / "till" / "src")
        assert (await find_case(store, "#1")).case.id == "local/till#1"
        assert (await find_case(store, "shop/1")).case.id == "local/shop#1"


def test_a_command_is_printed_on_one_line_however_narrow_the_terminal_is() -> None:
    paper = io.StringIO()
    console = Console(file=paper, width=40, force_terminal=True, color_system=None)
    command = f"git -C /srv/{'deep/' * 20}shop merge agent/issue-1"
    print_commands([("Merge it", command)], console)
    assert paper.getvalue() == f"  Merge it  {command}\n"


# --- where, and what about


async def test_the_repository_is_the_one_that_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = make_project(tmp_path / "shop") / "src"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert await folder_or_here(None) == inside.parent
    assert await folder_or_here(tmp_path) == tmp_path
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match=r"is not a git repository.*`--repo FOLDER`"):
        await folder_or_here(None)


@pytest.mark.parametrize(
    ("piped", "title"),
    [(b"# It is broken\n\nSince noon.", "It is broken"), (b'{"number": 4, "title": "Broken"}', "Broken")],
)
def test_an_issue_may_come_from_standard_input(piped: bytes, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped)))
    issue = issue_argument("-")
    assert isinstance(issue, NewIssue)
    assert issue.title == title


def test_no_issue_on_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    with pytest.raises(Refused, match="there is no text"):
        issue_argument("-")


# --- lists


async def names(settings: Settings, wanted: CaseFilter) -> list[CaseId]:
    async with reading(settings) as store:
        return [one.stored.case.id for one in await chosen(await listed(store, settings), wanted)]


async def test_cases_are_chosen_by_repository_state_and_age(desk: IssueDesk) -> None:
    case = await desk.begin(state=IssueState.IMPLEMENTING)
    fits = [
        CaseFilter(),
        CaseFilter(repository="shop"),
        CaseFilter(repository="local/shop"),
        CaseFilter(state="implementing"),
        CaseFilter(state="working"),
        CaseFilter(state="open", since="1h"),
    ]
    assert [await names(desk.settings, wanted) for wanted in fits] == [[case]] * len(fits)
    assert await names(desk.settings, CaseFilter(state="over")) == []
    assert await names(desk.settings, CaseFilter(state="blocked")) == []
    assert await names(desk.settings, CaseFilter(before="1h")) == []
    for wanted, why in [
        (CaseFilter(repository="till"), "No case is about `till`. There are cases of local/shop."),
        (CaseFilter(state="xyz"), "`xyz` is not a state of a case. Write open, working, over, or a state"),
        (CaseFilter(state="awaiting-dew"), "`awaiting-dew` is not a state of a case. Did you mean `awaiting dev`?"),
        (CaseFilter(since="soon"), "--since soon is no time span."),
    ]:
        with pytest.raises(Refused, match=why):
            await names(desk.settings, wanted)


@pytest.mark.parametrize(
    "command", [("cases",), ("learnings",), ("sla",), ("deliveries",), ("issue", "list", "--repo", "{repo}")]
)
def test_an_empty_list_is_an_empty_list_for_programs(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASEWORKER_HOME", str(tmp_path / "home"))
    repo = make_project(tmp_path / "shop") if "issue" in command else tmp_path
    said = RUNNER.invoke(app, [*(word.format(repo=repo) for word in command), "--json"])
    assert json.loads(said.stdout) == []


def test_issues_that_were_written_down_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASEWORKER_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(make_project(tmp_path / "shop"))
    written = RUNNER.invoke(app, ["issue", "new", "--title", "It is broken"]).output
    assert written == "shop/1: It is broken\nWork on it: caseworker run --issue 1\n"
    assert RUNNER.invoke(app, ["issue", "list"]).output == "   1  It is broken  no case yet\n"


@pytest.mark.parametrize("command", [("purge",), ("cases", "--delete")])
def test_nothing_is_removed_without_a_yes(
    command: tuple[str, ...], desk: IssueDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = asyncio.run(desk.begin(state=IssueState.CLOSED))
    monkeypatch.setenv("CASEWORKER_HOME", str(desk.settings.home))
    assert "is not over" in str(RUNNER.invoke(app, [*command, typed(case)]).exception), "told before it asks"
    asyncio.run(desk.end())
    refused = RUNNER.invoke(app, [*command, typed(case)])
    assert "Nothing was removed" in str(refused.exception)
    assert [case] == asyncio.run(names(desk.settings, CaseFilter()))


def test_every_command_of_the_specification_is_there() -> None:
    specified = """
        demo run report chat serve worker host cases show conversation say answer approve reject takeover handback
        budget retry close why matrix learnings sla deliveries check recipe cache ready open logs action export
        purge doctor init
    """
    assert set(specified.split()) - set(get_group(app).commands) == set()


# --- chat and times


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("/help", True),
        ("help", True),
        ("/stauts", True),
        ("?", True),
        ("/etc/hosts is wrong", False),
        ("the path /api fails", False),
        ("help me with the cart", False),
    ],
)
def test_only_a_single_word_with_a_slash_is_kept_from_the_case(line: str, ours: bool) -> None:
    assert is_for_chat(line) is ours


def test_a_line_of_the_log_is_readable_in_a_terminal() -> None:
    line = '{"case": "local/till#1", "event": "turn started", "level": "info", "timestamp": "2026-11-17T18:01:44Z"}\n'
    at = date_and_time(datetime(2026, 11, 17, 18, 1, 44, tzinfo=UTC))
    assert readable(line) == f"{at}  turn started  case=local/till#1\n"
    assert readable(line.replace("info", "error")) == f"{at}  ERROR: turn started  case=local/till#1\n"
    assert readable("Traceback (most recent call last):\n") == "Traceback (most recent call last):\n"


def test_an_interrupted_run_says_how_to_return_to_its_case_and_how_to_end_it() -> None:
    said = r"`caseworker show till/1 --follow`.*`caseworker close till/1`"
    with pytest.raises(Interrupted, match=said), told_how_to_return(CaseId("local/till#1")):
        raise asyncio.CancelledError


def test_times_are_told_in_the_zone_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = datetime(2026, 1, 15, 23, 30, tzinfo=UTC)
    try:
        monkeypatch.setenv("TZ", "XYZ-02:00")
        time.tzset()
        told = (clock(moment), date_and_time(moment), with_local_times("until 2026-01-15 23:30 UTC."), zone_words())
    finally:
        monkeypatch.undo()
        time.tzset()
    assert told == ("01:30:00", "2026-01-16 01:30 XYZ", "until 2026-01-16 01:30 XYZ.", "Times are XYZ (UTC+02:00).")
