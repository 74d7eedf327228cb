"""Pull requests in GraphQL."""

from collections.abc import Callable
from typing import Final

from caseworker.github_double import git_store
from caseworker.github_double.access import EDIT_PULL, PUSH, may
from caseworker.github_double.derive.closing_words import closing_issues
from caseworker.github_double.derive.effective_rules import rules_of
from caseworker.github_double.derive.merge_state import (
    Mergeable,
    answer_of,
    base_sha,
    is_behind,
    look_trial,
    merge_state,
    opinions,
    review_decision,
)
from caseworker.github_double.derive.queues import queue_of
from caseworker.github_double.entities.details import AutoMerge, TimelineEvent, TrialMerge
from caseworker.github_double.entities.repository import Comment, Issue, PullRequest, Review
from caseworker.github_double.git_diffs import changed_files
from caseworker.github_double.graphql.ask import Ask, Fields, Resolver
from caseworker.github_double.graphql.commit_fields import find_ref, pull_state, rollup_of
from caseworker.github_double.graphql.issue_fields import CONVERSATION, timeline
from caseworker.github_double.graphql.node_views import (
    ChangedFile,
    CommitView,
    PullCommit,
    QueuedView,
    RefView,
    ReviewRequest,
)
from caseworker.github_double.graphql.pages import page
from caseworker.github_double.graphql.review_fields import latest_reviews, review_page, visible_reviews
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.issue_shapes import issue_page

_CHANGES: Final = {
    "added": "ADDED",
    "removed": "DELETED",
    "modified": "MODIFIED",
    "renamed": "RENAMED",
    "copied": "COPIED",
    "changed": "CHANGED",
}


def _of_issue(resolve: Resolver[Issue]) -> Callable[[PullRequest, Ask], object]:
    return lambda pull, ask: resolve(pull.issue, ask)


def _start(pull: PullRequest) -> str:
    """Where the branch left its base."""
    return git_store.merge_base(pull.repository.path, pull.base.sha, pull.head.sha) or pull.base.sha


def _commits(pull: PullRequest) -> list[PullCommit]:
    found = git_store.log(pull.repository.path, "--reverse", f"{_start(pull)}..{pull.head.sha}")
    return [PullCommit(pull=pull, commit=CommitView(repository=pull.repository, sha=one.sha)) for one in found]


def _files(pull: PullRequest) -> list[ChangedFile]:
    return [ChangedFile(change=one) for one in changed_files(pull.repository.path, _start(pull), pull.head.sha)]


def _head_ref(pull: PullRequest, _ask: Ask) -> RefView | None:
    return None if pull.head.repository is None else find_ref(pull.head.repository, pull.head.ref)


def _trial(pull: PullRequest, ask: Ask) -> TrialMerge | None:
    """What the first look of this request saw: all fields of one answer agree."""
    seen = ask.request.trials
    if pull.node_id not in seen:
        seen[pull.node_id] = look_trial(pull)
    return seen[pull.node_id]


def _mergeable(pull: PullRequest, ask: Ask) -> Mergeable:
    return answer_of(_trial(pull, ask))


def _trial_commit(pull: PullRequest, ask: Ask) -> CommitView | None:
    trial = _trial(pull, ask)
    if trial is None or trial.commit is None or pull.merged is not None:
        return None
    return CommitView(repository=pull.repository, sha=trial.commit)


def _queue_entry(pull: PullRequest, _ask: Ask) -> QueuedView | None:
    if pull.queue_entry is None:
        return None
    return QueuedView(pull=pull, entry=pull.queue_entry, position=queue_of(pull).index(pull) + 1)


def _merge_commit(pull: PullRequest, _ask: Ask) -> CommitView | None:
    return None if pull.merged is None else CommitView(repository=pull.repository, sha=pull.merged.commit)


def _timeline(pull: PullRequest, ask: Ask) -> list[Comment | TimelineEvent | Review | PullCommit]:
    wanted = ask.texts("itemTypes")
    found: list[Comment | TimelineEvent | Review | PullCommit] = list(timeline(pull.issue, ask))
    if wanted is None or "PULL_REQUEST_REVIEW" in wanted:
        found += [one for one in visible_reviews(pull, ask) if one.submitted_at is not None]
    if wanted is None or "PULL_REQUEST_COMMIT" in wanted:
        found = [*_commits(pull), *found]
    return found


def _opinionated(pull: PullRequest, ask: Ask) -> list[Review]:
    return list(opinions(pull, writers_only=ask.flag("writersOnly")).values())


def _closes(pull: PullRequest) -> list[Issue]:
    return [pull.repository.issues[number] for number in closing_issues(pull)]


