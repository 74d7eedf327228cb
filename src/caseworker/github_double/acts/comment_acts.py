"""Comments in conversations, and reactions to anything."""

from caseworker.github_double.access import OPEN_ISSUE, PUSH, TALK, may, require
from caseworker.github_double.acts.announce import announce, app_of, author_of
from caseworker.github_double.acts.issue_acts import check_body
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.details import CONTENTS, Reaction
from caseworker.github_double.entities.repository import Comment, Issue, Repository
from caseworker.github_double.refusals import FieldError, Forbidden, NotFound, Unprocessable
from caseworker.github_double.shapes.issue_shapes import comment_json, issue_json
from caseworker.github_double.state import GitHub


def create_comment(github: GitHub, actor: Actor, issue: Issue, *, body: str) -> Comment:
    require(actor, issue.repository, TALK if issue.is_pull else OPEN_ISSUE)
    # Apps are no collaborators: whatever their permissions, a locked conversation refuses them.
    if issue.discussion.is_locked and (actor.installation is not None or not may(actor, issue.repository, PUSH)):
        raise Forbidden("Unable to create comment because issue is locked.")
    _check(body)
    key, now = github.new_key("IC"), github.now()
    comment = Comment(
        id=key.id,
        node_id=key.node_id,
        issue=issue,
        author=author_of(actor),
        app=app_of(actor),
        body=body,
        created_at=now,
        updated_at=now,
    )
    github.nodes[key.node_id] = comment
    issue.comments.append(comment)
    issue.times.updated_at = now
    _tell(github, actor, comment, "created")
    return comment


def find_comment(repository: Repository, number: int) -> Comment:
    every = (comment for issue in repository.issues.values() for comment in issue.comments)
    found = next((comment for comment in every if comment.id == number), None)
    if found is None:
        raise NotFound
    return found


def edit_comment(github: GitHub, actor: Actor, comment: Comment, *, body: str) -> None:
    _require_author_or(actor, comment)
    _check(body)
    before, comment.body = comment.body, body
    comment.updated_at = comment.issue.times.updated_at = github.now()
    _tell(github, actor, comment, "edited", changes={"body": {"from": before}})


def delete_comment(github: GitHub, actor: Actor, comment: Comment) -> None:
    _require_author_or(actor, comment)
    comment.issue.comments.remove(comment)
    del github.nodes[comment.node_id]
    comment.issue.times.updated_at = github.now()
    _tell(github, actor, comment, "deleted")


def react(
    github: GitHub, actor: Actor, repository: Repository, on: list[Reaction], content: str
) -> tuple[Reaction, bool]:
    """Adds a reaction to the list of an issue or comment. The same one twice is the first again (and False)."""
    require(actor, repository, TALK)
    user = author_of(actor)
    known = next((one for one in CONTENTS if one == content), None)
    if known is None:
        raise Unprocessable("Validation Failed", FieldError(resource="Reaction", field="content", code="invalid"))
    already = next((one for one in on if one.user is user and one.content == known), None)
    if already is not None:
        return already, False
    key = github.new_key("REA")
    reaction = Reaction(id=key.id, node_id=key.node_id, user=user, content=known, created_at=github.now())
    github.nodes[key.node_id] = reaction
    on.append(reaction)
    return reaction, True


def unreact(github: GitHub, actor: Actor, repository: Repository, on: list[Reaction], reaction_id: int) -> None:
    require(actor, repository, TALK)
    found = next((one for one in on if one.id == reaction_id), None)
    if found is None:
        raise NotFound
    if found.user is not actor.user:
        raise Forbidden("You are not the author of this reaction.")
    on.remove(found)
    del github.nodes[found.node_id]


def _check(body: str) -> None:
    if not body.strip():
        error = FieldError(resource="IssueComment", field="body", code="missing_field")
        raise Unprocessable("Validation Failed", error)
    check_body("IssueComment", body)


def _require_author_or(actor: Actor, comment: Comment) -> None:
    """An author changes their own; others need write access (an App: the permission for conversations)."""
    is_own = actor.user is comment.author or actor.installation is not None
    require(actor, comment.issue.repository, TALK if is_own else PUSH)


def _tell(github: GitHub, actor: Actor, comment: Comment, action: str, **more: object) -> None:
    shown = {"issue": issue_json(github, comment.issue), "comment": comment_json(github, comment)}
    announce(github, author_of(actor), comment.issue.repository, "issue_comment", action, **shown, **more)
