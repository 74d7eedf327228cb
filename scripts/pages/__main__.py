"""Writes every generated page: `make pages`."""

from pathlib import Path

from caseworker.core.casefile.model import schema
from scripts.pages.commands import commands_page
from scripts.pages.outcomes import outcomes_page
from scripts.pages.ready import ready_page
from scripts.pages.routing import routing_page
from scripts.pages.states import states_page

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    "commands.md": commands_page,
    "states.md": states_page,
    "routing.md": routing_page,
    "outcomes.md": outcomes_page,
    "ready.md": ready_page,
    "issue-state.schema.json": schema,
}

for name, page in PAGES.items():
    (DOCS / name).write_text(page(), encoding="utf-8")
