"""The broker: carries out the closed list of writes, each once. Nothing else in Caseworker changes GitHub.

After an unknown result the same write is asked for again, and the broker looks whether it has happened. Merging,
approving, dismissing and moving a base are not in the list, so that no caller, prompt or mistake can ask for them.
"""

from typing import assert_never

from caseworker.core.base.pace import Pace
from caseworker.core.base.repositories import RepositoryRef
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.check_writes import CheckWrites
from caseworker.forges.github.counted_writes import CountedWrites
from caseworker.forges.github.https_git import HttpsGit
from caseworker.forges.github.issue_writes import IssueWrites
from caseworker.forges.github.pull_reads import PullReader
from caseworker.forges.github.pull_writes import PullWrites
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.remote_push import RemotePush
from caseworker.forges.github.writes import (
    AddComment,
    AddLabel,
    AddReviewComment,
    DeleteComment,
    EditComment,
    OpenIssue,
    OpenPull,
    PushBranch,
    React,
    RemoveLabel,
    ReplyInThread,
    ReportCheck,
    ReportStatus,
    RerunFailedJobs,
    ResolveThread,
    UpdatePull,
    Write,
    Written,
)
from caseworker.ports import Git, WriteBudget


class Broker:
    def __init__(self, api: GitHubApi, *, budget: WriteBudget, git: Git, pace: Pace | None = None) -> None:
        self._address = api.address
        self._reader = GitHubReader(api)
        self._git = HttpsGit(git, api)
        self._writes = CountedWrites(api, budget=budget, pace=pace)
        self._issues = IssueWrites(self._writes, self._reader)
        self._pulls = PullWrites(self._writes, PullReader(api), self._issues)
        self._checks = CheckWrites(self._writes, CheckReader(api))

    async def do(self, repository: RepositoryRef, write: Write, *, look: bool = True) -> Written:
        """Make it so, once. `look`: False where the caller knows that nobody has tried it before, which saves a read.

        `ResultUnknown`: it may have happened; ask again. `RateLimited`: not before so many seconds.
        """
        here = self._address.ours(repository)
        match write:
            case AddComment():
                found = await self._issues.find_comment(here, write) if look else None
                return found or await self._issues.add_comment(here, write)
            case EditComment():
                return await self._issues.edit_comment(here, write)
            case DeleteComment():
                return await self._issues.delete_comment(here, write)
            case OpenIssue():
                found = await self._issues.find_issue(here, write) if look else None
                return found or await self._issues.open_issue(here, write)
            case AddLabel():
                return await self._issues.add_label(here, write)
            case RemoveLabel():
                return await self._issues.remove_label(here, write)
            case React():
                return await self._issues.react(here, write)
            case PushBranch():
                push = RemotePush(git=self._git, writes=self._writes, reader=self._reader)
                return await push.carry_out(here, write)
            case OpenPull():
                found = await self._pulls.find_pull(here, write) if look else None
                return found or await self._pulls.open_pull(here, write)
            case UpdatePull():
                return await self._pulls.update_pull(here, write)
            case AddReviewComment():
                found = await self._pulls.find_review_comment(here, write) if look else None
                return found or await self._pulls.add_review_comment(here, write)
            case ReplyInThread():
                found = await self._pulls.find_review_comment(here, write) if look else None
                return found or await self._pulls.reply(here, write)
            case ResolveThread():
                return await self._pulls.resolve_thread(here, write)
            case ReportCheck():
                return await self._checks.report(here, write)
            case ReportStatus():
                return await self._checks.report_status(here, write)
            case RerunFailedJobs():
                return await self._checks.rerun(here, write)
        assert_never(write)
