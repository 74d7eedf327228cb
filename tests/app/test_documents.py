"""Documents that are written from the program, or that the program points to."""

import re
from pathlib import Path

import pytest
from scripts.pages.commands import commands_page
from typer.testing import CliRunner

from caseworker.app.cli.main import app
from caseworker.app.terminal.show_docs import DOCS
from caseworker.core.base.errors import Refused

ROOT = Path(__file__).parents[2]
RUNNER = CliRunner()


def test_the_page_of_commands_is_what_the_program_says() -> None:
    """After a change: `make pages`."""
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == commands_page()


def test_every_page_that_a_message_names_can_be_printed() -> None:
    named = {
        found
        for path in (ROOT / "src").rglob("*.py")
        for found in re.findall(r"docs/([a-z-]+\.md)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 3
    for page in named:
        assert RUNNER.invoke(app, ["docs", f"docs/{page}"]).output.startswith("# "), page


def test_pages_are_listed_and_a_misspelt_one_is_answered_with_the_likely_one() -> None:
    listed = RUNNER.invoke(app, ["docs"]).output
    assert all(f"caseworker docs {page.stem}" in listed for page in DOCS.glob("*.md") if page.stem != "index")
    assert "caseworker docs decisions" in listed
    outcome = RUNNER.invoke(app, ["docs", "setings"])
    assert isinstance(outcome.exception, Refused)
    assert str(outcome.exception) == "There is no page `setings`. Did you mean `caseworker docs settings`?"


def test_every_page_that_a_page_links_to_can_be_printed() -> None:
    links = {
        link
        for page in (*DOCS.glob("*.md"), DOCS / "decisions" / "README.md")
        for link in re.findall(r"\]\(([a-z0-9/-]+\.md|decisions/README\.md)[#)]", page.read_text(encoding="utf-8"))
    }
    assert {"decisions/README.md", "0001-the-store-is-the-queue.md", "settings.md"} <= links
    for link in links:
        assert RUNNER.invoke(app, ["docs", link]).output.startswith("# "), link
    assert RUNNER.invoke(app, ["docs", "12"]).output.startswith("# 12"), "by its number alone"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_the_pages_outside_docs_lead_somewhere(name: str) -> None:
    """The site checks those inside (`make docs`)."""
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    missing = [link for link in links if not (ROOT / link.partition("#")[0]).exists()]
    assert missing == ([] if name != "CONTRIBUTING.md" else [one for one in missing if one == "SECURITY.md"])
