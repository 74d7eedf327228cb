"""The verdict as a check run or a status on the head: the broker's writes for it."""

from typing import Final

from caseworker.core.base.untrusted_text import one_line
from caseworker.core.telling.verdict_words import ReadyCheck
from caseworker.forges.github.writes import ReportCheck, ReportStatus

_LONGEST: Final = 140
"""Characters of a status: GitHub refuses more."""


def ready_write(check: ReadyCheck, *, key: str) -> ReportCheck:
    """Always completed: a check of ours that runs would itself be a reason to wait. `key`: one for each head."""
    return ReportCheck(
        name=check.name,
        commit=check.commit,
        key=key,
        status="completed",
        conclusion=check.conclusion,
        title=check.title,
        summary=check.summary,
    )


def ready_status(check: ReadyCheck) -> ReportStatus:
    return ReportStatus(
        context=check.name,
        commit=check.commit,
        state="success" if check.conclusion == "success" else "pending",
        description=one_line(check.title, _LONGEST),
        url=check.link,
    )
