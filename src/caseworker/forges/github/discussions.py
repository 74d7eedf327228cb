"""Comments, labels and checks of GitHub behind their ports."""

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.markers import has_marker
from caseworker.forges.github.payloads import GHOST, CommentData
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import AddComment, AddLabel, DeleteComment, EditComment, React, RemoveLabel
from caseworker.ports import Check, Comment, Reaction


class GitHubComments:
    """The `Comments` port."""

    def __init__(self, broker: Broker, reader: GitHubReader) -> None:
        self._broker = broker
        self._reader = reader

    async def of(self, repository: RepositoryRef, number: int) -> list[Comment]:
        return [_comment(one) for one in await self._reader.comments(self._reader.ours(repository), number)]

    async def find(self, repository: RepositoryRef, number: int, *, key: str) -> Comment | None:
        me = await self._reader.whoami()
        ours = [one for one in await self.of(repository, number) if one.author == me and has_marker(one.text, key)]
        return ours[0] if ours else None

    async def whoami(self) -> str:
        return await self._reader.whoami()

    async def write(self, repository: RepositoryRef, number: int, text: str, *, key: str, look: bool = True) -> Comment:
        made = await self._broker.do(repository, AddComment(number=number, text=text, key=key), look=look)
        return _comment(await self._reader.comment(self._reader.ours(repository), int(made.id)))

    async def change(self, repository: RepositoryRef, comment: str, text: str) -> None:
        await self._broker.do(repository, EditComment(comment=_number(comment), text=text))

    async def remove(self, repository: RepositoryRef, comment: str) -> None:
        await self._broker.do(repository, DeleteComment(comment=_number(comment)))

    async def react(self, repository: RepositoryRef, comment: str, reaction: Reaction) -> None:
        await self._broker.do(repository, React(on="comment", number=_number(comment), reaction=reaction))


class GitHubLabels:
    """The `Labels` port."""

    def __init__(self, broker: Broker, reader: GitHubReader) -> None:
        self._broker = broker
        self._reader = reader

    async def of(self, repository: RepositoryRef, number: int) -> list[str]:
        return await self._reader.labels(self._reader.ours(repository), number)

    async def add(self, repository: RepositoryRef, number: int, label: str) -> None:
        await self._broker.do(repository, AddLabel(number=number, label=label))

    async def remove(self, repository: RepositoryRef, number: int, label: str) -> None:
        await self._broker.do(repository, RemoveLabel(number=number, label=label))


class GitHubChecks:
    """The `Checks` port."""

    def __init__(self, checks: CheckReader, reader: GitHubReader) -> None:
        self._checks = checks
        self._reader = reader

    async def of(self, repository: RepositoryRef, commit: Sha, *, base: str) -> list[Check]:
        return await self._checks.checks(self._reader.ours(repository), commit, base=base)

    async def output(self, repository: RepositoryRef, check: Check) -> str:
        return await self._checks.output(self._reader.ours(repository), int(check.id)) if check.id else ""


def _comment(data: CommentData) -> Comment:
    author = (data.user or GHOST).login
    return Comment(id=str(data.id), author=author, text=data.body or "", written_at=data.created_at)


def _number(comment: str) -> int:
    if not comment.isdigit():
        raise Refused(f"GitHub has no comment {comment!r}.")
    return int(comment)
