"""The host process: one per home; how it is found, started, stopped and replaced, and what its errors say."""

import json
import os
import signal
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from caseworker.app.processes import early_host
from caseworker.app.processes.early_host import send_early_away, start_early
from caseworker.app.processes.find_host import start_host
from caseworker.app.settings import Settings
from caseworker.engine.host import HostPlace, spawn
from caseworker.engine.server import server_version
from tests.patience import PATIENCE
from tests.world.project import make_project
from tests.world.terminal import REHEARSAL, Terminal, is_alive, open_terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home") as terminal:
        yield terminal


@pytest.mark.slow
def test_five_host_starts_at_once_make_one_host(terminal: Terminal) -> None:
    starts = [terminal.starts("host", "start", "--json") for _ in range(5)]
    pids = set()
    for start in starts:
        out, err = start.communicate(timeout=PATIENCE)
        assert start.returncode == 0, err
        pids.add(json.loads(out)["pid"])
    assert len(pids) == 1


def test_a_host_that_was_started_early_is_the_one_that_works(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASEWORKER_HOME", str(terminal.home))
    settings = Settings(home=terminal.home)
    start_early(settings)
    (early,) = early_host._WAITING
    assert not terminal.home.exists(), "nothing is made before it is called in"
    terminal.home.mkdir()
    assert start_host(settings).pid == early.pid
    log = terminal.home / "host.log"
    terminal.waits_until(lambda: "host started" in log.read_text(), "a host that says that it has started")
    start_early(settings)
    assert early_host._WAITING == [], "where one runs, none is started"


def test_an_early_host_that_is_sent_away_creates_no_home(terminal: Terminal) -> None:
    start_early(Settings(home=terminal.home))
    (early,) = early_host._WAITING
    send_early_away()
    assert early.wait(PATIENCE) == 0
    assert not terminal.home.exists()


def test_a_host_started_early_leaves_when_another_was_faster(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASEWORKER_HOME", str(terminal.home))
    start_early(Settings(home=terminal.home))
    (early,) = early_host._WAITING
    terminal.home.mkdir()
    faster = spawn(HostPlace(terminal.home), ["-m", "caseworker.app.processes.host_process"])
    terminal.waits_until(HostPlace(terminal.home).is_locked, "a host with the lock")
    assert start_host(Settings(home=terminal.home)).pid == faster.pid
    assert early.wait(PATIENCE) == 0


@pytest.mark.slow
def test_a_killed_host_leaves_no_server_and_its_stale_file_is_ignored(terminal: Terminal) -> None:
    terminal.types("host", "start")
    old, server = terminal.host_pid, terminal.temporal_pid
    terminal.kills(old)
    terminal.waits_until(lambda: not is_alive(server), "the end of the orphaned server")
    assert (terminal.home / "host.json").exists()
    status = terminal.types("host", "status")
    assert status.code == 1
    assert "No host runs" in status.out
    assert terminal.types("host", "start").code == 0
    assert terminal.host_pid != old


@pytest.mark.slow
def test_a_stale_host_file_that_names_a_foreign_server_is_ignored(terminal: Terminal) -> None:
    """Another program listens on the port that the dead host's file names as Temporal's."""
    terminal.types("host", "start")
    terminal.kills(terminal.host_pid)
    path = terminal.home / "host.json"
    with socket.create_server(("127.0.0.1", 0)) as foreign:
        host = json.loads(path.read_text()) | {"pid": os.getpid(), "target": f"127.0.0.1:{foreign.getsockname()[1]}"}
        path.write_text(json.dumps(host))
        assert terminal.types("host", "status").code == 1
        answer = terminal.types("host", "start", "--json")
        assert json.loads(answer.out)["target"] != host["target"]


@pytest.mark.slow
def test_host_stop_ends_host_and_server_and_a_second_stop_says_so(terminal: Terminal) -> None:
    terminal.types("host", "start")
    pid, server = terminal.host_pid, terminal.temporal_pid
    assert terminal.types("host", "stop").out == "The host has stopped.\n"
    assert not is_alive(pid)
    assert not is_alive(server)
    assert terminal.types("host", "stop").out == "No host was running.\n"
    assert not (terminal.home / "host.json").exists()


@pytest.mark.slow
def test_a_host_of_another_version_is_replaced_when_idle(terminal: Terminal, tmp_path: Path) -> None:
    terminal.types("host", "start")
    old = terminal.host_pid
    path = terminal.home / "host.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"code": "another", "version": "0.0.9"}))
    answer = terminal.types(*_run(tmp_path))
    assert answer.code == 0, answer.err
    assert terminal.host_pid != old
    assert not is_alive(old)


@pytest.mark.slow
def test_a_host_of_another_version_at_work_is_left_alone_and_named(terminal: Terminal, tmp_path: Path) -> None:
    run = _run(tmp_path)
    terminal.types(*run, "--detach")
    terminal.waits_until(lambda: bool(terminal.entries("tool_called")), "an agent at work")
    path = terminal.home / "host.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"code": "another", "version": "0.0.9"}))
    answer = terminal.types(*run)
    assert answer.code == 2
    assert "another version (0.0.9)" in answer.err
    assert "caseworker host stop" in answer.err


@pytest.mark.slow
def test_temporal_data_of_another_version_is_set_aside_and_cases_go_on(terminal: Terminal, tmp_path: Path) -> None:
    run = _run(tmp_path)
    assert terminal.types(*run).code == 0
    terminal.types("host", "stop")
    (terminal.home / "temporal" / "temporal.version").write_text("0.9.9")
    assert terminal.types("host", "start").code == 0
    assert list((terminal.home / "temporal").glob("temporal-0.9.9-*.db"))
    assert (terminal.home / "temporal" / "temporal.version").read_text() == server_version()
    answer = terminal.types("close", "#1")
    assert "closed the case" in answer.out, answer.err + terminal.host_log()


@pytest.mark.slow
def test_damaged_temporal_data_is_reported_and_fresh_engine_repairs_it(terminal: Terminal) -> None:
    folder = terminal.home / "temporal"
    folder.mkdir(parents=True)
    (folder / "temporal.db").write_bytes(b"this is no database" * 1000)
    (folder / "temporal.version").write_text(server_version())
    answer = terminal.types("host", "start")
    assert answer.code == 2
    assert "Temporal's server did not start" in answer.err
    assert "--fresh-engine" in answer.err
    assert terminal.types("host", "start", "--fresh-engine").code == 0


@pytest.mark.slow
def test_cases_refuses_a_database_of_a_newer_version(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.types(*_run(tmp_path)).code == 0
    terminal.types("host", "stop")
    with sqlite3.connect(terminal.home / "caseworker.db") as database:
        database.execute("update alembic_version set version_num = '9999'")
    answer = terminal.types("cases")
    assert answer.code == 2
    assert "newer" in answer.err


@pytest.mark.slow
def test_an_idle_host_ends_by_itself(tmp_path: Path) -> None:
    with open_terminal(tmp_path / "home", CASEWORKER_IDLE_MINUTES="0.02") as terminal:
        terminal.types("host", "start")
        pid = terminal.host_pid
        terminal.waits_until(lambda: not is_alive(pid), "the host's end")


@pytest.mark.slow
def test_a_host_that_gets_sigterm_in_a_turn_gives_the_turn_back(terminal: Terminal, tmp_path: Path) -> None:
    run = _run(tmp_path)
    terminal.types(*run, "--detach")
    terminal.waits_until(lambda: bool(terminal.entries("tool_called")), "an agent at work")
    os.kill(terminal.host_pid, signal.SIGTERM)
    terminal.waits_until(lambda: not (terminal.home / "host.json").exists(), "the host's end")
    answer = terminal.types(*run)
    assert answer.code == 0, answer.err + terminal.host_log()


def _run(tmp_path: Path) -> list[str]:
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n")
    project = make_project(tmp_path / "project")
    return ["run", "--repo", str(project), "--issue", str(issue), "--rehearse", str(REHEARSAL)]
