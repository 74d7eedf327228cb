"""One REST request as its handler sees it: who asks, the path's parts, the query, the body; and pages of lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from caseworker.github_double import git_store
from caseworker.github_double.access import Deed, require
from caseworker.github_double.entities.accounts import Actor, App, Installation
from caseworker.github_double.entities.repository import Issue, PullRequest, Repository
from caseworker.github_double.front import Answer, Visit
from caseworker.github_double.limits import Limits
from caseworker.github_double.refusals import NotFound, Unauthorized, Unprocessable
from caseworker.github_double.rest.fields import Fields, read_fields
from caseworker.github_double.state import GitHub, Json

T = TypeVar("T")

_MOST_PER_PAGE = 100


class Call:
    """What a handler gets."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    @property
    def github(self) -> GitHub:
        return self._visit.github

    @property
    def actor(self) -> Actor:
        return self._visit.actor

    @property
    def limits(self) -> Limits:
        return self._visit.limits

    @property
    def accept(self) -> str:
        return self._visit.request.headers.get("accept", "")

    def first_byte(self) -> int | None:
        """Of the header `Range: bytes=N-`. Other forms are ignored, as GitHub's storage of logs does."""
        unit, _, span = self._visit.request.headers.get("range", "").partition("=")
        start = span.removesuffix("-")
        return int(start) if unit == "bytes" and span.endswith("-") and start.isdigit() else None

    @cached_property
    def fields(self) -> Fields:
        return read_fields(self._visit.body)

    def part(self, name: str) -> str:
        """A part of the path."""
        return str(self._visit.request.path_params[name])

    def number(self, name: str = "number") -> int:
        part = self.part(name)
        if not part.isdigit():
            raise NotFound
        return int(part)

    def query(self, name: str, default: str = "") -> str:
        return self._visit.request.query_params.get(name, default)

    @property
    def path(self) -> str:
        return self._visit.path

    def repository(self, deed: Deed) -> Repository:
        """The repository of the path, if the actor may do this in it."""
        found = self.github.repository(self.part("owner"), self.part("repo"))
        require(self.actor, found, deed)
        return found

    def issue(self, deed: Deed) -> Issue:
        return self.github.issue(self.repository(deed), self.number())

    def pull(self, deed: Deed) -> PullRequest:
        return self.github.pull(self.repository(deed), self.number())

    def commit(self, repository: Repository, name: str = "ref") -> str:
        """The commit that the path names by hash, branch or tag."""
        part = self.part(name)
        found = git_store.resolve(repository.path, part.removeprefix("heads/"))
        if found is None:
            raise Unprocessable(f"No commit found for SHA: {part}")
        return found

    def app(self) -> App:
        """The App whose JWT came with the request."""
        if self.actor.app is None or self.actor.token is not None:
            raise Unauthorized("A JSON web token could not be decoded")
        return self.actor.app

    def installation(self) -> Installation:
        found = self.actor.installation
        if found is None:
            raise Unauthorized("Requires authentication")
        return found

    def since(self) -> datetime | None:
        text = self.query("since")
        try:
            return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
        except ValueError:
            raise Unprocessable(f"Invalid request.\n\n{text} is not a timestamp.") from None

    def page(self, items: Sequence[T], shape: Callable[[T], object]) -> Answer:
        """One page of a list, with links to the others."""
        chosen, headers = self._cut(items)
        return Answer([shape(one) for one in chosen], headers=headers)

    def counted_page(self, name: str, items: Sequence[T], shape: Callable[[T], object], **more: object) -> Answer:
        """One page of a list inside an object with its total."""
        chosen, headers = self._cut(items)
        body: Json = {"total_count": len(items), **more, name: [shape(one) for one in chosen]}
        return Answer(body, headers=headers)

    def link_to(self, relation: str, **parameters: str) -> str:
        """An entry of the Link header: this request with other parameters."""
        return f'<{self._visit.request.url.include_query_params(**parameters)}>; rel="{relation}"'

    def _cut(self, items: Sequence[T]) -> tuple[Sequence[T], dict[str, str]]:
        size = min(max(_whole(self.query("per_page"), 30), 1), _MOST_PER_PAGE)
        page = max(_whole(self.query("page"), 1), 1)
        last = max((len(items) + size - 1) // size, 1)
        wanted: dict[str, int] = {}
        if page > 1:
            wanted |= {"prev": min(page - 1, last), "first": 1}
        if page < last:
            wanted |= {"next": page + 1, "last": last}
        links = [self.link_to(name, page=str(number)) for name, number in wanted.items()]
        return items[(page - 1) * size : page * size], {"link": ", ".join(links)} if links else {}


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class RestRoute:
    method: str
    path: str
    handler: Handler


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdigit() else default
