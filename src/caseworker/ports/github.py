"""Ports to GitHub as people use it: what intake reads there, and the few things it says and does there.

Reads and writes are separate. A write is given once or repeated: the implementation looks before it repeats.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.forge_roles import RepositoryRole
from caseworker.core.people.messages import Standing
from caseworker.core.runs.dispatch import TargetFacts
from caseworker.ports.stored import Thread

SURFACE: Final = "github"


def thread_on(repository: RemoteRepository, number: int) -> Thread:
    """The discussion below an issue or a pull request, as a thread of a case."""
    return Thread(surface=SURFACE, channel=f"{repository.owner}/{repository.name}", anchor=str(number))


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class Reaction(StrEnum):
    """What a reaction on the comment that asked for a run tells its author. Values are GitHub's names."""

    SEEN = "eyes"
    STARTED = "rocket"
    DONE = "+1"
    FAILED = "confused"


class Target(TargetFacts):
    """An issue or a pull request as it is now."""

    title: str
    body: str
    author: str
    url: str
    created_at: datetime


class GitHubReads(Protocol):
    async def target(self, repository: RemoteRepository, number: int) -> Target | None:
        """Null: there is none any more: it was deleted or transferred."""

    async def role(self, repository: RemoteRepository, login: str) -> RepositoryRole: ...


def review_comment_of(reference: str) -> int | None:
    """The number of the review comment that a message's reference names. Null: it is about something else."""
    source, _, number = reference.rpartition(" ")[2].partition(":")
    return int(number) if source == "review_comment" and number.isdecimal() else None


class GitHubWrites(Protocol):
    async def react(self, reference: str, reaction: Reaction) -> None:
        """`reference`: `github.com/acme/shop comment:9`, or `... review_comment:9`. A comment that is gone is none of
        our business: no error."""

    async def reply(self, repository: RemoteRepository, number: int, text: str, *, key: str) -> None:
        """Comment on the target, once per key."""

    async def remove_label(self, repository: RemoteRepository, number: int, label: str) -> None:
        """A label that is gone already is no error."""


class Mentioned(_Value):
    """A comment with the trigger phrase in free words, from a person who may ask."""

    repository: RemoteRepository
    number: int
    author: str
    standing: Standing
    text: str
    key: str
    """The same for the same comment, for posts and accounting."""
    reference: str = ""
    """The comment, as `GitHubWrites.react` names it."""
    has_case: bool = False
    """There is a case here that goes on. What asks for no workflow is then a message of the case."""


class Wants(_Value):
    kind: Literal["wants"] = "wants"
    verb: str
    """Of the registry or not: one that is not is refused."""


class Unclear(_Value):
    kind: Literal["unclear"] = "unclear"
    answered: bool = False
    """The comment was answered, or carried out: nothing else is to be done."""


class Classifier(Protocol):
    async def classify(self, said: Mentioned) -> Wants | Unclear: ...


Body = Mapping[str, object]
"""A JSON object as GitHub's API gives it."""


class LoggedDelivery(_Value):
    """A line of GitHub's own log of the deliveries to this App."""

    id: int
    guid: str
    event: str


class GitHubChanges(Protocol):
    """Reads for reconciliation: what has changed since a time. All pages; oldest first where it matters."""

    async def repositories(self) -> Sequence[RemoteRepository]:
        """Those that are served."""

    async def deliveries(self, since: datetime) -> Sequence[LoggedDelivery]:
        """Empty without an App: a token has no log."""

    async def delivered_body(self, delivery: int) -> bytes:
        """The body that was sent or should have been."""

    async def comments_since(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        """`GET /repos/{owner}/{repo}/issues/comments`: on issues and pull requests, by `updated_at`."""

    async def review_comments(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        """`GET /repos/{owner}/{repo}/pulls/comments`."""

    async def reviews(self, repository: RemoteRepository, number: int) -> Sequence[Body]:
        """`GET /repos/{owner}/{repo}/pulls/{number}/reviews`."""

    async def pull_mark(self, repository: RemoteRepository, number: int) -> str:
        """A text that is the same as long as nothing has changed that a verdict depends on: commits, base, checks,
        reviews, labels, draft, auto-merge. Comments and threads are not part of it."""

    async def thread_marks(self, repository: RemoteRepository, numbers: Sequence[int]) -> Mapping[int, str]:
        """For each pull request a text that is the same as long as no thread is begun, resolved or opened again."""

    async def issue_events(self, repository: RemoteRepository, since: datetime) -> Sequence[Body]:
        """`GET /repos/{owner}/{repo}/issues/events`: with `event`, `actor`, `created_at`, `issue` and `label`."""
