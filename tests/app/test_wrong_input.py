"""Input that can't be meant as it was typed: refused with what to type instead, never an error of ours."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.edges.repositories import git
from tests.world.terminal import Terminal

HUGE = "9" * 23
NO_REPOSITORY = "and this folder is not inside a repository"


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "home")


@pytest.mark.parametrize(
    "words",
    [
        ("demo", "github", "--port", "99999"),
        ("demo", "github", "--port", "-5"),
        ("host", "codec", "--port", "99999"),
        ("logs", "--lines", HUGE),
        ("deliveries", "--limit", HUGE),
        ("caps", "--cases", HUGE),
        ("run", "--issue", HUGE),
        ("run", "--issue", "9" * 5_000),
        ("run", "--issue", "²"),
        ("ready", f"owner/repo#{HUGE}"),
        ("show", f"shop/{HUGE}"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_numbers_that_nothing_can_have_are_refused(terminal: Terminal, words: Sequence[str]) -> None:
    answer = terminal.types(*words)
    assert answer.code == 2, answer


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "--issue", ""), "`--issue` is empty. Give a Markdown file"),
        (("run", "my issue.md"), "`run` needs an issue. Write `caseworker run --issue 'my issue.md'`."),
        (
            ("run", "--repo", "https://github.com/acme/shop.git", "--issue", "1"),
            "https://github.com/acme/shop.git is a link, not a folder. Clone it and name the clone's folder, or name "
            "an issue by its link alone: `caseworker run --issue https://github.com/acme/shop/issues/NUMBER`.",
        ),
        (("run", "--issue", "1", "--until", "deploy"), "'--until': 'deploy' is not one of"),
        (("ready", "foo"), "foo names no pull request."),
        (("resolve", "foo"), "foo names no pull request."),
        (("init", "github", "--app", "--url", "nonsense"), "`--url nonsense` is no address."),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value)[:40],
)
def test_a_refusal_says_what_to_type_instead(terminal: Terminal, words: Sequence[str], told: str) -> None:
    answer = terminal.types(*words)
    assert (answer.code, told in answer.out + answer.err) == (2, True), answer


@pytest.mark.parametrize("words", [("run", "--issue", "x.md"), ("report", "bad"), ("issue", "list")])
def test_an_empty_repository_is_refused_with_its_own_message(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str]
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "x.md").write_text("# It is broken\n")
    monkeypatch.chdir(folder)
    assert NO_REPOSITORY in terminal.types(*words).err
    git(folder, "init", "--quiet")
    answer = terminal.types(*words)
    assert f"{folder} has no commit yet. Make one: git add" in answer.err
    assert NO_REPOSITORY not in answer.err
