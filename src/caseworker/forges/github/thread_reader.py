"""Reads the comments of an issue on GitHub, and sorts them by who wrote them: owner, other or bot."""

from collections.abc import Sequence, Set

from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.core.people.discussion import Side, ThreadComment, side_of
from caseworker.core.people.forge_roles import RepositoryRole, is_owner, standing_of
from caseworker.core.people.messages import Standing
from caseworker.core.people.own_marks import is_marked
from caseworker.forges.github.payloads import GHOST, CommentData
from caseworker.forges.github.reads import GitHubReader


class GitHubThreads:
    """The `Discussions` port. `owners`: the setting `allowed_owners`; a role in the repository counts, too."""

    def __init__(self, reader: GitHubReader, owners: Set[str]) -> None:
        self._reader = reader
        self._owners = owners

    async def of(self, repository: RepositoryRef, number: int) -> list[ThreadComment] | None:
        if not isinstance(repository, RemoteRepository):
            return None
        remote = self._reader.ours(repository)
        comments = await self._reader.comments(remote, number)
        us = await self._reader.whoami() if comments else ""
        owners = await self._owners_among(remote, comments)
        return [
            ThreadComment(
                id=one.id,
                author=_author(one),
                side=_side(one, us, owners),
                text=one.body or "",
                at=one.created_at,
            )
            for one in comments
        ]

    async def _owners_among(self, repository: RemoteRepository, comments: Sequence[CommentData]) -> Set[str]:
        people = {_author(one) for one in comments if one.user is not None and one.user.type != "Bot"}
        return {login for login in sorted(people) if await self._is_owner(repository, login)}

    async def _is_owner(self, repository: RemoteRepository, login: str) -> bool:
        if is_owner(login, self._owners):
            return True
        role = RepositoryRole(await self._reader.role(repository, login))
        return standing_of(login, role, self._owners, opened_it=False) is Standing.OWNER


def _side(comment: CommentData, us: str, owners: Set[str]) -> Side:
    """Whose comment it is. Under our login a person may write, too, if it is a token's: then the mark is missing."""
    is_ours = _author(comment) == us and is_marked(comment.body or "")
    is_bot = (comment.user or GHOST).type == "Bot"
    return side_of(_author(comment), owners=owners, ours={us} if is_ours else frozenset(), is_bot=is_bot)


def _author(comment: CommentData) -> str:
    return (comment.user or GHOST).login
