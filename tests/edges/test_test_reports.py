"""Results per test of real runners in the sandbox, read outside of it; and reports that code under test forges."""

import shutil
from pathlib import Path

import pytest

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.evidence.builds import Command, CommandRun, Purpose
from caseworker.core.evidence.not_run import why_not_run
from caseworker.ports import Workspace
from caseworker.workspaces.builds import SandboxedBuilder
from caseworker.workspaces.report_files import read_report
from caseworker.workspaces.sandbox import Bubblewrap
from tests.patience import PATIENCE
from tests.permutations import mostly_slow

PYTEST = """\
import pytest
def test_ok(): pass
def test_bad(): assert 1 == 2
@pytest.mark.skip
def test_later(): pass
def test_broken(no_such_fixture): pass
"""
UNITTEST = """\
import unittest
class T(unittest.TestCase):
    def test_ok(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    @unittest.skip("later")
    def test_later(self): pass
"""
NODE = """\
const test = require('node:test'), assert = require('assert')
test('ok', () => {}); test('bad', () => assert.equal(1, 2)); test.skip('later', () => {})
"""
CARGO = """\
#[cfg(test)]
mod tests {
    #[test] fn ok() {}
    #[test] fn bad() { assert_eq!(1, 2) }
    #[test] #[ignore] fn later() {}
}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "tree" / "tests").mkdir(parents=True)
    return Workspace(case=CaseId("local/calc#1"), path=tmp_path / "tree", base=Sha("0" * 40), base_branch="main")


async def run(workspace: Workspace, command: str, **files: str) -> CommandRun:
    for name, text in files.items():
        (workspace.path / name.replace("__", "/").replace("_dot_", ".")).write_text(text)
    builder = SandboxedBuilder(Bubblewrap(workspace.path.parent / "sandbox"))
    wanted = [Command(purpose=Purpose.TEST, command=command)]
    return (await builder.run(workspace, wanted, seconds=PATIENCE))[0]


def results(run: CommandRun) -> dict[str, str]:
    assert run.report is not None, run.output
    ends = {test.name.rpartition(".")[2]: test.outcome.value for test in run.report.tests}
    return ends | {one.name.rpartition(".")[2]: "not run" for one in run.report.broken}


ENDS = {"test_ok": "passed", "test_bad": "failed", "test_later": "skipped"}


async def test_pytest_reports_each_test_also_below_make(workspace: Workspace) -> None:
    done = await run(workspace, "make test", tests__test_a_dot_py=PYTEST, Makefile="test:\n\tpython3 -m pytest -q\n")
    assert results(done) == ENDS | {"test_broken": "not run"}
    assert done.report is not None
    assert {test.file for test in done.report.tests} == {"tests/test_a.py"}
    assert "caseworker-report" not in done.output


async def test_unittest_reports_each_test(workspace: Workspace) -> None:
    done = await run(workspace, "python3 -m unittest tests.test_a", tests__test_a_dot_py=UNITTEST)
    assert (results(done), done.command) == (ENDS, "python3 -m unittest tests.test_a")


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
async def test_nodes_own_runner_reports_each_test(workspace: Workspace) -> None:
    done = await run(workspace, "node --test tests/", tests__a_dot_test_dot_js=NODE)
    assert done.report is not None
    ends = {test.name: test.outcome.value for test in done.report.tests}
    assert {name: ends[name] for name in ("ok", "bad", "later")} == {
        "ok": "passed",
        "bad": "failed",
        "later": "skipped",
    }


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
async def test_cargo_reports_each_test(workspace: Workspace) -> None:
    (workspace.path / "src").mkdir()
    manifest = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
    done = await run(workspace, "cargo test --offline", Cargo_dot_toml=manifest, src__lib_dot_rs=CARGO)
    ends = {name.rpartition("::")[2]: end for name, end in results(done).items()}
    assert ends == {"ok": "passed", "bad": "failed", "later": "skipped"}


# --- nothing ran


@pytest.mark.parametrize(
    ("command", "why"),
    mostly_slow(
        [
            ("python3 -m pytest -q tests/test_a.py::test_none", "no_test"),
            ("python3 -m unittest tests.test_import", "not_collected"),
            ("no-such-command", "missing_command"),
            ("python3 -m pytest -q tests/test_none.py", "no_test"),
            ("python3 -m pytest -q tests/test_import.py", "not_collected"),
            ("python3 -m unittest discover -s nowhere", "not_collected"),
            ("python3 -m no_such_runner", "missing_command"),
            ("sh tests/none.sh", "missing_command"),
            ("make nothing", "missing_command"),
        ],
        always=3,
    ),
)
async def test_what_did_not_run_is_told_with_its_reason(workspace: Workspace, command: str, why: str) -> None:
    files = {"tests__test_a_dot_py": PYTEST, "tests__test_import_dot_py": "import nothing_here\n"}
    done = await run(workspace, command, Makefile="test:\n\ttrue\n", **files)
    not_run = why_not_run(done)
    assert not_run is not None, done.output
    assert (not_run.why, done.exit_code != 0) == (why, True)


# --- hostile reports


async def test_a_swallowed_exit_code_does_not_make_a_failed_test_pass(workspace: Workspace) -> None:
    done = await run(workspace, "python3 -m pytest -q || true", tests__test_a_dot_py="def test_bad(): assert 0\n")
    assert (done.exit_code, done.passed) == (0, False)


FORGES = """\
import os, re
xml = re.search(r"--junitxml=(\\S+)", os.environ["PYTEST_ADDOPTS"])[1]
os.symlink("/etc/passwd", xml) if os.environ.get("HOW") == "link" else os.mkfifo(xml)
"""


@pytest.mark.parametrize("how", ["link", "pipe"])
async def test_a_report_that_is_no_regular_file_is_not_opened(workspace: Workspace, how: str) -> None:
    done = await run(workspace, f"HOW={how} python3 forge.py", forge_dot_py=FORGES)
    assert (done.exit_code, done.report) == (0, None)


def test_an_older_report_in_the_workspace_is_not_taken_for_the_runs_own(workspace: Workspace, tmp_path: Path) -> None:
    reports = workspace.path / "target" / "surefire-reports"
    reports.mkdir(parents=True)
    (reports / "TEST-a.xml").write_text('<testsuite><testcase name="a"/></testsuite>')
    written = (reports / "TEST-a.xml").stat().st_mtime_ns
    assert read_report(tmp_path, workspace.path, written + 1, "") is None
    found = read_report(tmp_path, workspace.path, written, "")
    assert found is not None
    assert found.passed == 1


def test_a_link_among_the_reports_of_maven_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    reports = workspace.path / "target" / "surefire-reports"
    reports.mkdir(parents=True)
    (tmp_path / "secret.xml").write_text('<testsuite><testcase name="secret"/></testsuite>')
    (reports / "TEST-a.xml").symlink_to(tmp_path / "secret.xml")
    assert read_report(tmp_path, workspace.path, 0, "") is None
