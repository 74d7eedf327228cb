"""`caseworker demo bug`: one command, from a vague report to a pull request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world.project import git
from tests.world.terminal import Terminal, open_terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(tmp_path / "home", CASEWORKER_REHEARSAL_PACE="0") as terminal:
        yield terminal


@pytest.mark.slow
def test_the_bug_demo_ends_with_a_pull_request(terminal: Terminal) -> None:
    answer = terminal.types("demo", "bug")
    assert answer.code == 0, answer
    lines = answer.out.splitlines()
    told = [
        "ada (reporter): checkout is broken",
        "caseworker → reporter: What did you order",
        "ada (reporter): Two blankets",
        "ada (reporter): Oh, and with a sticker",
        "caseworker → reporter: You are right",
        "caseworker → developers: Orders of exactly 50.00",
        "grace (developer): Well found. Please fix it",
        "The fix is being worked on as",
        "agent/issue-1 is ready to merge into main",
        "caseworker → developers: Branch `agent/issue-1` is ready",
        "Merge it",
        "Next, type one of these:",
    ]
    places = [next((n for n, line in enumerate(lines) if words in line), None) for words in told]
    assert None not in places, (told[places.index(None)], answer.out)
    assert places == sorted(place for place in places if place is not None)
    assert any("↳ seen by turn 2" in line and "Oh, and with a sticker" in line for line in lines)
    assert git(terminal.home / "demo" / "shop-1", "branch", "--list", "agent/*") == "agent/issue-1"
