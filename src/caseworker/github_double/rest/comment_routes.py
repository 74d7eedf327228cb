"""Comments in conversations, and reactions to issues, comments and review comments."""

from caseworker.github_double.access import READ_TALK, TALK
from caseworker.github_double.acts.comment_acts import (
    create_comment,
    delete_comment,
    edit_comment,
    find_comment,
    react,
    unreact,
)
from caseworker.github_double.acts.review_acts import find_review_comment
from caseworker.github_double.entities.details import Reaction
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.front import Answer
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.issue_shapes import comment_json, reaction_json


def list_comments(call: Call) -> Answer:
    issue, since = call.issue(READ_TALK), call.since()
    found = [one for one in issue.comments if since is None or one.updated_at >= since]
    return call.page(found, lambda one: comment_json(call.github, one))


def list_all_comments(call: Call) -> Answer:
    """Of the whole repository, which is how a poller finds what is new."""
    repository, since = call.repository(READ_TALK), call.since()
    found = [
        comment
        for issue in repository.issues.values()
        for comment in issue.comments
        if since is None or comment.updated_at >= since
    ]
    by_update = call.query("sort", "created") == "updated"
    found.sort(
        key=lambda one: (one.updated_at if by_update else one.created_at, one.id),
        reverse=call.query("direction", "asc") == "desc",
    )
    return call.page(found, lambda one: comment_json(call.github, one))


def post_comment(call: Call) -> Answer:
    comment = create_comment(call.github, call.actor, call.issue(TALK), body=call.fields.text("body") or "")
    body = comment_json(call.github, comment)
    return Answer(body, 201, {"location": str(body["url"])})


def get_comment(call: Call) -> Answer:
    return Answer(comment_json(call.github, find_comment(call.repository(READ_TALK), call.number("comment"))))


def patch_comment(call: Call) -> Answer:
    comment = find_comment(call.repository(TALK), call.number("comment"))
    edit_comment(call.github, call.actor, comment, body=call.fields.text("body") or "")
    return Answer(comment_json(call.github, comment))


def remove_comment(call: Call) -> Answer:
    delete_comment(call.github, call.actor, find_comment(call.repository(TALK), call.number("comment")))
    return Answer(None, 204)


def list_reactions(call: Call) -> Answer:
    _, reactions = _target(call)
    content = call.query("content")
    found = [one for one in reactions if content in ("", one.content)]
    return call.page(found, lambda one: reaction_json(call.github, one))


def post_reaction(call: Call) -> Answer:
    repository, reactions = _target(call)
    reaction, is_new = react(call.github, call.actor, repository, reactions, call.fields.text("content") or "")
    return Answer(reaction_json(call.github, reaction), 201 if is_new else 200)


def remove_reaction(call: Call) -> Answer:
    repository, reactions = _target(call)
    unreact(call.github, call.actor, repository, reactions, call.number("reaction"))
    return Answer(None, 204)


def _target(call: Call) -> tuple[Repository, list[Reaction]]:
    repository = call.repository(READ_TALK)
    if "/pulls/comments/" in call.path:
        return repository, find_review_comment(repository, call.number("comment")).reactions
    if "/issues/comments/" in call.path:
        return repository, find_comment(repository, call.number("comment")).reactions
    return repository, call.github.issue(repository, call.number()).discussion.reactions


_HOME = "/repos/{owner}/{repo}"
_WITH_REACTIONS = (
    f"{_HOME}/issues/{{number:int}}/reactions",
    f"{_HOME}/issues/comments/{{comment:int}}/reactions",
    f"{_HOME}/pulls/comments/{{comment:int}}/reactions",
)

ROUTES = (
    RestRoute("GET", f"{_HOME}/issues/comments", list_all_comments),
    RestRoute("GET", f"{_HOME}/issues/{{number:int}}/comments", list_comments),
    RestRoute("POST", f"{_HOME}/issues/{{number:int}}/comments", post_comment),
    RestRoute("GET", f"{_HOME}/issues/comments/{{comment:int}}", get_comment),
    RestRoute("PATCH", f"{_HOME}/issues/comments/{{comment:int}}", patch_comment),
    RestRoute("DELETE", f"{_HOME}/issues/comments/{{comment:int}}", remove_comment),
    *(RestRoute("GET", path, list_reactions) for path in _WITH_REACTIONS),
    *(RestRoute("POST", path, post_reaction) for path in _WITH_REACTIONS),
    *(RestRoute("DELETE", f"{path}/{{reaction:int}}", remove_reaction) for path in _WITH_REACTIONS),
)
