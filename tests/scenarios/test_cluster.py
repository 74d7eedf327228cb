"""A deployment with a Temporal cluster, PostgreSQL and a worker started by hand, without a host process."""

import asyncio
import re
import signal
from pathlib import Path

import pytest

from caseworker.engine.temporal_address import Address
from tests.databases import PostgresServer
from tests.patience import PATIENCE
from tests.world.project import git, make_project
from tests.world.terminal import BUG_REHEARSAL, REHEARSAL, Terminal


@pytest.mark.slow
async def test_a_cluster_worker_on_postgresql_completes_an_issue_and_a_bug(
    temporal: Address, postgres: PostgresServer, tmp_path: Path
) -> None:
    terminal = Terminal(
        tmp_path / "home",
        CASEWORKER_TEMPORAL_ADDRESS=temporal.target,
        CASEWORKER_DATABASE_URL=await postgres.new_database(template="migrated"),
    )
    project = make_project(tmp_path / "project")
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n")
    worker = terminal.starts("worker")
    try:
        run = ("run", "--repo", project, "--issue", issue, "--rehearse", REHEARSAL)
        answer = await asyncio.to_thread(terminal.types, *run)
        assert answer.code == 0, answer.err
        assert git(project, "show", "agent/issue-1:greeting.txt") == "Hello world"
        closed = await asyncio.to_thread(terminal.types, "close", "#1")
        assert "closed the case" in closed.out
        report = ("report", "something is broken", "--repo", project, "--rehearse", BUG_REHEARSAL)
        asked = await asyncio.to_thread(terminal.types, *report)
        assert "Which greeting did you see?" in asked.out, asked.err
        (bug,) = re.findall(r"bug-\w{4}", asked.out)[:1]
        resolution = ("--resolution", "not_a_bug", "--reason", "works as designed")
        closed = await asyncio.to_thread(terminal.types, "close", bug, *resolution)
        assert "closed the case" in closed.out, closed.err
    finally:
        worker.send_signal(signal.SIGTERM)
        _, err = await asyncio.to_thread(worker.communicate, timeout=PATIENCE)
    assert worker.returncode == 0, err
    assert not (terminal.home / "host.lock").exists()


@pytest.mark.slow
def test_an_unreachable_cluster_is_named_in_the_error(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "home", CASEWORKER_TEMPORAL_ADDRESS="127.0.0.1:1")
    answer = terminal.types("worker")
    assert answer.code == 3
    assert "Temporal does not answer at 127.0.0.1:1" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.slow
def test_a_worker_without_a_cluster_address_is_refused_with_the_setting(tmp_path: Path) -> None:
    answer = Terminal(tmp_path / "home").types("worker")
    assert answer.code == 2
    assert "CASEWORKER_TEMPORAL_ADDRESS" in answer.err
    assert list(tmp_path.iterdir()) == []
