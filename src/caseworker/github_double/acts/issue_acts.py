"""Issues: open, edit, close, reopen, lock, assign, transfer, delete."""

from collections.abc import Iterable

from caseworker.github_double.access import CHANGE_SETTINGS, OPEN_ISSUE, PUSH, TRIAGE, may, require, role_of
from caseworker.github_double.acts.announce import announce, app_of, author_of, note
from caseworker.github_double.acts.label_acts import add_labels
from caseworker.github_double.entities.accounts import Actor, Role, User
from caseworker.github_double.entities.details import LockReason, Times
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.refusals import FieldError, Gone, Unprocessable
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.issue_shapes import issue_json
from caseworker.github_double.shapes.repository_shapes import repository_json
from caseworker.github_double.state import GitHub

MOST_CHARACTERS = 65_536
"""Of a body or comment."""


def create_issue(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    *,
    title: str,
    body: str | None = None,
    labels: Iterable[str] = (),
    assignees: Iterable[str] = (),
) -> Issue:
    """Opens an issue. Labels and assignees of somebody who may not set them are dropped silently, as on GitHub."""
    require(actor, repository, OPEN_ISSUE)
    if repository.is_archived:
        raise Gone("Repository was archived so is read-only.")
    check_text("Issue", title, body)
    issue = new_issue(github, actor, repository, title=title, body=body)
    fields = {"issue": issue_json(github, issue)}
    announce(github, author_of(actor), repository, "issues", "opened", **fields)
    if may(actor, repository, TRIAGE):
        add_labels(github, actor, issue, labels)
        add_assignees(github, actor, issue, assignees)
    return issue


def new_issue(github: GitHub, actor: Actor, repository: Repository, *, title: str, body: str | None) -> Issue:
    """Makes the record under the next number, also for a pull request. Tells nobody."""
    key = github.new_key("I")
    repository.records.last_number += 1
    now = github.now()
    issue = Issue(
        id=key.id,
        node_id=key.node_id,
        repository=repository,
        number=repository.records.last_number,
        author=author_of(actor),
        app=app_of(actor),
        title=title.strip(),
        body=body,
        times=Times(created_at=now, updated_at=now),
    )
    repository.issues[issue.number] = issue
    github.nodes[key.node_id] = issue
    return issue


def edit_issue(
    github: GitHub, actor: Actor, issue: Issue, *, title: str | None = None, body: str | None = None
) -> None:
    """Changes title or body of an issue (a pull request has its own act)."""
    _require_author_or(actor, issue)
    check_text("Issue", title if title is not None else issue.title, body)
    changes: dict[str, object] = {}
    user = author_of(actor)
    if title is not None and title != issue.title:
        changes["title"] = {"from": issue.title}
        note(github, issue, user, "renamed", change=(issue.title, title))
        issue.title = title
    if body is not None and body != issue.body:
        changes["body"] = {"from": issue.body or ""}
        issue.body = body
        issue.times.updated_at = github.now()
    if changes:
        announce(github, user, issue.repository, "issues", "edited", issue=issue_json(github, issue), changes=changes)


def close_issue(github: GitHub, actor: Actor, issue: Issue, *, reason: str = "completed") -> None:
    _require_author_or(actor, issue)
    if issue.state == "closed":
        return
    if reason not in ("completed", "not_planned", "duplicate"):
        raise Unprocessable("Validation Failed", FieldError(resource="Issue", field="state_reason", code="invalid"))
    mark_closed(github, author_of(actor), issue)
    issue.state_reason = "not_planned" if reason == "not_planned" else "completed"
    if reason == "duplicate":
        issue.state_reason = "duplicate"
    announce(github, author_of(actor), issue.repository, "issues", "closed", issue=issue_json(github, issue))


def mark_closed(github: GitHub, user: User, issue: Issue, *, commit: str | None = None) -> None:
    """Closes the record and notes it in the timeline. Tells nobody."""
    issue.state = "closed"
    issue.closed_by = user
    note(github, issue, user, "closed", commit=commit)
    issue.times.closed_at = issue.times.updated_at


def reopen_issue(github: GitHub, actor: Actor, issue: Issue) -> None:
    _require_author_or(actor, issue)
    if issue.state == "open":
        return
    mark_reopened(github, author_of(actor), issue)
    announce(github, author_of(actor), issue.repository, "issues", "reopened", issue=issue_json(github, issue))


def mark_reopened(github: GitHub, user: User, issue: Issue) -> None:
    issue.state = "open"
    issue.state_reason = None if issue.is_pull else "reopened"
    issue.closed_by = None
    issue.times.closed_at = None
    note(github, issue, user, "reopened")


