"""`caseworker demo investigate`: a race that shows on one day in eight, from a wrong guess to a fix that holds.
Everything but the model is real: the agent's process, its diagnostic, the bisect, the sandbox, git and the tests."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from caseworker.app.demos.fix import lay_out
from caseworker.core.evidence.diagnostics import MARK
from tests.scenarios.test_demo_issues import expect_in_order
from tests.world.project import git
from tests.world.terminal import Terminal, open_terminal

CULPRIT = "Returns do not hold up the others"
BRANCH = "agent/issue-1"
RUNS = 200
PATIENCE = 240.0
"""Seconds. Longer than for the other demos: this one has twelve turns and three builds."""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home", CASEWORKER_REHEARSAL_PACE="0") as terminal:
        yield terminal


@pytest.fixture
def depot(tmp_path: Path) -> Path:
    with as_file(files("caseworker.app") / "demos" / "samples" / "depot") as sample:
        return lay_out(sample, tmp_path)


def days(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-m", "depot", *options]
    return subprocess.run(command, cwd=project, capture_output=True, text=True)


def commits(project: Path) -> list[str]:
    """Oldest first."""
    return git(project, "rev-list", "--reverse", "main").split()


def subject(project: Path, commit: str) -> str:
    return git(project, "log", "-1", "--format=%s", commit)


def checked_out(project: Path, commit: str, folder: Path) -> Path:
    git(project, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    return folder


def test_every_copy_of_the_sample_has_the_same_commits(depot: Path, tmp_path: Path) -> None:
    with as_file(files("caseworker.app") / "demos" / "samples" / "depot") as sample:
        again = lay_out(sample, tmp_path)
    assert again != depot
    assert commits(again) == commits(depot)
    assert len(commits(depot)) == 11
    assert git(depot, "status", "--porcelain") == ""


@pytest.mark.slow
def test_one_commit_introduces_the_race_and_no_test_of_the_sample_detects_it(depot: Path) -> None:
    seen: dict[str, bool] = {}
    for commit in commits(depot)[2:]:  # the first two commits can't simulate days yet
        git(depot, "checkout", "--quiet", commit)
        seen[subject(depot, commit)] = days(depot, "--seeds", "1-60").returncode == 0
        suite = [sys.executable, "-B", "-m", "unittest", "discover"]
        assert subprocess.run(suite, cwd=depot, capture_output=True).returncode == 0
    names, adds_up = list(seen), list(seen.values())
    first_bad = names.index(CULPRIT)
    assert adds_up == [True] * first_bad + [False] * (len(names) - first_bad)
    assert 2 <= first_bad <= len(names) - 4, "there are good commits before it and later commits after it"


def test_the_race_shows_on_25_of_200_days_and_needs_returns(depot: Path) -> None:
    assert days(depot, "--seeds", "1-200").stdout.startswith("25 of 200 days do not add up")
    assert days(depot, "--seeds", "1-200", "--without", "moves").stdout.startswith("28 of 200 days do not add up")
    assert days(depot, "--seeds", "1-200", "--without", "returns").stdout == "0 of 200 days do not add up\n"


@pytest.mark.slow
def test_an_investigation_finds_the_race_and_the_fix_holds(terminal: Terminal, tmp_path: Path) -> None:
    expect_the_story(shown(terminal))
    project = terminal.home / "demo" / "depot-1"
    expect_the_culprit(terminal, project)
    expect_no_diagnostic_left(terminal, project)
    test = git(project, "show", f"{BRANCH}:tests/test_many_days.py")
    base = checked_out(project, "main", tmp_path / "base")
    (base / "tests" / "test_many_days.py").write_text(test)
    failed = failing_runs(base)
    assert 0 < len(failed) < RUNS // 2, "it fails only sometimes"
    assert failing_runs(checked_out(project, BRANCH, tmp_path / "head")) == []


def shown(terminal: Terminal, *options: str) -> str:
    process = terminal.starts("demo", "investigate", *options)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, (out, err)
    return out


def expect_the_story(out: str) -> None:
    told = [
        "build 2, with the new test, without the fix: red",
        "build 3, with the fix: red",
        "the tester says FAIL_ESCALATE",
        "the tech lead says SPAWN_INVESTIGATOR",
        "▶ INVESTIGATING",
        "the investigator says NEED_DEVELOPER_DIAGNOSTIC",
        "the developer begins to measure",
        "the developer says DIAGNOSTIC_DONE",
        f"bisect 1: the first bad commit is 4b08cd9578f6 {CULPRIT}",
        "the investigator says ROOT_CAUSE_FOUND",
        "the tech lead says APPROVED",
        "build 4, with the fix: green",
        "agent/issue-1 is ready to merge into main",
        "2 of 5 iterations done. The tech lead has accepted H3",
        "entered",
        "Diagnostic 8",
        "Root cause",
        f"The first bad commit  4b08cd9578f6  {CULPRIT}",
        "200 runs of tests.test_many_days",
        "without a fix",
        "25\n",
        "with the first fix, a guess",
        "25\n",
        "with the fix of the cause",
        "0\n",
        "Cause, it says",
        "put_back reads the count before",
        "Merge it",
        "caseworker matrix depot-1/1",
    ]
    expect_in_order(out, told)


def expect_the_culprit(terminal: Terminal, project: Path) -> None:
    [bisected] = terminal.entries("bisected")
    assert bisected["status"] == "found"
    assert subject(project, str(bisected["culprit_hash"])) == CULPRIT
    [proven] = terminal.entries("cause_proven")
    assert isinstance(proven["evidence"], list)
    assert [piece["kind"] for piece in proven["evidence"]] == ["command", "file", "run", "run"]
    on_record = [piece["event"] for piece in proven["evidence"] if piece["kind"] != "file"]
    assert all(isinstance(event, int) for event in on_record), proven


def expect_no_diagnostic_left(terminal: Terminal, project: Path) -> None:
    """The diagnostic ran in a worktree that is gone, and none of its lines is in the pull request."""
    edits = [said for said in terminal.entries("turn_completed") if said["task"] == "diagnostic"]
    assert [turn["turn"] for turn in edits] == [8]
    change = git(project, "diff", f"main...{BRANCH}")
    assert "+            self.counts[shelf] = self._on(shelf) + number" in change
    assert MARK not in change
    assert "print(" not in change
    assert list((terminal.home / "workspaces").glob("*/side/*")) == []


def failing_runs(project: Path) -> list[int]:
    """Returns the seeds that fail. Runs the test in a new process for each seed, as a person would in a shell."""
    script = (
        f"for seed in $(seq {RUNS}); do SEED=$seed {sys.executable} -B -m unittest tests.test_many_days "
        "> /dev/null 2>&1 || echo $seed; done"
    )
    done = subprocess.run(["sh", "-c", script], cwd=project, capture_output=True, text=True, check=True)
    return [int(seed) for seed in done.stdout.split()]


@pytest.mark.slow
def test_the_investigate_demo_prints_the_200_runs_as_json(terminal: Terminal) -> None:
    *record, measured, summary = [json.loads(line) for line in shown(terminal, "--json").splitlines()]
    assert [line["entry"]["version"] for line in record if line["entry"]["kind"] == "matrix_revised"] == [1, 2, 3]
    assert (measured["kind"], measured["runs"]) == ("measured", RUNS)
    assert [len(commit["failed"]) for commit in measured["commits"]] == [25, 25, 0]
    assert (summary["kind"], summary["pull_request"]) == ("summary", 1)
