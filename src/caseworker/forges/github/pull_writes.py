"""Pull requests, review comments and threads: how each is looked for, and written."""

from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import OUR_BRANCHES, RemoteRepository
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.counted_writes import CountedWrites
from caseworker.forges.github.issue_writes import IssueWrites
from caseworker.forges.github.markers import marked
from caseworker.forges.github.payloads import PullData, ReviewCommentData
from caseworker.forges.github.pull_reads import PullReader
from caseworker.forges.github.writes import (
    AddReviewComment,
    OpenPull,
    ReplyInThread,
    ResolveThread,
    UpdatePull,
    Written,
)

_RESOLVE: Final = (
    "mutation($thread: ID!) { resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } } }"
)


class PullWrites:
    def __init__(self, writes: CountedWrites, reader: PullReader, comments: IssueWrites) -> None:
        self._writes = writes
        self._reader = reader
        self._comments = comments

    async def find_pull(self, repository: RemoteRepository, write: OpenPull) -> Written | None:
        found = await self._reader.from_branch(repository, write.head, state="open")
        return Written(id=str(found[0].number), url=found[0].html_url, new=False) if found else None

    async def open_pull(self, repository: RemoteRepository, write: OpenPull) -> Written:
        if not write.head.startswith(OUR_BRANCHES) or write.head == write.base:
            raise Refused(f"Caseworker opens pull requests only from branches under {OUR_BRANCHES}, not {write.head}.")
        path = repository_path(repository, "pulls")
        body = {"title": write.title, "body": write.body, "head": write.head, "base": write.base}
        try:
            made = await self._writes.send(repository, "pull request", "POST", path, PullData, body)
        except GitHubRefused as refused:  # somebody may have opened it since we looked
            found = await self.find_pull(repository, write) if refused.status == 422 else None
            if found is None:
                raise
            return found
        return Written(id=str(made.number), url=made.html_url)

    async def update_pull(self, repository: RemoteRepository, write: UpdatePull) -> Written:
        now = await self._reader.pull(repository, write.number)
        if (now.title, now.body or "") == (write.title, write.body):
            return Written(id=str(now.number), url=now.html_url, new=False)
        path = repository_path(repository, "pulls", write.number)
        body = {"title": write.title, "body": write.body}
        made = await self._writes.send(repository, "pull request text", "PATCH", path, PullData, body)
        return Written(id=str(made.number), url=made.html_url)

    async def find_review_comment(
        self, repository: RemoteRepository, write: AddReviewComment | ReplyInThread
    ) -> Written | None:
        comments = await self._reader.review_comments(repository, write.number)
        return await self._comments.ours_among(comments, write.key)

    async def add_review_comment(self, repository: RemoteRepository, write: AddReviewComment) -> Written:
        path = repository_path(repository, "pulls", write.number, "comments")
        body = {
            "body": marked(write.text, write.key),
            "commit_id": write.commit,
            "path": write.path,
            "line": write.line,
            "side": "RIGHT",
        }
        made = await self._writes.send(repository, "review comment", "POST", path, ReviewCommentData, body)
        return Written(id=str(made.id), url=made.html_url)

    async def reply(self, repository: RemoteRepository, write: ReplyInThread) -> Written:
        path = repository_path(repository, "pulls", write.number, "comments", write.comment, "replies")
        body = {"body": marked(write.text, write.key)}
        made = await self._writes.send(repository, "reply", "POST", path, ReviewCommentData, body)
        return Written(id=str(made.id), url=made.html_url)

    async def resolve_thread(self, repository: RemoteRepository, write: ResolveThread) -> Written:
        """May be repeated: a resolved thread stays resolved."""
        await self._writes.mutate(repository, "resolution", _RESOLVE, {"thread": write.thread})
        return Written(id=write.thread)
