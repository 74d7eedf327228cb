"""Texts of the issue that follows up on a completed case."""

from typing import Final

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.base.text import clip
from caseworker.core.casefile.model import IssueSection

_TITLE: Final = 100

_FIRST_ISSUE: Final = 20_000


def follow_up(first: IssueSection, said: str, *, case: CaseId, message: MessageId) -> tuple[str, str]:
    """Title and body of the follow-up issue. The body has the message's number, so that the same words in a later
    message make a new issue. `said` is empty for a bare `retry`."""
    line = said.strip().splitlines()[0].strip() if said.strip() else f"Once more: {first.title}"
    title = line if len(line) <= _TITLE else f"{line[: _TITLE - 3].rstrip()}..."
    wanted = said.strip() or "What was merged is not enough: please look at it once more."
    body = (
        f"{wanted}\n\nFollows up on #{first.number}: {first.title}, whose pull request is merged.\n\n"
        f"## What #{first.number} asked for\n\n{clip(first.original_body.strip(), _FIRST_ISSUE) or first.title}\n\n"
        f"({case}, message {message})"
    )
    return title, body


def please_follow_up(case: CaseId) -> str:
    return f"Please work on this issue: it follows up on {case}."


def followed_up(case: CaseId, *, new: bool) -> str:
    """The receipt of a message to a completed case."""
    return f"opened {case} for this" if new else f"passed on to {case}, which follows up on this case"
