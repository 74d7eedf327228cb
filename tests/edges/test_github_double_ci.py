"""CI of our own GitHub: real workflow files, run by the real act."""

from pathlib import Path

import pytest

from caseworker.github_double.acts.pull_acts import create_pull
from caseworker.github_double.acts.repository_acts import fork_repository, protect
from caseworker.github_double.acts.workflow_acts import approve_run, rerun, rerun_failed
from caseworker.github_double.ci.act_output import ActOutput
from caseworker.github_double.ci.listener import run_ci
from caseworker.github_double.ci.workflow_files import read_workflow
from caseworker.github_double.derive.check_results import attempt_conclusion, required_results, rollup, suite_conclusion
from caseworker.github_double.entities.check_records import WorkflowRun
from caseworker.github_double.state import Event
from tests.edges.github_stage import Stage, person, propose, set_up

JOBS = """\
name: CI
on: [push, pull_request]
jobs:
  test:
    name: Tests
    runs-on: ubuntu-latest
    strategy: {matrix: {size: [1, 2]}}
    steps:
      - uses: actions/checkout@v4
      - name: Look at the price
        run: |
          echo "looked at size ${{ matrix.size }}"
          test ${{ matrix.size }} = 1 || { echo "::error file=shop.py,line=1::too large"; exit 1; }
  after:
    needs: test
    runs-on: ubuntu-latest
    steps: [{run: echo after}]
"""
PULLS_ONLY = """\
on: {pull_request: {branches: [main]}}
jobs:
  price:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: grep -q "PRICE = 3" shop.py
"""


def ends(run: WorkflowRun) -> dict[str, str | None]:
    return {job.check_run.name: job.check_run.conclusion for job in run.jobs}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return set_up(tmp_path, workflow=PULLS_ONLY)


async def test_a_push_runs_the_workflow_and_reports_each_job(tmp_path: Path) -> None:
    stage = set_up(tmp_path, workflow=JOBS)
    told: list[Event] = []
    stage.github.listeners.append(told.append)
    async with run_ci(stage.github) as ci:
        head = propose(stage.github, stage.sam, stage.shop, "new", "shop.py", b"PRICE = 4\nTAX = 2\n")
        await ci.idle()
    [run] = [one for one in stage.shop.records.workflow_runs if one.suite.head_sha == head]
    assert ends(run) == {"Tests (1)": "success", "Tests (2)": "failure", "after": "skipped"}
    failed = next(job for job in run.jobs if job.check_run.name == "Tests (2)")
    assert "looked at size 2" in failed.log
    assert [(one.path, one.message) for one in failed.check_run.output.annotations] == [
        ("shop.py", "too large"),
        (".github", "Process completed with exit code 1."),
    ]
    assert [line.partition(" ")[2] for line in failed.log.splitlines()][-6:-2] == [
        "##[endgroup]",
        "looked at size 2",
        "##[error]too large",
        "##[error]Process completed with exit code 1.",
    ]
    assert [step.conclusion for step in failed.steps if step.name == "Look at the price"] == ["failure"]
    names = [event.full_name for event in told if event.name in ("check_run", "check_suite", "workflow_run")]
    # Each of the two pushes to the branch (its creation and its commit) has one run with three jobs.
    assert sorted(set(names)) == [
        "check_run.completed",
        "check_run.created",
        "check_suite.completed",
        "workflow_run.completed",
        "workflow_run.requested",
    ]
    assert names.count("workflow_run.completed") == 2
    assert names.count("check_suite.completed") == 2


async def test_a_pull_request_is_tested_merged_and_again_on_request(stage: Stage) -> None:
    github, shop = stage.github, stage.shop
    async with run_ci(github) as ci:
        head = propose(github, stage.sam, shop, "other", "notes.md", b"notes\n")
        pull = create_pull(github, stage.sam, shop, title="Add notes", head="other", base="main")
        await ci.idle()
        assert rollup(shop, head) == "FAILURE"  # the price of main is 1
        [run] = [one for one in shop.records.workflow_runs if one.pull_numbers == [pull.number]]
        assert (run.event, run.suite.head_sha) == ("pull_request", head)
        rerun(github, stage.olga, shop, run)
        await ci.idle()
    assert [(job.attempt, job.check_run.conclusion) for job in run.jobs] == [(1, "failure"), (2, "failure")]


@pytest.mark.slow
async def test_only_what_failed_is_tried_again_and_the_old_attempt_stays(tmp_path: Path) -> None:
    stage = set_up(tmp_path, workflow=JOBS)
    async with run_ci(stage.github) as ci:
        head = propose(stage.github, stage.sam, stage.shop, "fix-price", "shop.py", b"PRICE = 4\nTAX = 2\n")
        await ci.idle()
        run = next(one for one in stage.shop.records.workflow_runs if one.suite.head_sha == head)
        rerun_failed(stage.github, stage.olga, stage.shop, run)
        assert suite_conclusion(run.suite) is None
        await ci.idle()
    tried = [(job.attempt, job.check_run.name) for job in run.jobs]
    assert sorted(tried) == [(1, "Tests (1)"), (1, "Tests (2)"), (1, "after"), (2, "Tests (2)"), (2, "after")]
    assert [one.actor.login for one in run.attempts] == ["sam", "olga"]
    assert attempt_conclusion(run, 1) == suite_conclusion(run.suite) == "failure"


