"""A command that can't be done exits with 2, says in one sentence what to do, and leaves nothing behind."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.project import git, make_project
from tests.world.terminal import REHEARSAL, Answer, Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.md"
    path.write_text("# The greeting misspells the world\n")
    return path


def expect_refusal(terminal: Terminal, answer: Answer, *words: str) -> None:
    assert answer.code == 2, answer
    assert answer.out == ""
    assert answer.err.startswith("caseworker: ")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err
    assert not terminal.home.exists(), sorted(terminal.home.rglob("*"))


def test_a_run_without_key_and_rehearsal_is_refused(terminal: Terminal, project: Path, issue: Path) -> None:
    answer = terminal.types("run", "--repo", project, "--issue", issue)
    expect_refusal(terminal, answer, "no key and no rehearsal", "ANTHROPIC_API_KEY", "--rehearse")


def test_a_folder_that_is_no_repository_is_refused(terminal: Terminal, tmp_path: Path, issue: Path) -> None:
    answer = terminal.types("run", "--repo", tmp_path, "--issue", issue, "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, f"git -C {tmp_path} init")


@pytest.mark.slow
def test_a_path_that_does_not_exist_is_refused(terminal: Terminal, tmp_path: Path, issue: Path) -> None:
    answer = terminal.types("run", "--repo", tmp_path / "nowhere", "--issue", issue, "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, "nowhere")


def test_a_repository_with_no_commit_is_refused(terminal: Terminal, tmp_path: Path, issue: Path) -> None:
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "--quiet")
    answer = terminal.types("run", "--repo", tmp_path / "empty", "--issue", issue, "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, "no commit")


@pytest.mark.parametrize(("name", "text"), [("blank.md", " \n\n\t\n"), ("empty.json", "")])
def test_an_empty_issue_file_is_refused(
    terminal: Terminal, project: Path, tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    answer = terminal.types("run", "--repo", project, "--issue", tmp_path / name, "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, name, "is empty")


def test_a_missing_issue_file_is_refused(terminal: Terminal, project: Path) -> None:
    answer = terminal.types("run", "--repo", project, "--issue", "nothing.md", "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, "nothing.md")


def test_a_broken_rehearsal_is_refused_with_the_line(
    terminal: Terminal, project: Path, issue: Path, tmp_path: Path
) -> None:
    script = tmp_path / "broken.yaml"
    script.write_text("version: 1\nturns:\n  - role: pm\n    task: triage\n    steps:\n      - cal: Read\n")
    answer = terminal.types("run", "--repo", project, "--issue", issue, "--rehearse", script)
    expect_refusal(terminal, answer, "broken.yaml, line 6", "call")


def test_missing_bubblewrap_is_refused_with_what_to_install(project: Path, issue: Path, tmp_path: Path) -> None:
    """A PATH with git on it and no bwrap."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("git", "env"):
        (tools / tool).symlink_to(f"/usr/bin/{tool}")
    terminal = Terminal(tmp_path / "home", PATH=str(tools))
    answer = terminal.types("run", "--repo", project, "--issue", issue, "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, "bubblewrap", "install")


def test_a_misspelt_setting_is_refused_with_the_right_name(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "home", CASEWORKER_TEMPORAL_ADRESS="x:1")
    expect_refusal(terminal, terminal.types("cases"), "CASEWORKER_TEMPORAL_ADRESS", "CASEWORKER_TEMPORAL_ADDRESS")


def test_a_wrong_value_in_the_settings_file_is_refused_with_the_line(tmp_path: Path) -> None:
    config = tmp_path / "caseworker.toml"
    config.write_text('# ours\nbudget_usd = 2\nslots = "many"\n')
    terminal = Terminal(tmp_path / "home", CASEWORKER_CONFIG=str(config))
    expect_refusal(terminal, terminal.types("cases"), "caseworker.toml, line 3", "slots")


def test_cases_says_how_to_begin_when_there_are_none(terminal: Terminal) -> None:
    answer = terminal.types("cases")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("There are no cases yet. `caseworker demo`")
    assert not terminal.home.exists()


def test_a_command_about_a_case_that_names_none_says_where_they_are_listed(terminal: Terminal) -> None:
    expect_refusal(
        terminal, terminal.types("why"), "Which case?", "`caseworker cases` lists them", "`caseworker why CASE`"
    )


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A really full disk: a file system of one megabyte in memory."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "full"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_refused(full_disk: Path, project: Path, issue: Path) -> None:
    terminal = Terminal(full_disk / "home")
    answer = terminal.types("run", "--repo", project, "--issue", issue, "--rehearse", REHEARSAL)
    expect_refusal(terminal, answer, "MB are free", "CASEWORKER_HOME")
    expect_refusal(terminal, terminal.types("demo"), "MB are free")
