"""The typed posts of a pull case. What a session does step by step is in its tracking comment, not in posts."""

from enum import StrEnum
from typing import Literal

from caseworker.core.base.ids import Sha
from caseworker.core.people.posts import Post


class PullAbout(StrEnum):
    PUSH = "push"
    """Before a push that voids approvals: which ones."""
    UPDATED = "updated"
    """After the branch was brought up to date: that the change is the same."""
    UP_TO_DATE = "up_to_date"
    """An owner asked for a rebase, and there is nothing to do."""
    ASK_CONTRIBUTOR = "ask_contributor"
    """The branch is in a fork, where Caseworker does not push."""
    PAUSED = "paused"
    RESUMED = "resumed"
    BUDGET_NEAR = "budget_near"
    REPLY = "reply"
    """The developer's words to people who wrote below the pull request."""
    ENDED = "ended"
    """How the session ended, and who has the pull request now."""


class PullPost(Post):
    kind: Literal["pull"] = "pull"
    about: PullAbout
    turn: int = 0
    """The turn whose outcome it is about."""
    commit: Sha | None = None
    names: tuple[str, ...] = ()
    """People it is about: those whose approvals the push voids, or may void."""
    is_certain: bool = False
    """The push voids them. False: GitHub may keep them."""
