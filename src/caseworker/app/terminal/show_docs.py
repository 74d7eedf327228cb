"""`caseworker docs`: lists the pages of the documentation that were installed, or prints one."""

import re
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

import caseworker
from caseworker.app.terminal.text_console import print_commands, write_document
from caseworker.core.base.errors import Refused
from caseworker.core.base.toml_lines import likely

DOCS = Path(caseworker.__file__).parent / "docs"


def show_docs(console: Console, name: str | None) -> None:
    pages = _pages()
    if not pages:
        raise Refused(f"There are no pages in {DOCS}.", todo="Install Caseworker again.")
    if name is None:
        listed = [(page, _about(path)) for page, path in pages.items() if "/" not in page]
        print_commands([(f"caseworker docs {page}", about) for page, about in listed], console)
        return
    wanted = _page_of(name, pages)
    if wanted not in pages:
        meant = likely(wanted, pages)
        todo = f"Did you mean `caseworker docs {meant}`?" if meant else "`caseworker docs` lists all pages."
        raise Refused(f"There is no page `{name}`.", todo=todo)
    write_document(pages[wanted].read_text(encoding="utf-8"))


def _pages() -> dict[str, Path]:
    """By name: `settings`, `decisions`, `decisions/0012-writers-share-transactions`."""
    pages = {path.stem: path for path in sorted(DOCS.glob("*.md")) if path.stem != "index"}
    decisions = sorted(path for path in (DOCS / "decisions").glob("*.md") if path.stem != "README")
    overview = {"decisions": DOCS / "decisions" / "README.md"} if decisions else {}
    return {**pages, **overview, **{f"decisions/{path.stem}": path for path in decisions}}


def _page_of(name: str, pages: Iterable[str]) -> str:
    """The name of the page that is meant: also as messages and links name it (docs/github.md,
    ../decisions/0012-writers-share-transactions.md), and a decision by its number alone."""
    wanted = re.sub(r"^(\.\./)*(docs/)?|(/README)?\.md(#.*)?$", "", name)
    if number := re.fullmatch(r"(?:decisions/)?(\d{1,4})(?:-.*)?", wanted):
        start = f"decisions/{int(number[1]):04}-"
        return next((page for page in pages if page.startswith(start)), wanted)
    return wanted


def _about(page: Path) -> str:
    """The title of the page; of the decisions, which are not listed one by one, also how to print one."""
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f"{title}; `caseworker docs 12` prints number 12" if page.stem == "README" else title
