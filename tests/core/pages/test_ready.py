"""The page about readiness is generated from the table of reasons, and is current."""

from pathlib import Path

from scripts.pages.ready import ready_page

PAGE = Path(__file__).parents[3] / "docs" / "ready.md"


def test_the_page_about_readiness_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == ready_page(), "run make pages"
