"""A host that runs opens cases for commands; what it can't open, the command opens or refuses itself."""

import json
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.project import make_project
from tests.world.terminal import REHEARSAL, Terminal, open_terminal

OPENED = "case opened for a command"
LEFT = "a command opens its case itself"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home") as terminal:
        terminal.types("host", "start")
        yield terminal


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.md"
    path.write_text("# The greeting misspells the world\n")
    return path


def test_the_host_opens_a_new_case_and_the_command_tells_of_a_known_one(
    terminal: Terminal, tmp_path: Path, issue: Path
) -> None:
    run = ("run", "--repo", make_project(tmp_path / "project"), "--issue", issue, "--rehearse", REHEARSAL)
    assert stat.S_IMODE((terminal.home / "host.socket").stat().st_mode) == 0o600
    said = json.loads(terminal.types(*run, "--until", "triage", "--budget", "3", "--detach", "--json").out)
    assert said["case"] == "local/project#1"
    assert terminal.host_log().count(OPENED) == 1
    (opened,) = terminal.entries("case_opened")
    again = terminal.types(*run, "--budget", "4")
    assert "local/project#1 was opened before" in again.out
    assert "Its budget stays as it is; `caseworker budget project/1 +2` would raise it by $2." in again.out
    assert "It keeps the model" not in again.out
    another = tmp_path / "another.yaml"
    another.write_text(f"{REHEARSAL.read_text()}\n")
    assert "It keeps the model that it was opened with;" in terminal.types(*run[:-1], another).out
    assert terminal.entries("case_opened") == [opened]
    assert terminal.host_log().count(OPENED) == 1


def test_an_issue_on_standard_input_is_opened_by_the_command(terminal: Terminal, tmp_path: Path) -> None:
    run = ("run", "--repo", make_project(tmp_path / "project"), "--issue", "-", "--rehearse", REHEARSAL, "--detach")
    assert terminal.types(*run, stdin="# The greeting misspells the world\n").code == 0
    assert len(terminal.entries("case_opened")) == 1
    assert OPENED not in terminal.host_log()


def test_what_the_host_refuses_the_command_refuses_in_its_words(
    terminal: Terminal, tmp_path: Path, issue: Path
) -> None:
    answer = terminal.types("run", "--repo", tmp_path, "--issue", issue, "--rehearse", REHEARSAL)
    assert answer.code == 2
    assert answer.err.startswith(f"caseworker: {tmp_path} is not a git repository.")
    assert LEFT in terminal.host_log()
    assert terminal.entries("case_opened") == []


def test_a_question_that_names_a_pipe_does_not_hold_the_host_up(
    terminal: Terminal, tmp_path: Path, issue: Path
) -> None:
    """Somebody else than the command may ask: a pipe that nobody writes to would never end."""
    os.mkfifo(tmp_path / "pipe")
    project = make_project(tmp_path / "project")
    asked = {"repository": project, "issue": issue, "rehearsal": tmp_path / "pipe", "budget_usd": None, "until": None}
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(30)
        door.connect(str(terminal.home / "host.socket"))
        door.sendall(json.dumps({**asked, "author": "ada"}, default=str).encode() + b"\n")
        assert door.recv(1) == b""
    assert "is not a file" in terminal.host_log()


def test_a_budget_that_is_no_amount_is_refused(terminal: Terminal, tmp_path: Path, issue: Path) -> None:
    run = ("run", "--repo", make_project(tmp_path / "project"), "--issue", issue, "--rehearse", REHEARSAL)
    answers = [terminal.types(*run, "--budget", amount) for amount in ("inf", "1e308")]
    assert [answer.code for answer in answers] == [2, 2]
    assert terminal.entries("case_opened") == []
