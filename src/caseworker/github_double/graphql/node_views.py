"""Things that GraphQL has as objects and the state only implies: commits, refs, rollups, rules, requests for review."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from caseworker.github_double.derive.check_results import expected_statuses, latest_runs, latest_statuses, runs_of
from caseworker.github_double.derive.effective_rules import EffectiveRules
from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.check_records import CheckRun, Status, WorkflowRun
from caseworker.github_double.entities.details import QueueEntry
from caseworker.github_double.entities.protection import RequiredCheck, Rule, Ruleset
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.git_store import CommitData, FileChange, commit


@dataclass(frozen=True, kw_only=True)
class CommitView:
    repository: Repository
    sha: str

    @property
    def data(self) -> CommitData:
        return commit(self.repository.path, self.sha)


@dataclass(frozen=True, kw_only=True)
class TreeView:
    repository: Repository
    sha: str


@dataclass(frozen=True, kw_only=True)
class GitActorView:
    name: str
    email: str
    date: str
    user: User | None


@dataclass(frozen=True, kw_only=True)
class RefView:
    repository: Repository
    name: str
    sha: str


@dataclass(frozen=True, kw_only=True)
class PullCommit:
    pull: PullRequest
    commit: CommitView


@dataclass(frozen=True, kw_only=True)
class Rollup:
    """`statusCheckRollup` of a commit."""

    repository: Repository
    sha: str

    def contexts(self) -> list[CheckRun | Status]:
        """Every check run, also superseded ones, and the newest status of each context, as GitHub lists them.

        With what is expected: statuses that a rule demands."""
        reported: list[CheckRun | Status] = [
            *runs_of(self.repository, self.sha),
            *latest_statuses(self.repository, self.sha),
        ]
        return [*reported, *expected_statuses(self.repository, self.sha)]

    def latest(self) -> list[CheckRun | Status]:
        return [*latest_runs(self.repository, self.sha), *latest_statuses(self.repository, self.sha)]


@dataclass(frozen=True, kw_only=True)
class StateCount:
    state: str
    count: int


@dataclass(frozen=True, kw_only=True)
class ReviewRequest:
    pull: PullRequest
    reviewer: User


@dataclass(frozen=True, kw_only=True)
class QueuedView:
    """A pull request in a merge queue, with its place there."""

    pull: PullRequest
    entry: QueueEntry
    position: int


@dataclass(frozen=True, kw_only=True)
class ReactionGroup:
    content: str
    users: tuple[User, ...]


@dataclass(frozen=True, kw_only=True)
class ChangedFile:
    change: FileChange


@dataclass(frozen=True, kw_only=True)
class BranchRules:
    """`Ref.refUpdateRule`: what counts for a branch, readable by everybody."""

    pattern: str
    rules: EffectiveRules


@dataclass(frozen=True, kw_only=True)
class RuleView:
    repository: Repository
    ruleset: Ruleset
    rule: Rule


@dataclass(frozen=True, kw_only=True)
class RuleParameters:
    """The parameters of one rule; its type decides which GraphQL type it is."""

    rule: Rule


@dataclass(frozen=True, kw_only=True)
class RequiredCheckView:
    check: RequiredCheck


@dataclass(frozen=True, kw_only=True)
class WorkflowView:
    run: WorkflowRun


@dataclass(frozen=True, kw_only=True)
class Comparison:
    repository: Repository
    base: str
    head: str


@dataclass(frozen=True, kw_only=True)
class RepositoryOwnerRole:
    user: User
    role: Literal["ADMIN", "MAINTAIN", "WRITE", "TRIAGE", "READ"]


@dataclass(frozen=True, kw_only=True)
class Absent:
    """An object that exists on every GitHub and is empty here; each field has a value of its own."""

    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Payload:
    """What a mutation answers, by field."""

    values: Mapping[str, object]


class Root:
    """The source of the fields of `Query` and `Mutation`."""
