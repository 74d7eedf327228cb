"""Issues, comments, labels, reactions and timelines in GraphQL, and the half that pull requests share with issues."""

from collections.abc import Sequence
from typing import Final

from caseworker.github_double.access import PUSH, TALK, TRIAGE, may
from caseworker.github_double.derive.closing_words import closing_issues
from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.details import CONTENTS, Content, Label, Reaction, TimelineEvent
from caseworker.github_double.entities.repository import Comment, Issue, PullRequest
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.node_views import Absent, ReactionGroup
from caseworker.github_double.graphql.pages import Page, page
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.issue_shapes import association, issue_page

REACTION_NAMES: Final[dict[Content, str]] = {
    "+1": "THUMBS_UP",
    "-1": "THUMBS_DOWN",
    "laugh": "LAUGH",
    "confused": "CONFUSED",
    "heart": "HEART",
    "hooray": "HOORAY",
    "rocket": "ROCKET",
    "eyes": "EYES",
}


def as_node(issue: Issue) -> Issue | PullRequest:
    """The GraphQL object: the pull request, where the issue is the half of one."""
    return issue.repository.pulls[issue.number] if issue.is_pull else issue


def reaction_groups(reactions: Sequence[Reaction]) -> list[ReactionGroup]:
    return [
        ReactionGroup(
            content=REACTION_NAMES[content], users=tuple(one.user for one in reactions if one.content == content)
        )
        for content in CONTENTS
    ]


def reactions(given: Sequence[Reaction], ask: Ask) -> Page:
    wanted = ask.text_or_none("content")
    return page(ask, [one for one in given if wanted in (None, REACTION_NAMES[one.content])])


def label_page(labels: Sequence[Label], ask: Ask) -> Page:
    order = ask.part("orderBy")
    sought = (ask.text_or_none("query") or "").lower()
    found = [label for label in labels if sought in label.name.lower()]
    if order.text_or_none("field") == "NAME":
        found.sort(key=lambda label: label.name.lower())
    if order.text_or_none("direction") == "DESC":
        found.reverse()
    return page(ask, found)


def html(text: str | None) -> str:
    """Plain text as HTML. The double renders no Markdown."""
    escaped = (text or "").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<p>{escaped}</p>" if escaped else ""


def _state_reason(issue: Issue, _ask: Ask) -> str | None:
    return issue.state_reason.upper() if issue.state_reason else None


def _comments(issue: Issue, ask: Ask) -> Page:
    found = list(issue.comments)
    order = ask.part("orderBy")
    if order.text_or_none("field") == "UPDATED_AT":
        found.sort(key=lambda comment: comment.updated_at, reverse=order.text("direction") == "DESC")
    return page(ask, found)


def _participants(issue: Issue) -> list[User]:
    return list(dict.fromkeys([issue.author, *(comment.author for comment in issue.comments)]))