def lock_issue(github: GitHub, actor: Actor, issue: Issue, *, reason: LockReason | None = None) -> None:
    require(actor, issue.repository, TRIAGE)
    issue.discussion.is_locked = True
    issue.discussion.lock_reason = reason
    note(github, issue, author_of(actor), "locked")
    _tell_lock(github, actor, issue, "locked")


def unlock_issue(github: GitHub, actor: Actor, issue: Issue) -> None:
    require(actor, issue.repository, TRIAGE)
    issue.discussion.is_locked = False
    issue.discussion.lock_reason = None
    note(github, issue, author_of(actor), "unlocked")
    _tell_lock(github, actor, issue, "unlocked")


def _tell_lock(github: GitHub, actor: Actor, issue: Issue, action: str) -> None:
    if not issue.is_pull:
        announce(github, author_of(actor), issue.repository, "issues", action, issue=issue_json(github, issue))


def add_assignees(github: GitHub, actor: Actor, issue: Issue, logins: Iterable[str]) -> None:
    """Those who can't be assigned are left out silently, as on GitHub."""
    wanted = [github.user(login) for login in logins]
    if not wanted:
        return
    require(actor, issue.repository, TRIAGE)
    for user in wanted:
        if user in issue.assignees or role_of(user, issue.repository) < Role.TRIAGE:
            continue
        issue.assignees.append(user)
        _tell_assignment(github, actor, issue, "assigned", user)


def remove_assignees(github: GitHub, actor: Actor, issue: Issue, logins: Iterable[str]) -> None:
    require(actor, issue.repository, TRIAGE)
    for user in [github.user(login) for login in logins]:
        if user in issue.assignees:
            issue.assignees.remove(user)
            _tell_assignment(github, actor, issue, "unassigned", user)


def _tell_assignment(github: GitHub, actor: Actor, issue: Issue, action: str, user: User) -> None:
    note(github, issue, author_of(actor), action, subject=user)
    if not issue.is_pull:
        shown = {"issue": issue_json(github, issue), "assignee": user_json(github, user)}
        announce(github, author_of(actor), issue.repository, "issues", action, **shown)


def transfer_issue(github: GitHub, actor: Actor, issue: Issue, to: Repository) -> Issue:
    """Moves an issue to another repository of the same owner; the old number leads to the new place."""
    require(actor, issue.repository, PUSH)
    require(actor, to, PUSH)
    if issue.repository.owner is not to.owner or issue.is_pull:
        raise Unprocessable("Transferring this issue is not possible.")
    before, number = issue.repository, issue.number
    old = issue_json(github, issue)
    copy = new_issue(github, actor, to, title=issue.title, body=issue.body)
    copy.author, copy.app = issue.author, issue.app
    copy.discussion, copy.state, copy.assignees = issue.discussion, issue.state, issue.assignees
    copy.labels = [to.labels[one.name.lower()] for one in issue.labels if one.name.lower() in to.labels]
    for comment in copy.comments:
        comment.issue = copy
    changes = {"new_issue": issue_json(github, copy), "new_repository": repository_json(github, to)}
    announce(github, author_of(actor), before, "issues", "transferred", issue=old, changes=changes)
    del before.issues[number]
    before.records.gone[number] = copy
    del github.nodes[issue.node_id]
    opened = {"old_issue": old, "old_repository": repository_json(github, before)}
    announce(github, author_of(actor), to, "issues", "opened", issue=issue_json(github, copy), changes=opened)
    return copy


def delete_issue(github: GitHub, actor: Actor, issue: Issue) -> None:
    """Deletes for good: GitHub answers 410 from then on."""
    require(actor, issue.repository, CHANGE_SETTINGS)
    if issue.is_pull:
        raise Unprocessable("Pull requests can't be deleted.")
    shown = issue_json(github, issue)
    del issue.repository.issues[issue.number]
    issue.repository.records.gone[issue.number] = None
    del github.nodes[issue.node_id]
    announce(github, author_of(actor), issue.repository, "issues", "deleted", issue=shown)


def _require_author_or(actor: Actor, issue: Issue) -> None:
    """The author may change their own issue; others need the right to triage."""
    require(actor, issue.repository, OPEN_ISSUE if actor.user is issue.author else TRIAGE)


def check_text(resource: str, title: str, body: str | None) -> None:
    if not title.strip():
        raise Unprocessable("Validation Failed", FieldError(resource=resource, field="title", code="missing_field"))
    if len(title) > 256:
        message = "title is too long (maximum is 256 characters)"
        raise Unprocessable(
            "Validation Failed", FieldError(resource=resource, field="title", code="custom", message=message)
        )
    check_body(resource, body)


def check_body(resource: str, body: str | None) -> None:
    if body is not None and len(body) > MOST_CHARACTERS:
        message = f"body is too long (maximum is {MOST_CHARACTERS} characters)"
        raise Unprocessable(
            "Validation Failed", FieldError(resource=resource, field="body", code="custom", message=message)
        )
