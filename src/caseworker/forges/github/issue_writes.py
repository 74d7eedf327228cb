"""Issues, comments, labels and reactions: how each is looked for, and written."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.counted_writes import CountedWrites
from caseworker.forges.github.markers import has_marker, marked, marker_in
from caseworker.forges.github.payloads import GHOST, CommentData, IssueData, Named, ReactionData
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import (
    AddComment,
    AddLabel,
    DeleteComment,
    EditComment,
    OpenIssue,
    React,
    RemoveLabel,
    Target,
    Written,
)

_TARGETS: Final[dict[Target, tuple[str, ...]]] = {
    "issue": ("issues",),
    "comment": ("issues", "comments"),
    "review_comment": ("pulls", "comments"),
}


class IssueWrites:
    def __init__(self, writes: CountedWrites, reader: GitHubReader) -> None:
        self._writes = writes
        self._reader = reader

    async def find_comment(self, repository: RemoteRepository, write: AddComment) -> Written | None:
        return await self.ours_among(await self._reader.comments(repository, write.number), write.key)

    async def ours_among(self, comments: Sequence[CommentData], key: str) -> Written | None:
        """The oldest one of ours with this key. Anybody can copy a marker, so the author must be us."""
        me = await self._reader.whoami()
        for one in comments:
            if (one.user or GHOST).login == me and has_marker(one.body, key):
                return Written(id=str(one.id), url=one.html_url, new=False)
        return None

    async def add_comment(self, repository: RemoteRepository, write: AddComment) -> Written:
        path = repository_path(repository, "issues", write.number, "comments")
        body = {"body": marked(write.text, write.key)}
        made = await self._writes.send(repository, "comment", "POST", path, CommentData, body)
        return Written(id=str(made.id), url=made.html_url)

    async def edit_comment(self, repository: RemoteRepository, write: EditComment) -> Written:
        now = await self._own(repository, write.comment)
        kept = marker_in(now.body or "")
        text = f"{write.text.rstrip()}\n\n{kept}" if kept and kept not in write.text else write.text
        if now.body == text:
            return Written(id=str(now.id), url=now.html_url, new=False)
        path = repository_path(repository, "issues", "comments", write.comment)
        made = await self._writes.send(repository, "edit", "PATCH", path, CommentData, {"body": text})
        return Written(id=str(made.id), url=made.html_url)

    async def delete_comment(self, repository: RemoteRepository, write: DeleteComment) -> Written:
        path = repository_path(repository, "issues", "comments", write.comment)
        try:
            await self._own(repository, write.comment)
            await self._writes.send(repository, "delete", "DELETE", path, type(None))
        except GitHubRefused as refused:
            if not refused.is_absent:
                raise
            return Written(id=str(write.comment), new=False)
        return Written(id=str(write.comment))

    async def find_issue(self, repository: RemoteRepository, write: OpenIssue) -> Written | None:
        me = await self._reader.whoami()
        for one in await self._reader.issues_changed(repository, since=write.since):
            if one.pull_request is None and (one.user or GHOST).login == me and has_marker(one.body, write.key):
                return Written(id=str(one.number), url=one.html_url, new=False)
        return None

    async def open_issue(self, repository: RemoteRepository, write: OpenIssue) -> Written:
        path = repository_path(repository, "issues")
        body = {"title": write.title, "body": marked(write.body, write.key), "labels": list(write.labels)}
        made = await self._writes.send(repository, "issue", "POST", path, IssueData, body)
        return Written(id=str(made.number), url=made.html_url)

    async def add_label(self, repository: RemoteRepository, write: AddLabel) -> Written:
        path = repository_path(repository, "issues", write.number, "labels")
        await self._writes.send(repository, "label", "POST", path, list[Named], {"labels": [write.label]})
        return Written(id=write.label)

    async def remove_label(self, repository: RemoteRepository, write: RemoveLabel) -> Written:
        path = repository_path(repository, "issues", write.number, "labels", write.label)
        try:
            await self._writes.send(repository, "unlabel", "DELETE", path, list[Named])
        except GitHubRefused as refused:
            if not refused.is_absent:
                raise
            return Written(id=write.label, new=False)
        return Written(id=write.label)

    async def react(self, repository: RemoteRepository, write: React) -> Written:
        """GitHub adds no second reaction of the same kind, so it may be repeated."""
        path = repository_path(repository, *_TARGETS[write.on], write.number, "reactions")
        try:
            made = await self._writes.send(
                repository, "reaction", "POST", path, ReactionData, {"content": write.reaction}
            )
        except GitHubRefused as refused:
            if not refused.is_absent:
                raise
            return Written(new=False)
        return Written(id=str(made.id))

    async def _own(self, repository: RemoteRepository, comment: int) -> CommentData:
        """An App may change comments of others: GitHub would let us."""
        found = await self._reader.comment(repository, comment)
        author = (found.user or GHOST).login
        if author != await self._reader.whoami():
            raise Refused(f"Comment {comment} is by {author}, not by Caseworker, which changes only its own.")
        return found