PULL: Final[Fields[PullRequest]] = {
    **{name: _of_issue(resolve) for name, resolve in CONVERSATION.items()},
    "id": lambda pull, _: pull.node_id,
    "databaseId": lambda pull, _: pull.id,
    "fullDatabaseId": lambda pull, _: str(pull.id),
    "state": lambda pull, _: pull_state(pull),
    "isDraft": lambda pull, _: pull.is_draft,
    "permalink": lambda pull, ask: issue_page(ask.github, pull.issue),
    # where it comes from and goes to
    "headRefName": lambda pull, _: pull.head.ref,
    "headRefOid": lambda pull, _: pull.head.sha,
    "headRef": _head_ref,
    "headRepository": lambda pull, _: pull.head.repository,
    "headRepositoryOwner": lambda pull, _: pull.head.repository.owner if pull.head.repository else None,
    "baseRefName": lambda pull, _: pull.base.ref,
    "baseRefOid": lambda pull, _: base_sha(pull) or pull.base.sha,
    "baseRef": lambda pull, _: find_ref(pull.repository, pull.base.ref),
    "baseRepository": lambda pull, _: pull.repository,
    "isCrossRepository": lambda pull, _: pull.is_cross_repository,
    "maintainerCanModify": lambda pull, _: pull.is_cross_repository and pull.maintainer_can_modify,
    "commits": lambda pull, ask: page(ask, _commits(pull)),
    "files": lambda pull, ask: page(ask, _files(pull)),
    "additions": lambda pull, _: sum(one.change.additions for one in _files(pull)),
    "deletions": lambda pull, _: sum(one.change.deletions for one in _files(pull)),
    "changedFiles": lambda pull, _: len(_files(pull)),
    # whether it can be merged
    "mergeable": _mergeable,
    "mergeStateStatus": lambda pull, ask: merge_state(pull, _mergeable(pull, ask)),
    "canBeRebased": lambda pull, ask: _mergeable(pull, ask) == "MERGEABLE",
    "potentialMergeCommit": _trial_commit,
    "merged": lambda pull, _: pull.merged is not None,
    "mergedAt": lambda pull, _: wire_time_or_none(pull.merged.at if pull.merged else None),
    "mergedBy": lambda pull, _: pull.merged.by if pull.merged else None,
    "mergeCommit": _merge_commit,
    "autoMergeRequest": lambda pull, _: pull.auto_merge,
    "isInMergeQueue": lambda pull, _: pull.queue_entry is not None,
    "isMergeQueueEnabled": lambda pull, _: rules_of(pull.repository, pull.base.ref).uses_queue,
    "mergeQueue": lambda _, __: None,
    "mergeQueueEntry": _queue_entry,
    "statusCheckRollup": lambda pull, _: rollup_of(pull.repository, pull.head.sha),
    "viewerCanUpdateBranch": lambda pull, ask: is_behind(pull) and may(ask.actor, pull.repository, PUSH),
    "viewerCanEnableAutoMerge": lambda pull, ask: may(ask.actor, pull.repository, PUSH),
    "viewerCanMergeAsAdmin": lambda _, __: False,
    "viewerCanEdit": lambda pull, ask: pull.author is ask.actor.user or may(ask.actor, pull.repository, EDIT_PULL),
    # reviews
    "reviewDecision": lambda pull, _: review_decision(pull),
    "reviews": review_page,
    "latestReviews": latest_reviews,
    "latestOpinionatedReviews": lambda pull, ask: page(ask, _opinionated(pull, ask)),
    "reviewThreads": lambda pull, ask: page(ask, pull.threads),
    "reviewRequests": lambda pull, ask: page(
        ask, [ReviewRequest(pull=pull, reviewer=one) for one in pull.requested_reviewers]
    ),
    "suggestedReviewerActors": lambda _, ask: page(ask, []),
    "closingIssuesReferences": lambda pull, ask: page(ask, _closes(pull)),
    "timelineItems": lambda pull, ask: page(ask, _timeline(pull, ask)),
}
QUEUE_ENTRY: Final[Fields[QueuedView]] = {
    "id": lambda found, _: found.entry.node_id,
    "enqueuedAt": lambda found, _: wire_time(found.entry.enqueued_at),
    "enqueuer": lambda found, _: found.entry.enqueued_by,
    "position": lambda found, _: found.position,
    "state": lambda found, _: "AWAITING_CHECKS" if found.position == 1 else "QUEUED",
    "pullRequest": lambda found, _: found.pull,
    "jump": lambda _, __: False,
    "solo": lambda _, __: False,
}
CHANGED_FILE: Final[Fields[ChangedFile]] = {
    "path": lambda one, _: one.change.path,
    "additions": lambda one, _: one.change.additions,
    "deletions": lambda one, _: one.change.deletions,
    "changeType": lambda one, _: _CHANGES[one.change.status],
    "viewerViewedState": lambda _, __: "UNVIEWED",
}
AUTO_MERGE: Final[Fields[AutoMerge]] = {
    "enabledAt": lambda found, _: wire_time(found.enabled_at),
    "enabledBy": lambda found, _: found.enabled_by,
    "mergeMethod": lambda found, _: found.method.upper(),
    "authorEmail": lambda _, __: None,
    "commitBody": lambda _, __: None,
    "commitHeadline": lambda _, __: None,
}
