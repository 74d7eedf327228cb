"""The `PullThreads` port: reads a pull request's review threads by one paged query, and writes in them by the broker.

A thread with more comments than a page is read on by a query of its own.
"""

from collections.abc import Iterable, Set
from datetime import datetime
from typing import Final, Generic, Literal, TypeVar

from pydantic import JsonValue, ValidationError

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.core.people.forge_roles import RepositoryRole, is_owner, standing_of
from caseworker.core.people.messages import Standing
from caseworker.core.people.own_marks import is_marked
from caseworker.core.pull.review_threads import PullTalk, ReviewThread, ThreadWord
from caseworker.forges.github.api import GitHubApi, GraphAnswer
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.payloads import Payload
from caseworker.forges.github.probe_payloads import Author, Connection, Login
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import AddReviewComment, ReplyInThread, ResolveThread
from caseworker.ports.pull_threads import NewThread

_COMMENT: Final = """
            pageInfo { hasNextPage endCursor }
            nodes { fullDatabaseId body createdAt url viewerDidAuthor author { __typename login } }
"""
THREADS: Final = f"""
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      title body author {{ login }}
      reviewThreads(first: 50, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id isResolved isOutdated path line originalLine viewerCanResolve resolvedBy {{ login }}
          comments(first: 50) {{{_COMMENT}          }}
        }}
      }}
    }}
  }}
}}
"""
MORE_COMMENTS: Final = f"""
query MoreComments($thread: ID!, $after: String) {{
  node(id: $thread) {{
    ... on PullRequestReviewThread {{
      comments(first: 100, after: $after) {{{_COMMENT}      }}
    }}
  }}
}}
"""
_MOST_PAGES: Final = 200

T = TypeVar("T", bound=Payload)


class CommentNode(Payload):
    fullDatabaseId: int | None = None
    body: str = ""
    createdAt: datetime | None = None
    url: str = ""
    viewerDidAuthor: bool = False
    author: Author | None = None


class ThreadNode(Payload):
    id: str
    isResolved: bool
    isOutdated: bool = False
    path: str = ""
    line: int | None = None
    originalLine: int | None = None
    viewerCanResolve: bool = False
    resolvedBy: Login | None = None
    comments: Connection[CommentNode] = Connection[CommentNode]()


class PullWithThreads(Payload):
    title: str = ""
    body: str = ""
    author: Login | None = None
    reviewThreads: Connection[ThreadNode]


class _Repository(Payload):
    pullRequest: PullWithThreads | None = None


class _Data(Payload):
    repository: _Repository | None = None


class _ThreadComments(Payload):
    comments: Connection[CommentNode]


class _Node(Payload, Generic[T]):
    node: T | None = None


