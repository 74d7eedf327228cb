"""Reviews, review threads, review comments and requests for review in GraphQL."""

from typing import Final

from caseworker.github_double.access import RESOLVE, REVIEW, may, role_of
from caseworker.github_double.entities.accounts import Role
from caseworker.github_double.entities.repository import PullRequest, Review, ReviewComment, ReviewThread
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.issue_fields import html, reaction_groups, reactions
from caseworker.github_double.graphql.node_views import CommitView, ReviewRequest
from caseworker.github_double.graphql.pages import Page, page
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.issue_shapes import association, issue_page


def may_resolve(pull: PullRequest, ask: Ask) -> bool:
    return pull.author is ask.actor.user or may(ask.actor, pull.repository, RESOLVE)


def visible_reviews(pull: PullRequest, ask: Ask) -> list[Review]:
    """A pending review is seen by its author only."""
    return [one for one in pull.reviews if one.state != "PENDING" or one.author is ask.actor.user]


def review_page(pull: PullRequest, ask: Ask) -> Page:
    states, author = ask.texts("states"), ask.text_or_none("author")
    found = [
        one
        for one in visible_reviews(pull, ask)
        if (states is None or one.state in states) and author in (None, one.author.login)
    ]
    return page(ask, found)


def latest_reviews(pull: PullRequest, ask: Ask) -> Page:
    """The newest review of each person who is not asked for another one."""
    latest = {one.author: one for one in pull.reviews if one.state != "PENDING"}
    return page(ask, [one for author, one in latest.items() if author not in pull.requested_reviewers])


REVIEW_FIELDS: Final[Fields[Review]] = {
    "id": lambda review, _: review.node_id,
    "databaseId": lambda review, _: review.id,
    "fullDatabaseId": lambda review, _: str(review.id),
    "author": lambda review, _: review.author,
    "authorAssociation": lambda review, _: association(review.author, review.pull.repository),
    "authorCanPushToRepository": lambda review, _: role_of(review.author, review.pull.repository) >= Role.WRITE,
    "state": lambda review, _: review.state,
    "body": lambda review, _: review.body,
    "bodyText": lambda review, _: review.body,
    "bodyHTML": lambda review, _: html(review.body),
    "submittedAt": lambda review, _: wire_time_or_none(review.submitted_at),
    "createdAt": lambda review, _: wire_time_or_none(review.submitted_at),
    "updatedAt": lambda review, _: wire_time_or_none(review.submitted_at),
    "publishedAt": lambda review, _: wire_time_or_none(review.submitted_at),
    "lastEditedAt": lambda _, __: None,
    "includesCreatedEdit": lambda _, __: False,
    "isMinimized": lambda _, __: False,
    "minimizedReason": lambda _, __: None,
    "commit": lambda review, _: CommitView(repository=review.pull.repository, sha=review.commit),
    "comments": lambda review, ask: page(ask, review.comments),
    "url": lambda review, ask: f"{issue_page(ask.github, review.pull.issue)}#pullrequestreview-{review.id}",
    "pullRequest": lambda review, _: review.pull,
    "repository": lambda review, _: review.pull.repository,
    "reactionGroups": lambda _, __: reaction_groups(()),
    "viewerDidAuthor": lambda review, ask: review.author is ask.actor.user,
}
THREAD: Final[Fields[ReviewThread]] = {
    "id": lambda thread, _: thread.node_id,
    "path": lambda thread, _: thread.path,
    "line": lambda thread, _: None if thread.is_outdated else thread.line,
    "startLine": lambda thread, _: None if thread.is_outdated else thread.start_line,
    "originalLine": lambda thread, _: thread.original_line,
    "originalStartLine": lambda thread, _: thread.start_line,
    "diffSide": lambda thread, _: thread.side,
    "startDiffSide": lambda thread, _: thread.side if thread.start_line is not None else None,
    "subjectType": lambda thread, _: "FILE" if thread.original_line is None else "LINE",
    "isOutdated": lambda thread, _: thread.is_outdated,
    "isResolved": lambda thread, _: thread.resolved_by is not None,
    "isCollapsed": lambda thread, _: thread.resolved_by is not None or thread.is_outdated,
    "resolvedBy": lambda thread, _: thread.resolved_by,
    "comments": lambda thread, ask: page(ask, thread.comments),
    "pullRequest": lambda thread, _: thread.pull,
    "repository": lambda thread, _: thread.pull.repository,
    "viewerCanReply": lambda thread, ask: may(ask.actor, thread.pull.repository, REVIEW),
    "viewerCanResolve": lambda thread, ask: thread.resolved_by is None and may_resolve(thread.pull, ask),
    "viewerCanUnresolve": lambda thread, ask: thread.resolved_by is not None and may_resolve(thread.pull, ask),
}


def _replied_to(comment: ReviewComment, _ask: Ask) -> ReviewComment | None:
    return next((one for one in comment.thread.comments if one.id == comment.in_reply_to), None)


REVIEW_COMMENT: Final[Fields[ReviewComment]] = {
    "id": lambda comment, _: comment.node_id,
    "databaseId": lambda comment, _: comment.id,
    "fullDatabaseId": lambda comment, _: str(comment.id),
    "author": lambda comment, _: comment.author,
    "authorAssociation": lambda comment, _: association(comment.author, comment.thread.pull.repository),
    "body": lambda comment, _: comment.body,
    "bodyText": lambda comment, _: comment.body,
    "bodyHTML": lambda comment, _: html(comment.body),
    "path": lambda comment, _: comment.thread.path,
    "line": lambda comment, _: None if comment.thread.is_outdated else comment.thread.line,
    "originalLine": lambda comment, _: comment.thread.original_line,
    "outdated": lambda comment, _: comment.thread.is_outdated,
    "diffHunk": lambda comment, _: comment.diff_hunk,
    "commit": lambda comment, _: CommitView(repository=comment.thread.pull.repository, sha=comment.commit),
    "originalCommit": lambda comment, _: CommitView(
        repository=comment.thread.pull.repository, sha=comment.original_commit
    ),
    "replyTo": _replied_to,
    "createdAt": lambda comment, _: wire_time(comment.created_at),
    "updatedAt": lambda comment, _: wire_time(comment.updated_at),
    "publishedAt": lambda comment, _: wire_time(comment.created_at),
    "lastEditedAt": lambda comment, _: (
        wire_time(comment.updated_at) if comment.updated_at > comment.created_at else None
    ),
    "isMinimized": lambda _, __: False,
    "minimizedReason": lambda _, __: None,
    "state": lambda comment, _: "PENDING" if comment.review.state == "PENDING" else "SUBMITTED",
    "url": lambda comment, ask: f"{issue_page(ask.github, comment.thread.pull.issue)}#discussion_r{comment.id}",
    "pullRequest": lambda comment, _: comment.thread.pull,
    "pullRequestReview": lambda comment, _: comment.review,
    "repository": lambda comment, _: comment.thread.pull.repository,
    "reactions": lambda comment, ask: reactions(comment.reactions, ask),
    "reactionGroups": lambda comment, _: reaction_groups(comment.reactions),
    "viewerDidAuthor": lambda comment, ask: comment.author is ask.actor.user,
}
REVIEW_REQUEST: Final[Fields[ReviewRequest]] = {
    "id": lambda request, _: f"RRQ_{request.pull.number}_{request.reviewer.id}",
    "asCodeOwner": lambda _, __: False,
    "requestedReviewer": lambda request, _: request.reviewer,
    "pullRequest": lambda request, _: request.pull,
}
