"""The seven tools by which a model looks at a pull request's state. They read only, and cap what they return."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.payloads import GHOST
from caseworker.forges.github.pull_reads import PullReader
from caseworker.forges.github.reads import GitHubReader

DIFF_BYTES: Final = 50_000
OUTPUT_BYTES: Final = 10_000
COMMENT_BYTES: Final = 4_000
FILES: Final = 300
COMMENTS_PER_PAGE: Final = 30


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class CheckRow(_Result):
    name: str
    state: str
    is_required: bool
    url: str


class Rollup(_Result):
    head_sha: str
    state: str
    """`passed`, `failed`, `pending`, or `none`: nothing was reported yet, which is not green."""
    checks: list[CheckRow]


class CheckOutput(_Result):
    name: str
    status: str
    conclusion: str | None
    title: str
    summary: str
    text: str
    html_url: str


class WorkflowRun(_Result):
    name: str
    status: str
    conclusion: str | None
    attempt: int
    logs_url: str
    html_url: str


class Protection(_Result):
    branch: str
    protected: bool
    required_checks: list[str]
    required_approvals: int
    threads_must_be_resolved: bool
    unreadable: list[str]


class Diff(_Result):
    text: str
    truncated: bool


class ChangedFile(_Result):
    path: str
    status: str
    additions: int
    deletions: int


class ChangedFiles(_Result):
    files: list[ChangedFile]
    total: int


class PullComment(_Result):
    id: int
    author: str
    association: str
    body: str
    created_at: str


class CommentPage(_Result):
    page: int
    comments: list[PullComment]
    has_more: bool


class StateTools:
    """The tools for one pull request of one repository: a model can't name another."""

    def __init__(self, api: GitHubApi, repository: RemoteRepository, number: int) -> None:
        self._repository = repository
        self._number = number
        self._reader = GitHubReader(api)
        self._pulls = PullReader(api)
        self._checks = CheckReader(api)

    async def get_pr_state_check_rollup(self) -> Rollup:
        pull = await self._pulls.pull(self._repository, self._number)
        checks = await self._checks.checks(self._repository, Sha(pull.head.sha), base=pull.base.ref)
        rows = [
            CheckRow(name=one.name, state=one.state, is_required=one.required, url=one.url)
            for one in sorted(checks, key=lambda one: (not one.required, one.name))
        ]
        return Rollup(head_sha=pull.head.sha, state=_overall([row.state for row in rows]), checks=rows)

    async def get_check_run_output(self, check_run_id: int) -> CheckOutput:
        run = await self._checks.run(self._repository, check_run_id)
        return CheckOutput(
            name=run.name,
            status=run.status,
            conclusion=run.conclusion,
            title=cut(run.output.title or "", OUTPUT_BYTES),
            summary=cut(run.output.summary or "", OUTPUT_BYTES),
            text=cut(run.output.text or "", OUTPUT_BYTES),
            html_url=run.html_url or "",
        )

    async def get_workflow_run(self, run_id: int) -> WorkflowRun:
        run = await self._checks.workflow_run(self._repository, run_id)
        return WorkflowRun(
            name=run.name or "",
            status=run.status or "",
            conclusion=run.conclusion,
            attempt=run.run_attempt,
            logs_url=run.logs_url,
            html_url=run.html_url,
        )

    async def get_branch_protection(self, branch: str = "") -> Protection:
        """Of the pull request's base branch, unless another is named."""
        name = branch or (await self._pulls.pull(self._repository, self._number)).base.ref
        rules = await self._checks.rules(self._repository, name)
        return Protection(
            branch=name,
            protected=rules.protected,
            required_checks=list(dict.fromkeys(check.context for check in rules.checks)),
            required_approvals=rules.approvals,
            threads_must_be_resolved=rules.threads_resolved,
            unreadable=list(rules.unreadable),
        )

    async def get_pr_diff(self) -> Diff:
        whole = await self._pulls.diff(self._repository, self._number)
        text = cut(whole, DIFF_BYTES)
        return Diff(text=text, truncated=text != whole)

    async def get_pr_files(self) -> ChangedFiles:
        found = await self._pulls.files(self._repository, self._number)
        files = [
            ChangedFile(path=one.filename, status=one.status, additions=one.additions, deletions=one.deletions)
            for one in found[:FILES]
        ]
        return ChangedFiles(files=files, total=len(found))

    async def list_pr_comments(self, page: int = 1) -> CommentPage:
        found = await self._reader.comments_page(self._repository, self._number, page=max(1, page))
        comments = [
            PullComment(
                id=one.id,
                author=(one.user or GHOST).login,
                association=one.author_association,
                body=cut(one.body or "", COMMENT_BYTES),
                created_at=one.created_at.isoformat(),
            )
            for one in found
        ]
        return CommentPage(page=max(1, page), comments=comments, has_more=len(found) == COMMENTS_PER_PAGE)


def cut(text: str, most: int) -> str:
    """At most so many bytes, with a mark that says how much is missing."""
    whole = text.encode()
    if len(whole) <= most:
        return text
    kept = whole[:most].decode(errors="ignore")
    return f"{kept}\n[cut: {len(whole) - most:,} of {len(whole):,} bytes]"


def _overall(states: list[str]) -> str:
    for state in ("failed", "pending", "missing"):
        if state in states:
            return "pending" if state == "missing" else state
    return "passed" if states else "none"