class GitHubPullThreads:
    def __init__(self, api: GitHubApi, *, broker: Broker, owners: Set[str] = frozenset()) -> None:
        """`owners`: the setting `allowed_owners`; a role in the repository counts, too."""
        self._api = api
        self._broker = broker
        self._reader = GitHubReader(api)
        self._owners = owners

    async def read(self, repository: RepositoryRef, number: int) -> PullTalk:
        here = self._api.address.ours(repository)
        pages = await self._pages(here, number)
        nodes = [node for page in pages for node in page.reviewThreads.nodes]
        for node in nodes:
            await self._read_on(here, node, number)
        standings = await self._standings(here, nodes)
        return PullTalk(
            title=pages[0].title,
            body=pages[0].body,
            author=(pages[0].author or Login()).login,
            threads=tuple(_thread(node, standings) for node in nodes),
        )

    async def begin(
        self, repository: RepositoryRef, number: int, thread: NewThread, *, key: str, look: bool = True
    ) -> str:
        write = AddReviewComment(
            number=number, commit=thread.commit, path=thread.path, line=thread.line, text=thread.text, key=key
        )
        return (await self._broker.do(repository, write, look=look)).url

    async def reply(
        self, repository: RepositoryRef, number: int, thread: ReviewThread, text: str, *, key: str, look: bool = True
    ) -> str:
        if thread.opener is None:
            raise Refused("The comments of this thread are gone.")
        write = ReplyInThread(number=number, comment=thread.opener.id, text=text, key=key)
        return (await self._broker.do(repository, write, look=look)).url

    async def resolve(self, repository: RepositoryRef, thread: ReviewThread) -> None:
        await self._broker.do(repository, ResolveThread(thread=thread.id))

    async def _pages(self, here: RemoteRepository, number: int) -> list[PullWithThreads]:
        pages: list[PullWithThreads] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            names: dict[str, JsonValue] = {"owner": here.owner, "name": here.name, "number": number, "after": after}
            pages.append(_pull(await self._api.graphql(here, THREADS, names), number))
            info = pages[-1].reviewThreads.pageInfo
            after = info.endCursor
            if not info.hasNextPage or after is None:
                return pages
        raise Transient(f"Pull request {number} has more pages of threads than are read.")

    async def _read_on(self, here: RemoteRepository, node: ThreadNode, number: int) -> None:
        info = node.comments.pageInfo
        for _ in range(_MOST_PAGES):
            if not info.hasNextPage or info.endCursor is None:
                return
            answer = await self._api.graphql(here, MORE_COMMENTS, {"thread": node.id, "after": info.endCursor})
            found = _parsed(_Node[_ThreadComments], answer, number).node
            if found is None:  # it was deleted meanwhile
                return
            node.comments.nodes.extend(found.comments.nodes)
            info = found.comments.pageInfo
        raise Transient(f"A thread of pull request {number} has more comments than are read.")

    async def _standings(self, here: RemoteRepository, nodes: Iterable[ThreadNode]) -> dict[str, Standing]:
        words = [word for node in nodes for word in node.comments.nodes]
        people = {word.author.login for word in words if word.author is not None and who_wrote(word) == "person"}
        return {login: await self._standing(here, login) for login in sorted(people)}

    async def _standing(self, here: RemoteRepository, login: str) -> Standing:
        if is_owner(login, self._owners):
            return Standing.OWNER
        role = RepositoryRole(await self._reader.role(here, login))
        return standing_of(login, role, self._owners, opened_it=False)


def _pull(answer: GraphAnswer, number: int) -> PullWithThreads:
    if any(one.kind == "NOT_FOUND" for one in answer.problems):
        raise Refused(f"GitHub has no pull request {number} there, or does not show it to Caseworker.")
    data = _parsed(_Data, answer, number)
    if data.repository is None or data.repository.pullRequest is None:
        raise Transient(f"GitHub's answer says nothing about pull request {number}.")
    return data.repository.pullRequest


def _parsed(model: type[T], answer: GraphAnswer, number: int) -> T:
    """A part that is missing makes the whole worthless: a thread that is not seen would stay unanswered."""
    try:
        if not answer.errors:
            return model.model_validate(answer.data)
        why = "; ".join(answer.errors)
    except ValidationError as error:
        why = ".".join(str(part) for part in error.errors()[0]["loc"])
    raise Transient(f"The threads of pull request {number} could not be read: {why}")


def _thread(node: ThreadNode, standings: dict[str, Standing]) -> ReviewThread:
    return ReviewThread(
        id=node.id,
        path=node.path,
        line=node.line,
        original_line=node.originalLine,
        is_resolved=node.isResolved,
        is_outdated=node.isOutdated,
        resolved_by=(node.resolvedBy or Login()).login,
        can_resolve=node.viewerCanResolve,
        words=tuple(_word(word, standings) for word in node.comments.nodes),
    )


def _word(word: CommentNode, standings: dict[str, Standing]) -> ThreadWord:
    author = word.author.login if word.author is not None else ""
    return ThreadWord(
        id=word.fullDatabaseId or 0,
        author=author,
        by=who_wrote(word),
        standing=standings.get(author, Standing.OTHER),
        text=word.body,
        at=word.createdAt,
        url=word.url,
    )


def who_wrote(word: CommentNode) -> Literal["us", "program", "person"]:
    if word.viewerDidAuthor and is_marked(word.body):  # with a token, its owner speaks under the same login
        return "us"
    author = word.author
    is_program = author is not None and (author.kind == "Bot" or author.login.endswith("[bot]"))
    return "program" if is_program else "person"
