"""`report`, `chat` and the other commands with the real host and agent process, in a terminal and from a pipe."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.project import make_project
from tests.world.terminal import BUG_REHEARSAL, REHEARSAL, Terminal, open_terminal

pytestmark = pytest.mark.xdist_group("terminal chat")


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """One home and one host for all tests of this module. Each test opens its own case."""
    folder = tmp_path_factory.mktemp("chat")
    with open_terminal(folder / "home", CASEWORKER_REPORTS_REPOSITORY=str(make_project(folder / "hello"))) as here:
        yield here


def report(terminal: Terminal, text: str = "the greeting is broken", *more: str | Path) -> str:
    """Reports a bug and returns the id of the case, whose reporter was asked a question."""
    answer = terminal.types("report", text, "--rehearse", BUG_REHEARSAL, "--name", "ada", "--json", *more)
    assert answer.code == 0, answer.err
    case = json.loads(answer.out.splitlines()[0])["case"]
    assert isinstance(case, str)
    return case


def conversation(terminal: Terminal, case: str) -> list[dict[str, object]]:
    lines = terminal.reads_json("conversation", case)["conversation"]
    assert isinstance(lines, list)
    return lines


def receipts(terminal: Terminal, case: str) -> list[object]:
    return [line["receipt"] for line in conversation(terminal, case) if line["receipt"] is not None]


@pytest.mark.slow
def test_report_shows_the_case_until_the_question(terminal: Terminal) -> None:
    answer = terminal.types(
        "report", "-", "--rehearse", BUG_REHEARSAL, "--name", "ada", stdin="the greeting is broken\n"
    )
    assert answer.code == 0, answer.err
    case, *shown = [line.partition("  ")[0] if n == 0 else line[9:] for n, line in enumerate(answer.out.splitlines())]
    assert shown[:3] == [
        "ada: the greeting is broken",
        f"caseworker: Thank you, this is recorded as {case}, and we are looking into it. You can add details here at "
        "any time. If the problem has gone away, just write: never mind.",
        "caseworker: Which greeting did you see?",
    ]
    assert f"{case} is awaiting reporter" in answer.out
    assert terminal.types("cases").out.count(case) == 1


@pytest.mark.slow
def test_two_people_chat_and_a_message_during_a_turn_reaches_it(terminal: Terminal) -> None:
    case = report(terminal)
    chat = ("chat", case)
    with terminal.opens(*chat, "--name", "grace") as grace, terminal.opens(*chat, "--as", "reporter") as ada:
        ada.shows("Which greeting did you see?")
        grace.shows("grace · awaiting reporter ›")
        grace.presses("half a thou")
        ada.presses("The one at the top.\r")
        grace.shows("▸ get_bug_conversations")
        ada.presses("It says wrold!\r")
        ada.shows("You are right, the greeting is misspelt.")
        ada.shows("seen by turn 2: read by the investigator, who answered with findings", times=2)
        grace.shows("caseworker → developers The greeting misspells the world.")
        grace.keeps("half a thou")
        assert "developers" not in ada.text()
        grace.presses("\x15/quit\r")
        ada.presses("\x04")
        assert (grace.ends(), ada.ends()) == (0, 0)
        assert ada.modes_now() == ada.modes_before
    said = [line["text"] for line in conversation(terminal, case) if line["speaker"] == "reporter"]
    assert said == ["the greeting is broken", "The one at the top.", "It says wrold!"]


@pytest.mark.slow
def test_commands_can_be_typed_as_plain_messages(terminal: Terminal) -> None:
    case = report(terminal)
    with terminal.opens("chat", case, "--name", "grace") as grace:
        grace.shows("grace · awaiting reporter ›")
        grace.presses("I'll take it\r")
        grace.shows("the agent stopped: a developer has the case")
        grace.presses("close it\r")
        grace.shows("how was it resolved, and why?")
        grace.presses("duplicate: of bug-0001\r")
        grace.shows("seen: closed the case")
        grace.shows("grace · resolved ›")
        grace.presses("\x03")
        assert grace.ends() == 0
    assert terminal.reads_json("show", case)["resolution"] == "duplicate"


@pytest.mark.slow
def test_chat_from_a_pipe_sends_each_line_and_waits_for_its_receipt(terminal: Terminal) -> None:
    case = report(terminal)
    answer = terminal.types("chat", case, "--as", "reporter", stdin="The first one.\n\nNever mind.\n")
    assert answer.code == 0, answer
    assert "seen: closed the case  “Never mind.”" in answer.out
    assert receipts(terminal, case)[1:] == ["seen: the case was over: kept on the record", "seen: closed the case"]


@pytest.mark.slow
def test_a_chat_without_waiting_exits_with_3_before_the_receipt(terminal: Terminal) -> None:
    case = report(terminal)
    answer = terminal.types("chat", case, "--wait", "0", stdin="A word from the side.")
    assert answer.code == 3
    assert "A word from the side." in [line["text"] for line in conversation(terminal, case)]


@pytest.mark.slow
def test_commands_wait_for_their_receipts(terminal: Terminal) -> None:
    case = report(terminal)
    short = case.removeprefix("bug-").lower()
    assert terminal.types("takeover", short).out == f"{case}: seen: the agent stopped: a developer has the case\n"
    said = terminal.types("say", case.lower(), "I see it, too.").out
    assert said == f"{case}: seen: kept for the hand-back: a developer has the case\n"
    closed = terminal.types("close", case, "--resolution", "not-a-bug", "--reason", "it is an old joke")
    assert closed.out == f"{case}: seen: closed the case\n"
    assert "it is an old joke" in terminal.types("conversation", case).out
    again = terminal.types("close", case, "--resolution", "duplicate", "--reason", "x")
    assert (again.code, again.out) == (2, "")
    assert "is resolved already" in again.err


@pytest.mark.slow
def test_closing_a_bug_needs_a_resolution_and_a_reason(terminal: Terminal) -> None:
    case = report(terminal)
    for arguments in ([], ["--resolution", "done"], ["--resolution", "code_fix"]):
        answer = terminal.types("close", case, *arguments)
        assert answer.code == 2
        assert "--reason" in answer.err
    with terminal.opens("close", case) as window:
        window.shows("How was it resolved (code_fix, data_fix, config_fix, not_a_bug, duplicate, no_response)")
        window.presses("config fix\n")
        window.shows("Why, for the record")
        window.presses("the switch was off\n")
        assert window.ends() == 0
    assert terminal.reads_json("show", case)["resolution"] == "config_fix"


@pytest.mark.slow
def test_a_bug_can_be_shown_and_exported(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "screen.png").write_bytes(b"\x89PNG")
    case = report(terminal, "the greeting is broken", "--attach", tmp_path / "screen.png")
    shown = terminal.types("show", case).out
    assert f"{case} is awaiting reporter: waits for the reporter until" in shown
    assert "attached: screen.png, 4 bytes" in shown
    assert "Promised     P2: acknowledge met; resolve due in 23 h" in shown
    assert terminal.types("show", case, "--pull-request").out.startswith(f"{case} has no fix yet")
    assert terminal.types("show", case, "--follow").code == 0
    assert case in terminal.types("sla").out
    terminal.types("export", case, "--to", tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [name for name in names if not name.endswith(".png")] == ["bug.json", "conversation.md", "record.jsonl"]
    assert len(names) == 4
    document = json.loads(terminal.types("export", case).out)
    assert document["state"] == "awaiting_reporter"
    assert document["conversation"][0]["receipt"] == "seen by turn 1: read by the investigator, who asked the reporter"


@pytest.mark.slow
def test_a_refused_report_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # which is in no repository
    terminal = Terminal(tmp_path / "home")
    project = make_project(tmp_path / "project")
    rehearsed = ("report", "it is broken", "--rehearse", BUG_REHEARSAL)
    for arguments, words in (
        (rehearsed, "name it with `--repo FOLDER`"),
        ((*rehearsed, "--repo", project, "--attach", tmp_path / "none.png"), "none.png is not there"),
        ((*rehearsed, "--repo", tmp_path), "git -C"),
        (("report", "it is broken", "--repo", project), "no key and no rehearsal"),
        (("report", " ", "--repo", project), "no words"),
    ):
        answer = terminal.types(*arguments)
        assert (answer.code, answer.out) == (2, "")
        assert words in answer.err
        assert not terminal.home.exists()


@pytest.mark.slow
def test_interrupting_report_does_not_stop_the_case(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(terminal.environment, "CASEWORKER_REHEARSAL_PACE", "5")  # slow, so that there is time to leave
    with terminal.opens("report", "the greeting is broken", "--rehearse", BUG_REHEARSAL, "--name", "ada") as window:
        window.shows("Ctrl-C leaves, and the case goes on.")
        window.process.send_signal(signal.SIGINT)
        assert window.ends() == 130
        window.shows("`caseworker chat CASE` takes it up again.")
    terminal.waits_until(
        lambda: any(move["to_state"] == "awaiting_reporter" for move in terminal.entries("bug_moved")), "the question"
    )


@pytest.mark.slow
def test_an_issue_case_has_a_chat_and_refuses_commands_that_do_not_fit(terminal: Terminal, tmp_path: Path) -> None:
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n")
    project = make_project(tmp_path / "greeter")
    ran = terminal.types("run", "--repo", project, "--issue", issue, "--rehearse", REHEARSAL)
    assert ran.code == 0, ran.err
    answer = terminal.types("chat", "greeter#1", stdin="Well done.\n")
    assert answer.code == 0, answer
    assert "kept on the record; `agent/issue-1` waits for a merge  “Well done.”" in answer.out
    assert answer.out.count("The greeting misspells the world") == 1  # as its title only: the story so far is not shown
    wrong = terminal.types("chat", "greeter#1", stdin="retry\n")
    assert (wrong.code, "`retry` does not fit" in wrong.out) == (2, True)
    followed = terminal.types("show", "greeter#1", "--follow")
    assert (followed.code, "Merge it" in followed.out) == (0, True)
    *entries, summary = [
        json.loads(line) for line in terminal.types("show", "#1", "--follow", "--json").out.splitlines()
    ]
    assert (summary["kind"], all("entry" in entry for entry in entries)) == ("summary", True)
    refused = terminal.types("handback", "greeter#1")
    assert refused.code == 2
    assert "nobody has taken it over" in refused.err
    assert terminal.types("takeover", "greeter#1").code == 0
    assert "has taken it over" in terminal.types("why", "greeter#1").out