async def test_a_path_filter_leaves_a_required_check_unreported(tmp_path: Path) -> None:
    filtered = PULLS_ONLY.replace("branches: [main]", "paths: ['shop.py']")
    stage = set_up(tmp_path, workflow=filtered)
    protect(stage.github, stage.olga, stage.shop, "main", checks=["price"])
    async with run_ci(stage.github) as ci:
        propose(stage.github, stage.sam, stage.shop, "other", "notes.md", b"notes\n")
        pull = create_pull(stage.github, stage.sam, stage.shop, title="Add notes", head="other", base="main")
        await ci.idle()
    assert stage.shop.records.workflow_runs == []
    assert set(required_results(pull).values()) == {"missing"}


async def test_a_conflicting_pull_request_starts_nothing(stage: Stage) -> None:
    async with run_ci(stage.github) as ci:
        propose(stage.github, stage.olga, stage.shop, "main", "shop.py", b"PRICE = 9\nTAX = 2\n")
        propose(stage.github, stage.sam, stage.shop, "fix-price", "shop.py", b"PRICE = 3\nTAX = 1\n")
        await ci.idle()
    assert stage.shop.records.workflow_runs == []


async def test_a_newcomers_fork_waits_for_a_maintainer(stage: Stage) -> None:
    github = stage.github
    mia = person(github, "mia")
    fork = fork_repository(github, mia, stage.shop)
    async with run_ci(github) as ci:
        propose(github, mia, fork, "cheap", "shop.py", b"PRICE = 3\nTAX = 2\n")
        create_pull(github, mia, stage.shop, title="Cheaper", head="mia:cheap", base="main")
        await ci.idle()
        [run] = stage.shop.records.workflow_runs
        assert (run.jobs, suite_conclusion(run.suite)) == ([], "action_required")
        approve_run(github, stage.olga, stage.shop, run)
        await ci.idle()
    assert ends(run) == {"price": "success"}


@pytest.mark.slow
async def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    slow = "on: push\njobs:\n  slow:\n    runs-on: ubuntu-latest\n    steps: [{run: sleep 60}]\n"
    stage = set_up(tmp_path, workflow=slow)
    async with run_ci(stage.github, seconds=1.5) as ci:
        propose(stage.github, stage.olga, stage.shop, "main", "shop.py", b"PRICE = 9\nTAX = 2\n")
        await ci.idle()
    [run] = stage.shop.records.workflow_runs
    assert ends(run) == {"slow": "timed_out"}


async def test_an_unreadable_workflow_is_a_startup_failure(tmp_path: Path) -> None:
    stage = set_up(tmp_path, workflow="on: [push\njobs: {")
    async with run_ci(stage.github) as ci:
        propose(stage.github, stage.olga, stage.shop, "main", "shop.py", b"PRICE = 9\nTAX = 2\n")
        await ci.idle()
    [run] = stage.shop.records.workflow_runs
    assert ends(run) == {".github/workflows/ci.yml": "startup_failure"}


@pytest.mark.parametrize(
    ("on", "event", "branch", "action", "starts"),
    [
        ("push", "push", "main", None, True),
        ("push", "pull_request", "main", "opened", False),
        ("[push, pull_request]", "pull_request", "main", "synchronize", True),
        ("{push: {branches: [main]}}", "push", "other", None, False),
        ("{push: {branches: ['release/*']}}", "push", "release/1", None, True),
        ("{push: {branches-ignore: [wip]}}", "push", "wip", None, False),
        ("{pull_request: {types: [labeled]}}", "pull_request", "main", "opened", False),
        ("{pull_request: {types: [labeled]}}", "pull_request", "main", "labeled", True),
        ("pull_request", "pull_request", "main", "labeled", False),
    ],
)
def test_a_workflow_starts_on_what_it_names(on: str, event: str, branch: str, action: str | None, starts: bool) -> None:
    workflow = read_workflow("ci.yml", f"on: {on}\njobs: {{a: {{}}}}")
    assert workflow.starts_on(event, branch, action, ["shop.py"]) is starts


@pytest.mark.parametrize(
    ("filters", "changed", "starts"),
    [
        ("paths: ['src/**']", ["src/a/b.py", "README.md"], True),
        ("paths: ['src/**']", ["README.md"], False),
        ("paths: ['**.md', '!docs/**']", ["docs/a.md"], False),
        ("paths-ignore: ['docs/**']", ["docs/a.md"], False),
        ("paths-ignore: ['docs/**']", ["docs/a.md", "shop.py"], True),
    ],
)
def test_path_filters_decide_by_what_has_changed(filters: str, changed: list[str], starts: bool) -> None:
    text = f"on: {{pull_request: {{{filters}}}}}\njobs: {{test: {{steps: []}}}}\n"
    assert read_workflow("ci.yml", text).starts_on("pull_request", "main", "opened", changed) is starts


def test_a_leg_of_a_matrix_has_its_own_result() -> None:
    output = ActOutput(read_workflow("ci.yml", "on: push\njobs: {test: {}}"))
    for leg, step in (("1", "success"), ("2", "failure")):
        about = f'"job": "CI/test-{leg}", "jobID": "test", "matrix": {{"v": {leg}}}'
        output.feed(f'{{{about}, "msg": "", "step": "run", "stepResult": "{step}"}}')
        output.feed(f'{{{about}, "msg": "", "jobResult": "failure"}}')
    assert {job.name: job.conclusion for job in output.jobs.values()} == {"test (1)": "success", "test (2)": "failure"}
