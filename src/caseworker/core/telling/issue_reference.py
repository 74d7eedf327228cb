"""How outgoing texts name the issue of a case. A number of our own would be that of a stranger's issue on a forge."""

import re
from typing import Final

from caseworker.core.casefile.model import IssueSection

_PAGE: Final = re.compile(r"https?://[^\s/]+/(?P<repository>[\w.-]+/[\w.-]+)/issues/(?P<number>[1-9]\d{0,11})/?")


def forge_reference(issue: IssueSection) -> str | None:
    """`owner/repo#42`, if the issue has a page on a forge. Null: its number is only ours."""
    found = _PAGE.fullmatch(issue.url)
    return f"{found['repository']}#{found['number']}" if found else None


def closing_line(issue: IssueSection) -> str:
    """The last line of a pull request or a commit: closes the issue on its forge, or names it by its title."""
    reference = forge_reference(issue)
    return f"Fixes {reference}" if reference else f"Issue: {issue.title.strip()}"


def closable(issue: IssueSection) -> frozenset[str]:
    """The reference that a text about this issue may close."""
    reference = forge_reference(issue)
    return frozenset({reference}) if reference else frozenset()
