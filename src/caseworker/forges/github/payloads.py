"""What we read of GitHub's answers: small models that ignore all other fields, and need only what we decide on."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class Payload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class User(Payload):
    login: str = "ghost"
    type: str = "User"


GHOST = User()
"""Stands for the author of a text whose account was deleted: GitHub then sends null."""


class Named(Payload):
    name: str


class RepositoryData(Payload):
    id: int
    full_name: str
    default_branch: str
    private: bool = False
    archived: bool = False


class PermissionData(Payload):
    permission: str
    """`admin`, `write`, `read` or `none`."""
    role_name: str = ""
    """Also `maintain` and `triage`, or the name of an organization's own role."""


class IssueData(Payload):
    number: int
    node_id: str = ""
    title: str
    body: str | None = None
    user: User | None = None
    labels: list[Named] = []
    state: str
    locked: bool = False
    html_url: str = ""
    created_at: datetime
    updated_at: datetime
    pull_request: dict[str, object] | None = None
    """Set where the issue is a pull request."""


class CommentData(Payload):
    id: int
    node_id: str = ""
    body: str | None = None
    user: User | None = None
    author_association: str = "NONE"
    html_url: str = ""
    created_at: datetime
    updated_at: datetime


class ReviewCommentData(CommentData):
    path: str = ""
    line: int | None = None
    in_reply_to_id: int | None = None


class ReviewData(Payload):
    id: int
    body: str | None = None
    user: User | None = None
    state: str
    submitted_at: datetime | None = None


class Side(Payload):
    """One end of a pull request."""

    ref: str
    sha: str
    repo: RepositoryData | None = None
    """Null: the fork was deleted."""


class PullData(Payload):
    number: int
    node_id: str = ""
    title: str
    body: str | None = None
    state: str
    draft: bool = False
    merged_at: datetime | None = None
    mergeable: bool | None = None
    html_url: str
    head: Side
    base: Side
    user: User | None = None


class FileData(Payload):
    filename: str
    status: str
    additions: int = 0
    deletions: int = 0


class AppData(Payload):
    id: int
    slug: str = ""


class InstallationData(Payload):
    id: int
    suspended_at: datetime | None = None


class RepositoriesData(Payload):
    repositories: list[RepositoryData] = []


class OutputData(Payload):
    title: str | None = None
    summary: str | None = None
    text: str | None = None


class CheckRunData(Payload):
    id: int
    name: str
    head_sha: str = ""
    external_id: str | None = None
    status: str
    conclusion: str | None = None
    html_url: str | None = None
    started_at: datetime | None = None
    output: OutputData = OutputData()
    app: AppData | None = None


class CheckRunsData(Payload):
    check_runs: list[CheckRunData] = []


class StatusData(Payload):
    context: str
    state: str
    target_url: str | None = None
    description: str | None = None


class StatusesData(Payload):
    statuses: list[StatusData] = []


class WorkflowRunData(Payload):
    id: int
    name: str | None = None
    status: str | None = None
    conclusion: str | None = None
    run_attempt: int = 1
    head_sha: str = ""
    html_url: str = ""
    logs_url: str = ""


class RequiredCheckData(Payload):
    context: str
    integration_id: int | None = None
    app_id: int | None = None


class RuleParameters(Payload):
    required_status_checks: list[RequiredCheckData] = []
    required_approving_review_count: int = 0
    required_review_thread_resolution: bool = False
    strict_required_status_checks_policy: bool = False
    dismiss_stale_reviews_on_push: bool = False
    require_last_push_approval: bool = False


class RuleData(Payload):
    type: str
    parameters: RuleParameters | None = None


class ProtectedChecks(Payload):
    strict: bool = False
    contexts: list[str] = []
    checks: list[RequiredCheckData] = []


class ProtectedReviews(Payload):
    required_approving_review_count: int = 0


class Switch(Payload):
    enabled: bool = False


class ProtectionData(Payload):
    required_status_checks: ProtectedChecks | None = None
    required_pull_request_reviews: ProtectedReviews | None = None
    required_conversation_resolution: Switch = Switch()


class BranchData(Payload):
    name: str
    protected: bool = False
    commit: "CommitData"


class CommitData(Payload):
    sha: str


class ContentData(Payload):
    type: str = "file"
    path: str
    encoding: str = ""
    content: str = ""


class DeliveryData(Payload):
    id: int
    guid: str
    event: str
    action: str | None = None
    status: str = ""
    status_code: int = 0
    delivered_at: datetime
    repository_id: int | None = None


class DeliveryBody(Payload):
    headers: dict[str, str] = Field(default_factory=dict)
    payload: dict[str, object] = Field(default_factory=dict)


class DeliveryDetail(DeliveryData):
    request: DeliveryBody = DeliveryBody()


class ReactionData(Payload):
    id: int
    content: str
    user: User | None = None
