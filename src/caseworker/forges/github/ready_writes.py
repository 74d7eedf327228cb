"""The verdict as a check run on the head: the broker's write for it."""

from caseworker.core.telling.verdict_words import ReadyCheck
from caseworker.forges.github.writes import ReportCheck


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
