"""Issues and their timeline."""

from collections.abc import Callable

from caseworker.github_double.access import (
    OPEN_ISSUE,
    READ_ISSUES,
    READ_TALK,
    SEE,
    TALK,
    TRIAGE,
)
from caseworker.github_double.acts.issue_acts import (
    add_assignees,
    close_issue,
    create_issue,
    edit_issue,
    lock_issue,
    remove_assignees,
    reopen_issue,
    unlock_issue,
)
from caseworker.github_double.acts.label_acts import set_labels
from caseworker.github_double.acts.pull_acts import close_pull, edit_pull, reopen_pull
from caseworker.github_double.entities.details import LockReason, TimelineEvent
from caseworker.github_double.entities.repository import Comment, Issue
from caseworker.github_double.front import Answer
from caseworker.github_double.moments import wire_time
from caseworker.github_double.refusals import FieldError, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.issue_shapes import comment_json, event_json, issue_json
from caseworker.github_double.state import Json

_LOCK_REASONS: tuple[LockReason, ...] = ("off-topic", "too heated", "resolved", "spam")
_ORDERS: dict[str, Callable[[Issue], float]] = {
    "created": lambda issue: issue.times.created_at.timestamp(),
    "updated": lambda issue: issue.times.updated_at.timestamp(),
    "comments": lambda issue: len(issue.comments),
}


def list_issues(call: Call) -> Answer:
    """Also pull requests, as on GitHub."""
    repository = call.repository(READ_ISSUES)
    state, labels, since = call.query("state", "open"), call.query("labels"), call.since()
    wanted = {name.strip().lower() for name in labels.split(",") if name.strip()}
    creator, assignee = call.query("creator"), call.query("assignee")
    found = [
        issue
        for issue in repository.issues.values()
        if state in ("all", issue.state)
        and wanted <= {label.name.lower() for label in issue.labels}
        and (since is None or issue.times.updated_at >= since)
        and creator in ("", issue.author.login)
        and (assignee in ("", "*") or assignee in [one.login for one in issue.assignees])
    ]
    order = _ORDERS.get(call.query("sort", "created"))
    if order is None:
        raise Unprocessable("Validation Failed", FieldError(resource="Issue", field="sort", code="invalid"))
    found.sort(key=lambda issue: (order(issue), issue.number), reverse=call.query("direction", "desc") == "desc")
    return call.page(found, lambda issue: issue_json(call.github, issue))


def post_issue(call: Call) -> Answer:
    fields = call.fields
    issue = create_issue(
        call.github,
        call.actor,
        call.repository(OPEN_ISSUE),
        title=fields.text("title") or "",
        body=fields.text("body"),
        labels=fields.texts("labels"),
        assignees=fields.texts("assignees"),
    )
    body = issue_json(call.github, issue)
    return Answer(body, 201, {"location": str(body["url"])})


def get_issue(call: Call) -> Answer:
    return Answer(issue_json(call.github, call.issue(READ_TALK)))


def patch_issue(call: Call) -> Answer:
    issue, fields, github, actor = call.issue(TALK), call.fields, call.github, call.actor
    title, body, state = fields.text("title"), fields.text("body"), fields.text("state")
    pull = issue.repository.pulls.get(issue.number)
    if title is not None or body is not None:
        if pull is not None:
            edit_pull(github, actor, pull, title=title, body=body)
        else:
            edit_issue(github, actor, issue, title=title, body=body)
    if fields.has("labels"):
        set_labels(github, actor, issue, fields.texts("labels"))
    if fields.has("assignees"):
        wanted = fields.texts("assignees")
        remove_assignees(github, actor, issue, [one.login for one in issue.assignees if one.login not in wanted])
        add_assignees(github, actor, issue, wanted)
    if state == "closed":
        if pull is not None:
            close_pull(github, actor, pull)
        else:
            close_issue(github, actor, issue, reason=fields.text("state_reason") or "completed")
    elif state == "open":
        if pull is not None:
            reopen_pull(github, actor, pull)
        else:
            reopen_issue(github, actor, issue)
    return Answer(issue_json(github, issue))


