"""The sample in docs/rehearsal.md, used as a reader would: its files, what its turns do, and the resulting states."""

import subprocess
from pathlib import Path

import pytest

from caseworker.agents.rehearsal import Step, Turn, load_rehearsal
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.issue.routing import ROUTES
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.turns import TURN_OF
from caseworker.core.outcomes.outcome import Outcome, parse_outcome
from caseworker.core.outcomes.tester import TestsOutcome
from caseworker.intake.issues import read_issue

PAGE = (Path(__file__).parents[2] / "docs" / "rehearsal.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return [part.split("```")[0] for part in PAGE.split(f"```{language}\n")[1:]]


def works(command: str, folder: Path) -> bool:
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True).returncode == 0


@pytest.fixture
def till(tmp_path: Path) -> Path:
    subprocess.run(["bash", "-euc", blocks("sh")[0]], cwd=tmp_path, check=True, env={"PATH": "/usr/bin:/bin"})
    return tmp_path / "till"


def play(step: Step, workspace: Path) -> None:
    """Does what the agent's tools would do."""
    for tool in step.tool_calls():
        given = {key: str(value).replace("${workspace}", str(workspace)) for key, value in tool.arguments.items()}
        match tool.call:
            case "Write":
                Path(given["file_path"]).write_text(given["content"], encoding="utf-8")
            case "Edit":
                file = Path(given["file_path"])
                text = file.read_text(encoding="utf-8")
                assert text.count(given["old_string"]) == 1
                file.write_text(text.replace(given["old_string"], given["new_string"]), encoding="utf-8")
            case "Read":
                assert Path(given["file_path"]).exists()
            case "Bash":
                works(given["command"], workspace)
            case _:
                pytest.fail(f"{tool.call} is not played here")


def played(turn: Turn, workspace: Path) -> Outcome:
    for step in turn.steps[:-1]:
        play(step, workspace)
    return parse_outcome(turn.role, turn.task, turn.steps[-1].outcome)


def build_passes(workspace: Path) -> bool:
    files = subprocess.run(["git", "ls-files", "-co"], cwd=workspace, capture_output=True, text=True, check=True).stdout
    commands = find_plan(dict.fromkeys(files.splitlines(), "")).commands
    return bool(commands) and all(works(command.command, workspace) for command in commands)


def test_the_sample_goes_from_the_issue_to_a_pull_request(till: Path) -> None:
    assert read_issue(till.parent / "issue.md").title == "The last price is left out"
    assert build_passes(till), "before the change"
    state, red_first = IssueState.RECEIVED, ""
    for turn in load_rehearsal(blocks("yaml")[0], "rehearsal.yaml").turns:
        assert (turn.role, turn.task) == TURN_OF[state]
        outcome = played(turn, till)
        after = ROUTES[turn.role][outcome.status].to
        assert after is not None
        state = after
        if isinstance(outcome, TestsOutcome):
            red_first = outcome.test_command
            assert not works(red_first, till), "the new test has to fail without the fix"
        if state is IssueState.RUNNING_TESTS:
            assert works(red_first, till)
            assert build_passes(till)
            state = IssueState.REVIEWING_CODE
    assert state is IssueState.CREATING_PR


def test_the_command_in_the_page_names_the_samples_files(till: Path) -> None:
    words = blocks("sh")[1].split()
    assert words[:2] == ["caseworker", "run"]
    assert (till.parent / words[words.index("--repo") + 1] / ".git").exists()
    assert (till.parent / words[words.index("--issue") + 1]).exists()
    assert f"as `{words[words.index('--rehearse') + 1]}`" in PAGE


@pytest.mark.parametrize("script", sorted(Path("tests/world").glob("*.yaml")), ids=lambda path: path.name)
def test_the_scripts_of_the_slow_scenarios_fit_the_outcomes(script: Path) -> None:
    assert load_rehearsal(script.read_text(), script.name).turns
