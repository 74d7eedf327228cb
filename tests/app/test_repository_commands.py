"""`check`, `recipe` and `cache`, as a person types them."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.check import check
from caseworker.app.terminal.recipes_and_caches import edit_recipe, forget_recipe, show_cache, show_recipe
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import LocalRepository
from caseworker.workspaces.kept_checks import KeptChecks
from tests.edges.repositories import Repository, new_repository

TESTS = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", setup_hosts=[])


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "calc", {"calc.py": "", "test_calc.py": TESTS})


@pytest.fixture
def console() -> Console:
    return Console(record=True, width=200, color_system=None)


async def test_a_check_says_what_was_found_and_that_it_works(
    settings: Settings, repository: Repository, console: Console
) -> None:
    assert await check(repository.path, settings, console, as_json=False) == 0
    said = console.export_text()
    assert "found       Python, by files named like tests of Python\n" in said
    assert "tests       `python3 -m unittest discover`: 1 test ran, 0 failed" in said
    assert "works: 1 test passes" in said
    assert not list((settings.home / "workspaces").glob("check*")), "nothing is left behind"
    kept = KeptChecks(settings.home).of(LocalRepository(path=repository.path))
    assert kept is not None
    assert (kept.kind, kept.source, kept.found) == ("works", "rules", ("Python, by files named like tests of Python",))


async def test_a_check_that_could_not_run_ends_with_a_remedy(
    settings: Settings, repository: Repository, console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({".caseworker.toml": '[commands]\ntest = "no-such-program --all"\n'})
    assert await check(repository.path, settings, console, as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["result"]["kind"] == "could_not_run"
    assert found["result"]["todo"].startswith("Install `no-such-program` where Caseworker runs")


async def test_a_check_elsewhere_names_the_repository_in_the_command_that_it_prints(
    settings: Settings, tmp_path: Path, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = TESTS.replace("pass", "import os; os._exit(0)")
    folder = new_repository(tmp_path / "my calc", {"calc.py": "", "test_calc.py": ends}).path
    assert await check(folder, settings, console, as_json=False) == 1
    said = console.export_text()
    assert "`python3 -m unittest discover` ended with exit code 0 before it told its results" in said
    assert f"`caseworker recipe edit --repo '{folder}'` opens the recipe" in said.replace("\n", "")
    monkeypatch.chdir(folder)
    assert await check(folder, settings, console, as_json=False) == 1
    assert "`caseworker recipe edit` opens the recipe" in console.export_text()


async def test_a_check_tells_a_mistake_in_the_settings_of_the_repository(
    settings: Settings, repository: Repository, console: Console
) -> None:
    repository.commit({".caseworker.toml": "budgt = 3\n"})
    with pytest.raises(Refused, match=r"line 1: `budgt` is not known\. Did you mean budget"):
        await check(repository.path, settings, console, as_json=False)


async def test_a_recipe_is_edited_used_and_forgotten(
    settings: Settings, repository: Repository, console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf \'[commands]\\ntest = "echo 7 passed"\\n\' > "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    await edit_recipe(repository.path, settings, console)
    assert await check(repository.path, settings, console, as_json=False) == 0
    assert "works: 7 tests pass" in console.export_text()
    await forget_recipe(repository.path, settings, console)
    await show_recipe(repository.path, settings, console, write=False, as_json=False)
    assert "test = 'python3 -m unittest discover'" in console.export_text()


async def test_a_recipe_that_can_not_be_read_is_not_kept(
    settings: Settings, repository: Repository, console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho '[commands]\ntests = 1' > \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    with pytest.raises(Refused, match="`tests` is not known in"):
        await edit_recipe(repository.path, settings, console)
    assert not (settings.home / "recipes").exists()


async def test_a_recipe_is_written_into_the_repository(
    settings: Settings, repository: Repository, console: Console
) -> None:
    await show_recipe(repository.path, settings, console, write=True, as_json=False)
    assert (repository.path / ".caseworker.toml").read_text() == "[commands]\ntest = 'python3 -m unittest discover'\n"
    with pytest.raises(Refused, match="has \\[commands\\] already"):
        await show_recipe(repository.path, settings, console, write=True, as_json=False)


def test_an_empty_cache_is_told_with_its_limit(settings: Settings, console: Console) -> None:
    show_cache(settings, console, clear=False, as_json=False)
    assert console.export_text().endswith("0 environments, 0.00 of at most 10 GB\n")
