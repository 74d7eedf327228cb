"""What `caseworker run` works on: an issue of a folder on this machine, or one on GitHub."""

import sys
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Protocol

from caseworker.app.parts import github_access, look_at, make_forge, make_source
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import issue_case, issue_number
from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef
from caseworker.core.evidence.repository_rules import SETTINGS_FILE, RepositoryRules
from caseworker.intake.issues import read_issue, read_issue_text
from caseworker.ports import Issue, NewIssue, Store, Thread
from caseworker.ports.github import thread_on

if TYPE_CHECKING:
    from caseworker.forges.github.issue_links import IssueLink
    from caseworker.forges.github.payloads import IssueData
    from caseworker.forges.github.reads import GitHubReader


class Subject(Protocol):
    @property
    def repository(self) -> RepositoryRef: ...

    @property
    def thread(self) -> Thread | None:
        """Where people talk about it, besides the terminal."""

    async def rules(self) -> RepositoryRules: ...

    async def issue(self, store: Store, settings: Settings) -> Issue:
        """Registers the repository. `Refused` if the case could not deliver its branch."""


async def find_subject(folder: Path | None, issue: "NewIssue | int | IssueLink", settings: Settings) -> Subject:
    """Reads what a person named. Creates nothing; `Refused` says what is wrong with it."""
    if isinstance(issue, NewIssue | int):
        return LocalSubject((await look_at(await folder_or_here(folder))).ref, issue)
    if folder is not None:
        raise Refused("An issue on GitHub names its repository.", todo="Leave `--repo` out.")
    return await find_remote(issue, settings)


async def folder_or_here(folder: Path | None) -> Path:
    """The folder that was named, or the repository that one stands in."""
    from caseworker.forges.local_folders import NoRepository

    if folder is not None:
        return folder
    try:
        return (await look_at(Path.cwd())).path
    except NoRepository as refused:
        raise Refused(
            f"It is not said where the code is, and this folder is not inside a repository: {refused.what}",
            todo="Go into the repository, or name it with `--repo FOLDER`.",
        ) from None


async def find_remote(link: "IssueLink", settings: Settings) -> "RemoteSubject":
    access = github_access(settings)
    if access is None:
        raise Refused(
            "Caseworker has no access to GitHub.",
            todo="Set CASEWORKER_GITHUB_TOKEN (`caseworker docs github` says which permissions it needs), "
            "or CASEWORKER_GITHUB_APP_ID and CASEWORKER_GITHUB_APP_PRIVATE_KEY.",
        )
    from caseworker.forges.github.api_errors import GitHubRefused
    from caseworker.forges.github.connect import connect
    from caseworker.forges.github.issue_links import is_a_pull_request
    from caseworker.forges.github.reads import GitHubReader

    reader = GitHubReader(connect(access))
    repository = link.on(connect(access).address)
    try:
        found = await reader.issue(repository, link.number)
    except GitHubRefused as refused:
        if not refused.is_absent:
            raise
        raise Refused(
            f"{repository} has no issue {link.number}, or Caseworker may not see it.",
            todo="Check the number, and that the token or App may read issues of this repository.",
        ) from None
    if found.pull_request is not None:
        raise is_a_pull_request(f"{repository}#{link.number}")
    if found.state != "open":
        raise Refused(f"{repository}#{link.number} is closed.", todo="Reopen it, then try again.")
    return RemoteSubject(repository, found, reader)


@dataclass(frozen=True)
class LocalSubject:
    repository: LocalRepository
    asked: NewIssue | int

    @property
    def thread(self) -> None:
        return None

    async def rules(self) -> RepositoryRules:
        from caseworker.activities.shared.read_rules import rules_of

        return await rules_of(self.repository, make_source())

    async def issue(self, store: Store, settings: Settings) -> Issue:
        ref = self.repository
        repository = await store.repositories.register(ref)
        taken = await make_source().taken_numbers(ref)
        if isinstance(self.asked, NewIssue):
            issue = await store.repositories.new_issue(repository, self.asked, taken=taken)
            return await _require_free_branch(store, issue, taken, ref)
        known = await store.repositories.issue(repository, self.asked)
        if known is None:
            raise Refused(
                f"{repository} has no issue {self.asked}.",
                todo=f"`caseworker issue list --repo {quote(str(ref))}` lists them, `issue new` makes one.",
            )
        return await _require_free_branch(store, known, taken, ref)


@dataclass(frozen=True)
class RemoteSubject:
    repository: RemoteRepository
    data: "IssueData"
    reader: "GitHubReader"

    @property
    def thread(self) -> Thread:
        return thread_on(self.repository, self.data.number)

    async def rules(self) -> RepositoryRules:
        from caseworker.activities.shared.read_rules import rules_in

        return rules_in(await self.reader.file(self.repository, SETTINGS_FILE))

    async def issue(self, store: Store, settings: Settings) -> Issue:
        taken = await make_forge(store, settings).source.taken_numbers(self.repository)
        issue = Issue(
            repository=await store.repositories.register(self.repository),
            number=self.data.number,
            title=self.data.title.replace("\0", ""),
            body=(self.data.body or "").replace("\0", ""),
            labels=[label.name for label in self.data.labels],
            url=self.data.html_url,
            created_at=self.data.created_at,
        )
        return await _require_free_branch(store, issue, taken, self.repository)


async def _require_free_branch(store: Store, issue: Issue, taken: Set[int], ref: RepositoryRef) -> Issue:
    """Refuse a taken branch name: somebody else's branch would stop the case at its end, with the money spent."""
    case = issue_case(issue.repository, issue.number)
    if issue.number in taken and await store.cases.load(case) is None:
        raise Refused(
            f"{ref} has a branch {ref.branch_of(issue.number)} already, and no case here made it.",
            todo="Rename or delete it, then try again.",
        )
    return issue


def issue_argument(value: str) -> "NewIssue | int | IssueLink":
    """A number names an issue of the repository, a link or `owner/repo#42` one on GitHub, `-` standard input; anything
    else is a file."""
    if not value.strip():
        raise Refused("`--issue` is empty.", todo="Give a Markdown file, a number, or a link to an issue on GitHub.")
    try:
        number = issue_number(value)
    except ValueError:
        raise Refused("No issue has so large a number.", todo="`caseworker issue list` lists the issues.") from None
    if number is not None:
        return number
    if value == "-" or Path(value).exists():
        return read_issue_from(value)
    from caseworker.forges.github.issue_links import parse_issue_link

    return parse_issue_link(value) or read_issue(Path(value))


def read_issue_from(value: str) -> NewIssue:
    """The issue in a file, or on standard input if it is called `-`."""
    if value != "-":
        return read_issue(Path(value))
    return read_issue_text(sys.stdin.buffer.read())
