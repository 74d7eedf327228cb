"""Issues, comments, labels, reactions and timeline events as JSON."""

from collections.abc import Sequence

from caseworker.github_double.access import role_of
from caseworker.github_double.entities.accounts import Role, User
from caseworker.github_double.entities.details import CONTENTS, Label, Reaction, TimelineEvent
from caseworker.github_double.entities.repository import Comment, Issue, Repository
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.account_shapes import app_or_none, user_json, user_or_none
from caseworker.github_double.shapes.repository_shapes import repository_page, repository_url
from caseworker.github_double.state import GitHub, Json


def association(user: User, repository: Repository) -> str:
    """What the author is to the repository, as `author_association` says it."""
    if user is repository.owner:
        return "OWNER"
    if user.login in repository.collaborators and role_of(user, repository) > Role.READ:
        return "COLLABORATOR"
    merged = any(pull.merged and pull.author is user for pull in repository.pulls.values())
    return "CONTRIBUTOR" if merged else "NONE"


def label_json(github: GitHub, repository: Repository, label: Label) -> Json:
    return {
        "id": label.id,
        "node_id": label.node_id,
        "url": f"{repository_url(github, repository)}/labels/{label.name}",
        "name": label.name,
        "color": label.color,
        "default": label.is_default,
        "description": label.description,
        "archived_at": None,
        "archived_by": None,
    }


def reactions_json(url: str, reactions: Sequence[Reaction]) -> Json:
    """The counts that stand beside a comment or an issue."""
    counts: Json = {content: sum(one.content == content for one in reactions) for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def reaction_json(github: GitHub, reaction: Reaction) -> Json:
    return {
        "id": reaction.id,
        "node_id": reaction.node_id,
        "user": user_json(github, reaction.user),
        "content": reaction.content,
        "created_at": wire_time(reaction.created_at),
    }


def issue_url(github: GitHub, issue: Issue) -> str:
    return f"{repository_url(github, issue.repository)}/issues/{issue.number}"


def issue_page(github: GitHub, issue: Issue) -> str:
    return f"{repository_page(github, issue.repository)}/{'pull' if issue.is_pull else 'issues'}/{issue.number}"


def issue_json(github: GitHub, issue: Issue) -> Json:
    url, page = issue_url(github, issue), issue_page(github, issue)
    repository = issue.repository
    pull: Json = {}
    if issue.is_pull:
        record = repository.pulls[issue.number]
        pull_url = f"{repository_url(github, repository)}/pulls/{issue.number}"
        merged_at = record.merged.at if record.merged else None
        links = {"url": pull_url, "html_url": page, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch"}
        pull = {"pull_request": {**links, "merged_at": wire_time_or_none(merged_at)}, "draft": record.is_draft}
    return {
        "url": url,
        "repository_url": repository_url(github, repository),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": page,
        "id": issue.id,
        "node_id": issue.node_id,
        "number": issue.number,
        "title": issue.title,
        "user": user_json(github, issue.author),
        "labels": [label_json(github, repository, label) for label in issue.labels],
        "state": issue.state,
        "locked": issue.discussion.is_locked,
        "assignee": user_or_none(github, issue.assignees[0] if issue.assignees else None),
        "assignees": [user_json(github, one) for one in issue.assignees],
        "milestone": None,
        "comments": len(issue.comments),
        "created_at": wire_time(issue.times.created_at),
        "updated_at": wire_time(issue.times.updated_at),
        "closed_at": wire_time_or_none(issue.times.closed_at),
        "author_association": association(issue.author, repository),
        "active_lock_reason": issue.discussion.lock_reason,
        "body": issue.body,
        "closed_by": user_or_none(github, issue.closed_by),
        "reactions": reactions_json(url, issue.discussion.reactions),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": app_or_none(github, issue.app),
        "state_reason": issue.state_reason,
        **pull,
    }


def comment_json(github: GitHub, comment: Comment) -> Json:
    issue = comment.issue
    url = f"{repository_url(github, issue.repository)}/issues/comments/{comment.id}"
    return {
        "url": url,
        "html_url": f"{issue_page(github, issue)}#issuecomment-{comment.id}",
        "issue_url": issue_url(github, issue),
        "id": comment.id,
        "node_id": comment.node_id,
        "user": user_json(github, comment.author),
        "created_at": wire_time(comment.created_at),
        "updated_at": wire_time(comment.updated_at),
        "author_association": association(comment.author, issue.repository),
        "body": comment.body,
        "reactions": reactions_json(url, comment.reactions),
        "performed_via_github_app": app_or_none(github, comment.app),
    }


def event_json(github: GitHub, issue: Issue, event: TimelineEvent) -> Json:
    """One entry of `/issues/{n}/events` and of the timeline."""
    home = repository_url(github, issue.repository)
    body: Json = {
        "id": event.id,
        "node_id": event.node_id,
        "url": f"{home}/issues/events/{event.id}",
        "actor": user_json(github, event.actor),
        "event": event.event,
        "commit_id": event.commit,
        "commit_url": f"{home}/commits/{event.commit}" if event.commit else None,
        "created_at": wire_time(event.created_at),
        "performed_via_github_app": None,
    }
    if event.label is not None:
        body["label"] = {"name": event.label.name, "color": event.label.color}
    if event.subject is not None:
        role = {"assigned": "assignee", "unassigned": "assignee"}.get(event.event, "requested_reviewer")
        body[role] = user_json(github, event.subject)
        body["assigner" if role == "assignee" else "review_requester"] = user_json(github, event.actor)
    if event.event == "renamed":
        body["rename"] = {"from": event.before, "to": event.after}
    if event.event == "closed":
        body["state_reason"] = issue.state_reason
    if event.event == "locked":
        body["lock_reason"] = issue.discussion.lock_reason
    return body