CONVERSATION: Final[Fields[Issue]] = {
    "number": lambda issue, _: issue.number,
    "title": lambda issue, _: issue.title,
    "titleHTML": lambda issue, _: issue.title,
    "body": lambda issue, _: issue.body or "",
    "bodyText": lambda issue, _: issue.body or "",
    "bodyHTML": lambda issue, _: html(issue.body),
    "url": lambda issue, ask: issue_page(ask.github, issue),
    "resourcePath": lambda issue, ask: issue_page(ask.github, issue).removeprefix(ask.github.url),
    "author": lambda issue, _: issue.author,
    "authorAssociation": lambda issue, _: association(issue.author, issue.repository),
    "editor": lambda _, __: None,
    "lastEditedAt": lambda _, __: None,
    "createdAt": lambda issue, _: wire_time(issue.times.created_at),
    "updatedAt": lambda issue, _: wire_time(issue.times.updated_at),
    "closed": lambda issue, _: issue.state == "closed",
    "closedAt": lambda issue, _: wire_time_or_none(issue.times.closed_at),
    "locked": lambda issue, _: issue.discussion.is_locked,
    "activeLockReason": lambda issue, _: (
        (issue.discussion.lock_reason or "").upper().replace("-", "_").replace(" ", "_") or None
    ),
    "labels": lambda issue, ask: label_page(issue.labels, ask),
    "assignees": lambda issue, ask: page(ask, issue.assignees),
    "assignedActors": lambda issue, ask: page(ask, issue.assignees),
    "suggestedActors": lambda _, ask: page(ask, []),
    "milestone": lambda _, __: None,
    "comments": _comments,
    "participants": lambda issue, ask: page(ask, _participants(issue)),
    "reactions": lambda issue, ask: reactions(issue.discussion.reactions, ask),
    "reactionGroups": lambda issue, _: reaction_groups(issue.discussion.reactions),
    "repository": lambda issue, _: issue.repository,
    "projectCards": lambda _, ask: page(ask, []),
    "projectItems": lambda _, ask: page(ask, []),
    "projectsV2": lambda _, ask: page(ask, []),
    "viewerDidAuthor": lambda issue, ask: issue.author is ask.actor.user,
    "viewerCanUpdate": lambda issue, ask: issue.author is ask.actor.user or may(ask.actor, issue.repository, TRIAGE),
    "viewerCanReact": lambda issue, ask: may(ask.actor, issue.repository, TALK),
    "viewerCanClose": lambda issue, ask: issue.author is ask.actor.user or may(ask.actor, issue.repository, TRIAGE),
    "viewerSubscription": lambda _, __: "UNSUBSCRIBED",
}
ISSUE: Final[Fields[Issue]] = {
    **CONVERSATION,
    "id": lambda issue, _: issue.node_id,
    "databaseId": lambda issue, _: issue.id,
    "fullDatabaseId": lambda issue, _: str(issue.id),
    "state": lambda issue, _: issue.state.upper(),
    "stateReason": _state_reason,
    "isPinned": lambda _, __: False,
    "isReadByViewer": lambda _, __: True,
    "linkedBranches": lambda _, ask: page(ask, []),
    "closedByPullRequestsReferences": lambda issue, ask: page(ask, _closing_pulls(issue)),
    "timelineItems": lambda issue, ask: page(ask, timeline(issue, ask)),
    "issueType": lambda _, __: None,
    "parent": lambda _, __: None,
    "subIssues": lambda _, ask: page(ask, []),
    "subIssuesSummary": lambda _, __: Absent(values={"total": 0, "completed": 0, "percentCompleted": 0}),
    "blockedBy": lambda _, ask: page(ask, []),
    "blocking": lambda _, ask: page(ask, []),
}


def _closing_pulls(issue: Issue) -> list[PullRequest]:
    return [pull for pull in issue.repository.pulls.values() if issue.number in closing_issues(pull)]


TIMELINE_TYPES: Final = {
    "labeled": "LABELED_EVENT",
    "unlabeled": "UNLABELED_EVENT",
    "closed": "CLOSED_EVENT",
    "reopened": "REOPENED_EVENT",
    "assigned": "ASSIGNED_EVENT",
    "unassigned": "UNASSIGNED_EVENT",
    "renamed": "RENAMED_TITLE_EVENT",
    "locked": "LOCKED_EVENT",
    "unlocked": "UNLOCKED_EVENT",
    "merged": "MERGED_EVENT",
    "review_requested": "REVIEW_REQUESTED_EVENT",
    "review_request_removed": "REVIEW_REQUEST_REMOVED_EVENT",
    "head_ref_force_pushed": "HEAD_REF_FORCE_PUSHED_EVENT",
    "head_ref_deleted": "HEAD_REF_DELETED_EVENT",
    "ready_for_review": "READY_FOR_REVIEW_EVENT",
    "converted_to_draft": "CONVERT_TO_DRAFT_EVENT",
    "convert_to_draft": "CONVERT_TO_DRAFT_EVENT",
}