def lock(call: Call) -> Answer:
    issue = call.issue(TRIAGE)
    asked = call.fields.text("lock_reason")
    reason = next((one for one in _LOCK_REASONS if one == asked), None)
    if asked is not None and reason is None:
        raise Unprocessable("Validation Failed", FieldError(resource="Issue", field="lock_reason", code="invalid"))
    lock_issue(call.github, call.actor, issue, reason=reason)
    return Answer(None, 204)


def unlock(call: Call) -> Answer:
    unlock_issue(call.github, call.actor, call.issue(TRIAGE))
    return Answer(None, 204)


def assign(call: Call) -> Answer:
    issue = call.issue(TRIAGE)
    add_assignees(call.github, call.actor, issue, call.fields.texts("assignees"))
    return Answer(issue_json(call.github, issue), 201)


def unassign(call: Call) -> Answer:
    issue = call.issue(TRIAGE)
    remove_assignees(call.github, call.actor, issue, call.fields.texts("assignees"))
    return Answer(issue_json(call.github, issue))


def list_assignable(call: Call) -> Answer:
    repository = call.repository(SEE)
    people = [repository.owner, *(call.github.user(login) for login in repository.collaborators)]
    return call.page([one for one in people if one.kind == "User"], lambda one: user_json(call.github, one))


def list_events(call: Call) -> Answer:
    issue = call.issue(READ_TALK)
    return call.page(issue.discussion.timeline, lambda one: event_json(call.github, issue, one))


def list_all_events(call: Call) -> Answer:
    """Of all issues and pull requests of a repository, newest first."""
    repository = call.repository(READ_TALK)
    found = [(issue, event) for issue in repository.issues.values() for event in issue.discussion.timeline]
    found.sort(key=lambda one: (one[1].created_at, one[1].id), reverse=True)
    return call.page(found, lambda one: {**event_json(call.github, *one), "issue": issue_json(call.github, one[0])})


def list_timeline(call: Call) -> Answer:
    """Events and comments in the order of their time."""
    issue = call.issue(READ_TALK)
    entries: list[Comment | TimelineEvent] = [*issue.discussion.timeline, *issue.comments]
    entries.sort(key=lambda one: (one.created_at, one.id))
    return call.page(entries, lambda one: _timeline_json(call, issue, one))


def _timeline_json(call: Call, issue: Issue, entry: Comment | TimelineEvent) -> Json:
    if isinstance(entry, TimelineEvent):
        return event_json(call.github, issue, entry)
    author = user_json(call.github, entry.author)
    more = {"event": "commented", "actor": author, "updated_at": wire_time(entry.updated_at)}
    return {**comment_json(call.github, entry), **more}


ROUTES = (
    RestRoute("GET", "/repos/{owner}/{repo}/issues", list_issues),
    RestRoute("POST", "/repos/{owner}/{repo}/issues", post_issue),
    RestRoute("GET", "/repos/{owner}/{repo}/issues/events", list_all_events),
    RestRoute("GET", "/repos/{owner}/{repo}/assignees", list_assignable),
    RestRoute("GET", "/repos/{owner}/{repo}/issues/{number:int}", get_issue),
    RestRoute("PATCH", "/repos/{owner}/{repo}/issues/{number:int}", patch_issue),
    RestRoute("PUT", "/repos/{owner}/{repo}/issues/{number:int}/lock", lock),
    RestRoute("DELETE", "/repos/{owner}/{repo}/issues/{number:int}/lock", unlock),
    RestRoute("POST", "/repos/{owner}/{repo}/issues/{number:int}/assignees", assign),
    RestRoute("DELETE", "/repos/{owner}/{repo}/issues/{number:int}/assignees", unassign),
    RestRoute("GET", "/repos/{owner}/{repo}/issues/{number:int}/events", list_events),
    RestRoute("GET", "/repos/{owner}/{repo}/issues/{number:int}/timeline", list_timeline),
)
