"""`caseworker docs`: lists the pages of the documentation that were installed, or prints one."""

import re
from pathlib import Path

from rich.console import Console

import caseworker
from caseworker.app.terminal.text_console import print_commands, write_document
from caseworker.core.base.errors import Refused
from caseworker.core.base.toml_lines import likely

DOCS = Path(caseworker.__file__).parent / "docs"


def show_docs(console: Console, name: str | None) -> None:
    pages = {path.stem: path for path in sorted(DOCS.glob("*.md")) if path.stem != "index"}
    if not pages:
        raise Refused(f"There are no pages in {DOCS}.", todo="Install Caseworker again.")
    if name is None:
        print_commands([(f"caseworker docs {page}", _about(path)) for page, path in pages.items()], console)
        return
    wanted = re.sub(r"^docs/|\.md(#.*)?$", "", name)  # also as messages name it: docs/github.md
    if wanted not in pages:
        meant = likely(wanted, pages)
        todo = f"Did you mean `caseworker docs {meant}`?" if meant else "`caseworker docs` lists all pages."
        raise Refused(f"There is no page `{name}`.", todo=todo)
    write_document(pages[wanted].read_text(encoding="utf-8"))


def _about(page: Path) -> str:
    """The title of the page."""
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