def timeline(issue: Issue, ask: Ask) -> list[Comment | TimelineEvent]:
    """Comments and events in the order of their time, of the types that are asked for."""
    wanted = ask.texts("itemTypes")
    events = [one for one in issue.discussion.timeline if one.event in TIMELINE_TYPES]
    found: list[Comment | TimelineEvent] = [
        *(one for one in issue.comments if wanted is None or "ISSUE_COMMENT" in wanted),
        *(one for one in events if wanted is None or TIMELINE_TYPES[one.event] in wanted),
    ]
    return sorted(found, key=lambda one: (one.created_at, one.id))


EVENT: Final[Fields[TimelineEvent]] = {
    "id": lambda event, _: event.node_id,
    "actor": lambda event, _: event.actor,
    "createdAt": lambda event, _: wire_time(event.created_at),
    "label": lambda event, _: event.label,
    "assignee": lambda event, _: event.subject,
    "requestedReviewer": lambda event, _: event.subject,
    "previousTitle": lambda event, _: event.before,
    "currentTitle": lambda event, _: event.after,
    "stateReason": lambda _, __: None,
}
COMMENT: Final[Fields[Comment]] = {
    "id": lambda comment, _: comment.node_id,
    "databaseId": lambda comment, _: comment.id,
    "fullDatabaseId": lambda comment, _: str(comment.id),
    "body": lambda comment, _: comment.body,
    "bodyText": lambda comment, _: comment.body,
    "bodyHTML": lambda comment, _: html(comment.body),
    "url": lambda comment, ask: f"{issue_page(ask.github, comment.issue)}#issuecomment-{comment.id}",
    "resourcePath": lambda comment, ask: issue_page(ask.github, comment.issue).removeprefix(ask.github.url),
    "author": lambda comment, _: comment.author,
    "authorAssociation": lambda comment, _: association(comment.author, comment.issue.repository),
    "createdAt": lambda comment, _: wire_time(comment.created_at),
    "updatedAt": lambda comment, _: wire_time(comment.updated_at),
    "publishedAt": lambda comment, _: wire_time(comment.created_at),
    "includesCreatedEdit": lambda comment, _: comment.updated_at > comment.created_at,
    "lastEditedAt": lambda comment, _: (
        wire_time(comment.updated_at) if comment.updated_at > comment.created_at else None
    ),
    "isMinimized": lambda comment, _: comment.is_minimized,
    "minimizedReason": lambda comment, _: "resolved" if comment.is_minimized else None,
    "issue": lambda comment, _: comment.issue,
    "pullRequest": lambda comment, _: as_node(comment.issue) if comment.issue.is_pull else None,
    "repository": lambda comment, _: comment.issue.repository,
    "reactions": lambda comment, ask: reactions(comment.reactions, ask),
    "reactionGroups": lambda comment, _: reaction_groups(comment.reactions),
    "viewerDidAuthor": lambda comment, ask: comment.author is ask.actor.user,
    "viewerCanUpdate": lambda comment, ask: (
        comment.author is ask.actor.user or may(ask.actor, comment.issue.repository, PUSH)
    ),
    "viewerCanDelete": lambda comment, ask: (
        comment.author is ask.actor.user or may(ask.actor, comment.issue.repository, PUSH)
    ),
}
LABEL: Final[Fields[Label]] = {
    "id": lambda label, _: label.node_id,
    "name": lambda label, _: label.name,
    "color": lambda label, _: label.color,
    "description": lambda label, _: label.description,
    "isDefault": lambda label, _: label.is_default,
}
REACTION: Final[Fields[Reaction]] = {
    "id": lambda reaction, _: reaction.node_id,
    "databaseId": lambda reaction, _: reaction.id,
    "content": lambda reaction, _: REACTION_NAMES[reaction.content],
    "createdAt": lambda reaction, _: wire_time(reaction.created_at),
    "user": lambda reaction, _: reaction.user,
}
REACTION_GROUP: Final[Fields[ReactionGroup]] = {
    "content": lambda group, _: group.content,
    "users": lambda group, ask: page(ask, group.users),
    "reactors": lambda group, ask: page(ask, group.users),
    "viewerHasReacted": lambda group, ask: ask.actor.user in group.users,
}
