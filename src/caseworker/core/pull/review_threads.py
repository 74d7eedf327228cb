"""Review threads of a pull request with all their comments, and who wrote each. Nothing here is in a forge's words."""

from datetime import datetime
from typing import Literal

from caseworker.core.people.messages import Standing
from caseworker.core.pull.pull_facts import Fact


class ThreadWord(Fact):
    """One comment in a review thread."""

    id: int
    author: str = ""
    """Empty: the account was deleted."""
    by: Literal["us", "program", "person"] = "person"
    standing: Standing = Standing.OTHER
    """Of a person in this repository. Decided by code."""
    text: str = ""
    at: datetime | None = None
    url: str = ""

    @property
    def label(self) -> str:
        """Who wrote it, with which standing."""
        who = self.author or "a deleted account"
        return {"us": "you, earlier", "program": f"{who}, a program"}.get(self.by, f"{who}, {self.standing}")


class ReviewThread(Fact):
    id: str
    path: str = ""
    line: int | None = None
    """In the newest version of the file. Null: the line is gone, or it is about the whole file."""
    original_line: int | None = None
    is_resolved: bool = False
    is_outdated: bool = False
    resolved_by: str = ""
    can_resolve: bool = False
    """Whether the forge lets us resolve it."""
    words: tuple[ThreadWord, ...] = ()
    """Oldest first."""

    @property
    def place(self) -> str:
        line = self.line or self.original_line
        return f"{self.path}:{line}" if line else self.path

    @property
    def opener(self) -> ThreadWord | None:
        return self.words[0] if self.words else None

    @property
    def last_of_others(self) -> int:
        """The id of the newest comment that is not ours. 0: there is none."""
        return next((word.id for word in reversed(self.words) if word.by != "us"), 0)


class PullTalk(Fact):
    """A pull request as its author describes it, and the threads of its reviews."""

    title: str = ""
    body: str = ""
    author: str = ""
    threads: tuple[ReviewThread, ...] = ()

    @property
    def open_threads(self) -> tuple[ReviewThread, ...]:
        return tuple(one for one in self.threads if not one.is_resolved and one.words)
