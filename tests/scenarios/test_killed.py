"""The real command, host, agent process and engine; kill -9 wherever it hurts."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.world.project import git, make_project
from tests.world.terminal import REHEARSAL, Terminal, open_terminal

ROLES = ["pm", "analyst", "tester", "developer", "tech_lead"]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home") as terminal:
        yield terminal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def run(tmp_path: Path, project: Path) -> list[str]:
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n\nIt says wrold.\n")
    return ["run", "--repo", str(project), "--issue", str(issue), "--rehearse", str(REHEARSAL)]


def expect_one_of_everything(terminal: Terminal, project: Path) -> None:
    """One branch, one pull request, one entry per transition, and no half-edited file."""
    assert git(project, "branch", "--list", "agent/*") == "agent/issue-1"
    assert git(project, "rev-list", "--count", "main..agent/issue-1") == "1"
    assert git(project, "diff", "--name-only", "main", "agent/issue-1").split() == ["greeting.txt", "tests/world.sh"]
    assert git(project, "show", "agent/issue-1:greeting.txt") == "Hello world"
    assert len(terminal.entries("pull_request_opened")) == 1
    assert len(terminal.entries("branch_pushed")) == 1
    assert [entry["number"] for entry in terminal.entries("transitioned")] == [1, 2, 3, 4, 5, 6, 7]
    assert [entry["turn"] for entry in terminal.entries("turn_completed")] == [1, 2, 3, 4, 5]


@pytest.mark.timeout(240)
def test_a_worker_killed_in_every_roles_turn_costs_nothing_but_time(
    terminal: Terminal, project: Path, run: list[str]
) -> None:
    assert terminal.types(*run, "--detach").code == 0
    for role in ROLES:
        terminal.waits_until(partial(_is_in_the_middle, terminal, role), f"the {role} in its turn")
        terminal.kills(terminal.host_pid)
        assert terminal.types("host", "start").code == 0
    answer = terminal.types(*run)
    assert answer.code == 0, answer.err + terminal.host_log()
    expect_one_of_everything(terminal, project)
    attempts = {entry["role"]: entry["attempt"] for entry in terminal.entries("turn_completed")}
    assert attempts == dict.fromkeys(ROLES, 2)


def _is_in_the_middle(terminal: Terminal, role: str) -> bool:
    started = [entry for entry in terminal.entries("turn_started") if entry["role"] == role]
    return bool(started) and any(entry["turn"] == started[-1]["turn"] for entry in terminal.entries("tool_called"))


@pytest.mark.timeout(120)
def test_who_watches_a_case_whose_host_is_killed_sees_it_go_on(
    terminal: Terminal, project: Path, run: list[str]
) -> None:
    watcher = terminal.starts(*run)
    terminal.waits_until(partial(_is_in_the_middle, terminal, "analyst"), "the analyst in its turn")
    terminal.kills(terminal.host_pid)
    _, err = watcher.communicate(timeout=60)
    assert watcher.returncode == 0, err
    expect_one_of_everything(terminal, project)


@pytest.mark.timeout(120)
def test_the_temporal_server_killed_between_two_turns_comes_back_by_itself(
    terminal: Terminal, project: Path, run: list[str]
) -> None:
    assert terminal.types(*run, "--detach").code == 0
    terminal.waits_until(lambda: len(terminal.entries("turn_completed")) >= 2, "the second turn's end")
    before = terminal.temporal_pid
    terminal.kills(before)
    answer = terminal.types(*run)
    assert answer.code == 0, answer.err + terminal.host_log()
    assert terminal.temporal_pid != before
    expect_one_of_everything(terminal, project)


@pytest.mark.timeout(120)
def test_a_run_may_be_interrupted_and_taken_up_and_two_may_watch(
    terminal: Terminal, project: Path, run: list[str]
) -> None:
    first = terminal.starts(*run)
    terminal.waits_until(lambda: len(terminal.entries("turn_started")) >= 1, "the first turn")
    first.send_signal(2)
    _, err = first.communicate(timeout=20)
    assert first.returncode == 130
    assert "takes it up again" in err
    watchers = [terminal.starts(*run) for _ in range(2)]
    for watcher in watchers:
        _, err = watcher.communicate(timeout=60)
        assert watcher.returncode == 0, err
    expect_one_of_everything(terminal, project)
