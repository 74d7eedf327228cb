"""Which GraphQL type has which fields here, and which type an object is."""

from typing import Final, Protocol

from caseworker.github_double.entities.accounts import App, User
from caseworker.github_double.entities.check_records import CheckRun, CheckSuite, Status, WorkflowRun
from caseworker.github_double.entities.details import AutoMerge, Label, Reaction, TimelineEvent
from caseworker.github_double.entities.protection import Protection, Ruleset
from caseworker.github_double.entities.repository import (
    Comment,
    Issue,
    PullRequest,
    Repository,
    Review,
    ReviewComment,
    ReviewThread,
)
from caseworker.github_double.graphql import (
    check_fields,
    commit_fields,
    issue_fields,
    node_views,
    pull_fields,
    query_fields,
    repository_fields,
    review_fields,
    rule_fields,
    user_fields,
)
from caseworker.github_double.graphql.ask import Ask, Subject
from caseworker.github_double.graphql.issue_mutations import ISSUE_MUTATIONS
from caseworker.github_double.graphql.pages import CONNECTION, EDGE, PAGE_INFO, Edge, Page
from caseworker.github_double.graphql.pull_mutations import PULL_MUTATIONS


class AnySubject(Protocol):
    def knows(self, name: str) -> bool: ...

    def resolve(self, source: object, name: str, ask: Ask) -> object: ...


_EVENTS: Final = {
    "".join(part.capitalize() for part in name.split("_")): Subject(TimelineEvent, issue_fields.EVENT)
    for name in issue_fields.TIMELINE_TYPES.values()
}
SUBJECTS: Final[dict[str, AnySubject]] = {
    "Query": Subject(node_views.Root, query_fields.QUERY),
    "Mutation": Subject(node_views.Root, {**ISSUE_MUTATIONS, **PULL_MUTATIONS}),
    "PageInfo": Subject(Page, PAGE_INFO),
    "User": Subject(User, user_fields.ACCOUNT),
    "Organization": Subject(User, user_fields.ACCOUNT),
    "Bot": Subject(User, user_fields.ACTOR),
    "App": Subject(App, user_fields.APP),
    "Repository": Subject(Repository, repository_fields.REPOSITORY),
    "Issue": Subject(Issue, issue_fields.ISSUE),
    "IssueComment": Subject(Comment, issue_fields.COMMENT),
    "Label": Subject(Label, issue_fields.LABEL),
    "Reaction": Subject(Reaction, issue_fields.REACTION),
    "ReactionGroup": Subject(node_views.ReactionGroup, issue_fields.REACTION_GROUP),
    "PullRequest": Subject(PullRequest, pull_fields.PULL),
    "PullRequestChangedFile": Subject(node_views.ChangedFile, pull_fields.CHANGED_FILE),
    "MergeQueueEntry": Subject(node_views.QueuedView, pull_fields.QUEUE_ENTRY),
    "AutoMergeRequest": Subject(AutoMerge, pull_fields.AUTO_MERGE),
    "PullRequestReview": Subject(Review, review_fields.REVIEW_FIELDS),
    "PullRequestReviewThread": Subject(ReviewThread, review_fields.THREAD),
    "PullRequestReviewComment": Subject(ReviewComment, review_fields.REVIEW_COMMENT),
    "ReviewRequest": Subject(node_views.ReviewRequest, review_fields.REVIEW_REQUEST),
    "Commit": Subject(node_views.CommitView, commit_fields.COMMIT),
    "Tree": Subject(node_views.TreeView, commit_fields.TREE),
    "GitActor": Subject(node_views.GitActorView, commit_fields.GIT_ACTOR),
    "PullRequestCommit": Subject(node_views.PullCommit, commit_fields.PULL_COMMIT),
    "Ref": Subject(node_views.RefView, commit_fields.REF),
    "Comparison": Subject(node_views.Comparison, commit_fields.COMPARISON),
    "CheckRun": Subject(CheckRun, check_fields.CHECK_RUN),
    "CheckSuite": Subject(CheckSuite, check_fields.CHECK_SUITE),
    "WorkflowRun": Subject(WorkflowRun, check_fields.WORKFLOW_RUN),
    "Workflow": Subject(node_views.WorkflowView, check_fields.WORKFLOW),
    "StatusContext": Subject(Status, check_fields.STATUS_CONTEXT),
    "StatusCheckRollup": Subject(node_views.Rollup, check_fields.ROLLUP),
    "StatusCheckRollupContextConnection": Subject(Page, check_fields.CONTEXTS),
    "CheckRunStateCount": Subject(node_views.StateCount, check_fields.STATE_COUNT),
    "StatusContextStateCount": Subject(node_views.StateCount, check_fields.STATE_COUNT),
    "SearchResultItemConnection": Subject(Page, query_fields.SEARCH),
    "BranchProtectionRule": Subject(Protection, rule_fields.PROTECTION),
    "RequiredStatusCheckDescription": Subject(node_views.RequiredCheckView, rule_fields.REQUIRED_CHECK),
    "StatusCheckConfiguration": Subject(node_views.RequiredCheckView, rule_fields.REQUIRED_CHECK),
    "RefUpdateRule": Subject(node_views.BranchRules, rule_fields.REF_UPDATE_RULE),
    "RepositoryRule": Subject(node_views.RuleView, rule_fields.RULE),
    "RepositoryRuleset": Subject(Ruleset, rule_fields.RULESET),
    "PullRequestParameters": Subject(node_views.RuleParameters, rule_fields.PULL_PARAMETERS),
    "RequiredStatusChecksParameters": Subject(node_views.RuleParameters, rule_fields.CHECK_PARAMETERS),
    **_EVENTS,
}
_CONNECTION: Final = Subject(Page, CONNECTION)
_EDGE: Final = Subject(Edge, EDGE)


def subject_of(type_name: str) -> AnySubject | None:
    """The fields of a type; every connection and edge has the same ones."""
    if type_name in SUBJECTS:
        return SUBJECTS[type_name]
    if type_name.endswith("Connection"):
        return _CONNECTION
    return _EDGE if type_name.endswith("Edge") else None


_TYPES: Final[dict[type, str]] = {
    App: "App",
    Repository: "Repository",
    Issue: "Issue",
    Comment: "IssueComment",
    Label: "Label",
    Reaction: "Reaction",
    PullRequest: "PullRequest",
    Review: "PullRequestReview",
    ReviewThread: "PullRequestReviewThread",
    ReviewComment: "PullRequestReviewComment",
    node_views.CommitView: "Commit",
    node_views.TreeView: "Tree",
    node_views.PullCommit: "PullRequestCommit",
    CheckRun: "CheckRun",
    CheckSuite: "CheckSuite",
    WorkflowRun: "WorkflowRun",
    Status: "StatusContext",
}


def type_of(value: object) -> str:
    """The GraphQL type of an object where the schema has an interface or a union."""
    if isinstance(value, User):
        return value.kind
    if isinstance(value, TimelineEvent):
        name = issue_fields.TIMELINE_TYPES[value.event]
        return "".join(part.capitalize() for part in name.split("_"))
    if isinstance(value, node_views.RuleParameters):
        return "PullRequestParameters" if value.rule.type == "pull_request" else "RequiredStatusChecksParameters"
    return _TYPES[type(value)]
