"""Kills the host with -9 in every iteration and diagnostic of an investigation, and while its cause is reviewed.

The command, the host, the agent process and Temporal's server are real. No iteration is counted twice.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.world.project import git, make_project
from tests.world.terminal import REHEARSAL, Terminal, open_terminal

CASE = "#1"
INVESTIGATING = REHEARSAL.with_name("investigating.yaml")
TURNS = ("iterate", "iterate", "diagnostic", "iterate", "iterate", "diagnostic", "iterate")
JUDGED = "validate_root_cause"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home", CASEWORKER_BUDGET_USD="1000") as terminal:
        yield terminal


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_an_investigation_survives_a_kill_in_every_iteration_and_diagnostic(terminal: Terminal, tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n")
    run = ["run", "--repo", str(project), "--issue", str(issue), "--rehearse", str(INVESTIGATING)]
    assert terminal.types(*run, "--detach").code == 0
    speaking = []
    for number, task in enumerate((*TURNS, JUDGED), 1):
        terminal.waits_until(lambda n=number, t=task: _is_halfway(terminal, n, t), f"{task}, turn {number} of them")  # type: ignore[misc]
        terminal.kills(terminal.host_pid)
        speaking.append(terminal.starts("say", CASE, f"Said in turn {number}.", "--name", "Ada"))
    terminal.waits_until(lambda: bool(terminal.entries("pull_request_opened")), "a pull request")
    for one in speaking:
        assert one.wait(timeout=PATIENCE) == 0
    completed = [entry for entry in terminal.entries("turn_completed") if entry["task"] in {*TURNS, JUDGED}]
    assert [entry["task"] for entry in completed] == [*TURNS, JUDGED]
    assert {entry["attempt"] for entry in completed} == {2}
    revised = [entry["iteration"] for entry in terminal.entries("matrix_revised")]
    assert revised == [1, 2, 3, 4, 5]
    assert git(project, "show", "agent/issue-1:greeting.txt") == "Hello world"
    assert len(terminal.entries("pull_request_opened")) == 1
    assert not list(terminal.home.glob("workspaces/*/side/*"))
    terminal.waits_until(lambda: all(one["outcome"] for one in _messages(terminal)), "an end of every message")


def _is_halfway(terminal: Terminal, number: int, task: str) -> bool:
    """Tells whether the investigation's turn with this number has begun and has used a tool."""
    turns: list[object] = []
    since: list[object] = []
    for entry in terminal.entries("turn_started", "tool_returned"):
        if entry["kind"] == "tool_returned":
            since.append(entry)
        elif entry["task"] in {*TURNS, JUDGED} and entry["turn"] not in turns:
            turns.append(entry["turn"])
            since = []
    started = [entry for entry in terminal.entries("turn_started") if entry["task"] in {*TURNS, JUDGED}]
    return len(turns) == number and started[-1]["task"] == task and bool(since)


def _messages(terminal: Terminal) -> list[dict[str, str]]:
    messages = terminal.reads_json("show", CASE)["messages"]
    assert isinstance(messages, list)
    return messages
