"""Tolerant models of GitHub's webhook bodies: only the fields that Caseworker reads, the rest is ignored."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.repositories import RemoteRepository
from caseworker.intake.github_events import Person

Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]
"""An id that a database can keep. GitHub's ids are far smaller."""
LONG_AGO: Final = datetime.fromtimestamp(0, UTC)


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class UserBody(_Part):
    login: str
    type: str = "User"

    @property
    def person(self) -> Person:
        return Person(login=self.login, is_bot=self.type == "Bot")


GHOST: Final = UserBody(login="ghost")
"""GitHub's own name for a deleted account."""


class RepositoryBody(_Part):
    full_name: str
    html_url: str = "https://github.com"

    @property
    def ref(self) -> RemoteRepository:
        return _remote(self.full_name, self.html_url)


@lru_cache(maxsize=256)
def _remote(full_name: str, url: str) -> RemoteRepository:
    """Kept: most deliveries are about a few repositories, and this was a tenth of reading one."""
    owner, _, name = full_name.partition("/")
    return RemoteRepository(host=urlsplit(url).netloc or "github.com", owner=owner, name=name)


class LabelBody(_Part):
    name: str


class HeadBody(_Part):
    sha: str = ""


class TargetBody(_Part):
    """An issue or a pull request: both have these fields."""

    number: Number
    title: str = ""
    body: str | None = None
    updated_at: datetime = LONG_AGO
    pull_request: dict[str, object] | None = None
    """Of an issue: present if it is a pull request."""
    head: HeadBody = HeadBody()
    merged: bool | None = None


class CommentBody(_Part):
    id: Id
    body: str | None = None
    user: UserBody | None = None
    created_at: datetime
    updated_at: datetime | None = None
    path: str = ""
    line: int | None = None
    original_line: int | None = None


class ReviewBody(_Part):
    id: Id
    body: str | None = None
    user: UserBody | None = None
    submitted_at: datetime | None = None


class BeforeBody(_Part):
    before: str | None = Field(default=None, alias="from")


class ChangesBody(_Part):
    body: BeforeBody | None = None


class CheckBody(_Part):
    head_sha: str = ""
    name: str | None = None


class AccountBody(_Part):
    login: str = ""


class InstallationBody(_Part):
    account: AccountBody = AccountBody()


class Payload(_Part):
    action: str = ""
    repository: RepositoryBody | None = None
    sender: UserBody = GHOST
    issue: TargetBody | None = None
    pull_request: TargetBody | None = None
    comment: CommentBody | None = None
    review: ReviewBody | None = None
    label: LabelBody | None = None
    changes: ChangesBody = ChangesBody()


class PushedBody(_Part):
    repository: RepositoryBody
    sender: UserBody = GHOST
    ref: str
    after: str


class CheckedBody(_Part):
    repository: RepositoryBody
    check_run: CheckBody | None = None
    check_suite: CheckBody | None = None
    workflow_run: CheckBody | None = None
    sha: str = ""
    context: str = ""
    """Of a status: its name."""


class InstalledBody(_Part):
    action: str = ""
    installation: InstallationBody
