"""What we read of the probe's answer. Names are GitHub's; nothing of this leaves the package."""

from datetime import datetime
from typing import Generic, TypeVar

from pydantic import Field, model_validator

from caseworker.forges.github.payloads import Payload

T = TypeVar("T")


class PageInfo(Payload):
    hasNextPage: bool = False
    endCursor: str | None = None


class Connection(Payload, Generic[T]):
    pageInfo: PageInfo = PageInfo()
    nodes: list[T] = []


class Count(Payload):
    totalCount: int = 0


class Login(Payload):
    login: str = ""


class Author(Payload):
    kind: str = Field(default="User", alias="__typename")
    login: str = ""


class Oid(Payload):
    oid: str


class AppData(Payload):
    databaseId: int | None = None
    slug: str = ""


class WorkflowName(Payload):
    name: str = ""


class RunOfWorkflow(Payload):
    event: str = ""
    workflow: WorkflowName = WorkflowName()


class SuiteOfRun(Payload):
    app: AppData | None = None
    workflowRun: RunOfWorkflow | None = None


class ContextData(Payload):
    """A check run (with `status`) or a commit status (with `state`)."""

    name: str = ""
    status: str = ""
    conclusion: str | None = None
    databaseId: int | None = None
    startedAt: datetime | None = None
    completedAt: datetime | None = None
    detailsUrl: str | None = None
    checkSuite: SuiteOfRun | None = None
    context: str = ""
    state: str = ""
    targetUrl: str | None = None
    createdAt: datetime | None = None
    isRequired: bool = False


class SuiteData(Payload):
    conclusion: str | None = None
    createdAt: datetime
    app: AppData | None = None
    workflowRun: RunOfWorkflow | None = None
    checkRuns: Count = Count()


class Committer(Payload):
    email: str | None = None


class HeadCommit(Payload):
    oid: str
    committedDate: datetime
    committer: Committer | None = None
    checkSuites: Connection[SuiteData] | None = None


class CommitNode(Payload):
    commit: HeadCommit


class RollupData(Payload):
    contexts: Connection[ContextData]


class DescribedCheck(Payload):
    context: str
    app: AppData | None = None
    integrationId: int | None = None


class UpdateRule(Payload):
    requiredStatusCheckContexts: list[str | None] | None = None
    requiredApprovingReviewCount: int | None = None
    requiresConversationResolution: bool = False
    requiresSignatures: bool = False


class ProtectionRule(Payload):
    requiresStrictStatusChecks: bool = False
    dismissesStaleReviews: bool = False
    requireLastPushApproval: bool = False
    lockBranch: bool = False
    requiresDeployments: bool = False
    requiredStatusChecks: list[DescribedCheck] | None = None


class Parameters(Payload):
    strictRequiredStatusChecksPolicy: bool = False
    requiredStatusChecks: list[DescribedCheck] = []
    requiredApprovingReviewCount: int = 0
    dismissStaleReviewsOnPush: bool = False
    requireLastPushApproval: bool = False
    requiredReviewThreadResolution: bool = False


class RuleNode(Payload):
    type: str
    parameters: Parameters | None = None


class BaseRef(Payload):
    target: Oid | None = None
    refUpdateRule: UpdateRule | None = None
    branchProtectionRule: ProtectionRule | None = None
    rules: Connection[RuleNode] | None = None


class TrialCommit(Payload):
    parents: Connection[Oid]


class QueueEntry(Payload):
    position: int = 0
    enqueuedAt: datetime | None = None
    enqueuer: Login | None = None


class AutoMergeRequest(Payload):
    enabledAt: datetime | None = None
    enabledBy: Login | None = None


class Reviewer(Payload):
    login: str = ""
    combinedSlug: str = ""


class ReviewRequestNode(Payload):
    requestedReviewer: Reviewer | None = None


class ReviewNode(Payload):
    state: str
    submittedAt: datetime | None = None
    author: Author | None = None
    commit: Oid | None = None
    authorCanPushToRepository: bool = False


class OfReview(Payload):
    authorCanPushToRepository: bool = False


class CommentNode(Payload):
    url: str = ""
    author: Author | None = None
    createdAt: datetime
    viewerDidAuthor: bool = False
    pullRequestReview: OfReview | None = None

    @property
    def is_of_a_stranger(self) -> bool:
        """By a person without write access. Programs were installed by an owner."""
        may_write = self.pullRequestReview is not None and self.pullRequestReview.authorCanPushToRepository
        return not (may_write or self.viewerDidAuthor) and (self.author is None or self.author.kind == "User")


class ThreadNode(Payload):
    id: str
    isResolved: bool
    isOutdated: bool = False
    path: str = ""
    line: int | None = None
    opening: Connection[CommentNode]
    latest: Connection[CommentNode]


class Event(Payload):
    createdAt: datetime


class PullSubject(Payload):
    number: int
    title: str
    url: str
    state: str
    isDraft: bool
    createdAt: datetime
    updatedAt: datetime
    isCrossRepository: bool
    author: Login | None
    headRefOid: str
    headRefName: str
    baseRefName: str
    baseRef: BaseRef | None


class PullMerge(Payload):
    mergeable: str
    mergeStateStatus: str | None = None
    potentialMergeCommit: TrialCommit | None
    isInMergeQueue: bool
    isMergeQueueEnabled: bool
    mergeQueueEntry: QueueEntry | None
    autoMergeRequest: AutoMergeRequest | None
    rollup: RollupData | None


class PullTalk(Payload):
    commits: Connection[CommitNode]
    reviewDecision: str | None
    reviewRequests: Connection[ReviewRequestNode] | None
    latestReviews: Connection[ReviewNode] | None
    latestOpinionatedReviews: Connection[ReviewNode] | None
    reviewThreads: Connection[ThreadNode]
    timelineItems: Connection[Event]


class PullNode(Payload):
    """GitHub's flat object in three parts. What the verdict depends on has no default: a missing field makes the answer
    unreadable."""

    subject: PullSubject
    merge: PullMerge
    talk: PullTalk

    @model_validator(mode="before")
    @classmethod
    def _divide(cls, flat: object) -> dict[str, object]:
        return {"subject": flat, "merge": flat, "talk": flat}


class RepositoryNode(Payload):
    pullRequest: PullNode | None


class RateLimit(Payload):
    cost: int = 0
    remaining: int = 0


class ProbeData(Payload):
    repository: RepositoryNode | None
    rateLimit: RateLimit | None = None
