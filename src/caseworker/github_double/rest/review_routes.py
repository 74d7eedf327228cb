"""Reviews and review comments."""

from caseworker.github_double.access import READ_PULLS, RESOLVE, REVIEW
from caseworker.github_double.acts.review_acts import (
    Verdict,
    create_review,
    create_review_comment,
    delete_review_comment,
    dismiss_review,
    edit_review_comment,
    find_review,
    find_review_comment,
    reply,
    submit_review,
)
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import FieldError, NotFound, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.rest.fields import Fields
from caseworker.github_double.shapes.review_shapes import review_comment_json, review_json

_VERDICTS: tuple[Verdict, ...] = ("APPROVE", "REQUEST_CHANGES", "COMMENT")


def list_reviews(call: Call) -> Answer:
    pull = call.pull(READ_PULLS)
    seen = [one for one in pull.reviews if one.state != "PENDING" or one.author is call.actor.user]
    return call.page(seen, lambda one: review_json(call.github, one))


def post_review(call: Call) -> Answer:
    pull, fields = call.pull(REVIEW), call.fields
    review = create_review(
        call.github,
        call.actor,
        pull,
        verdict=_verdict(fields),
        body=fields.text("body") or "",
        comments=[_line_comment(one) for one in fields.records("comments")],
        commit=fields.text("commit_id"),
    )
    return Answer(review_json(call.github, review))


def get_review(call: Call) -> Answer:
    return Answer(review_json(call.github, find_review(call.pull(READ_PULLS), call.number("review"))))


def submit(call: Call) -> Answer:
    review = find_review(call.pull(REVIEW), call.number("review"))
    verdict = _verdict(call.fields)
    if verdict is None:
        raise Unprocessable(
            "Validation Failed", FieldError(resource="PullRequestReview", field="event", code="missing_field")
        )
    submit_review(call.github, call.actor, review, verdict, body=call.fields.text("body"))
    return Answer(review_json(call.github, review))


def dismiss(call: Call) -> Answer:
    review = find_review(call.pull(RESOLVE), call.number("review"))
    dismiss_review(call.github, call.actor, review, message=call.fields.text("message") or "")
    return Answer(review_json(call.github, review))


def list_review_comments(call: Call) -> Answer:
    """Comments of one review, which have positions but no lines on GitHub; here they have both."""
    review = find_review(call.pull(READ_PULLS), call.number("review"))
    return call.page(review.comments, lambda one: review_comment_json(call.github, one))


def list_pull_comments(call: Call) -> Answer:
    pull, since = call.pull(READ_PULLS), call.since()
    found = [one for thread in pull.threads for one in thread.comments if one.review.state != "PENDING"]
    found = [one for one in found if since is None or one.updated_at >= since]
    return call.page(sorted(found, key=lambda one: one.id), lambda one: review_comment_json(call.github, one))


def list_all_pull_comments(call: Call) -> Answer:
    repository, since = call.repository(READ_PULLS), call.since()
    threads = (thread for pull in repository.pulls.values() for thread in pull.threads)
    found = [one for thread in threads for one in thread.comments if since is None or one.updated_at >= since]
    found = [one for one in found if one.review.state != "PENDING"]
    by_update = call.query("sort", "created") == "updated"
    found.sort(
        key=lambda one: (one.updated_at if by_update else one.created_at, one.id),
        reverse=call.query("direction", "asc") == "desc",
    )
    return call.page(found, lambda one: review_comment_json(call.github, one))


def post_pull_comment(call: Call) -> Answer:
    pull, fields = call.pull(REVIEW), call.fields
    answered = fields.number("in_reply_to")
    if answered is not None:
        comment = find_review_comment(pull.repository, answered)
        made = reply(call.github, call.actor, comment.thread, body=fields.text("body") or "")
    else:
        made = create_review_comment(call.github, call.actor, pull, _line_comment(fields))
    body = review_comment_json(call.github, made)
    return Answer(body, 201, {"location": str(body["url"])})


def post_reply(call: Call) -> Answer:
    pull = call.pull(REVIEW)
    comment = find_review_comment(pull.repository, call.number("comment"))
    if comment.thread.pull is not pull:
        raise NotFound
    made = reply(call.github, call.actor, comment.thread, body=call.fields.text("body") or "")
    body = review_comment_json(call.github, made)
    return Answer(body, 201, {"location": str(body["url"])})


def get_pull_comment(call: Call) -> Answer:
    found = find_review_comment(call.repository(READ_PULLS), call.number("comment"))
    return Answer(review_comment_json(call.github, found))


def patch_pull_comment(call: Call) -> Answer:
    comment = find_review_comment(call.repository(REVIEW), call.number("comment"))
    edit_review_comment(call.github, call.actor, comment, body=call.fields.text("body") or "")
    return Answer(review_comment_json(call.github, comment))


def remove_pull_comment(call: Call) -> Answer:
    comment = find_review_comment(call.repository(REVIEW), call.number("comment"))
    delete_review_comment(call.github, call.actor, comment)
    return Answer(None, 204)


def _verdict(fields: Fields) -> Verdict | None:
    asked = fields.text("event")
    found = next((one for one in _VERDICTS if one == asked), None)
    if asked and found is None:
        raise Unprocessable(
            "Validation Failed", FieldError(resource="PullRequestReview", field="event", code="invalid")
        )
    return found


def _line_comment(fields: Fields) -> LineComment:
    if fields.text("subject_type") != "file" and fields.number("line") is None:
        error = FieldError(resource="PullRequestReviewComment", field="line", code="missing_field")
        raise Unprocessable("Validation Failed", error)
    return LineComment(
        path=fields.text("path") or "",
        body=fields.text("body") or "",
        line=fields.number("line"),
        start_line=fields.number("start_line"),
        side="LEFT" if fields.text("side") == "LEFT" else "RIGHT",
    )


_PULL = "/repos/{owner}/{repo}/pulls/{number:int}"
_COMMENT = "/repos/{owner}/{repo}/pulls/comments/{comment:int}"

ROUTES = (
    RestRoute("GET", f"{_PULL}/reviews", list_reviews),
    RestRoute("POST", f"{_PULL}/reviews", post_review),
    RestRoute("GET", f"{_PULL}/reviews/{{review:int}}", get_review),
    RestRoute("POST", f"{_PULL}/reviews/{{review:int}}/events", submit),
    RestRoute("PUT", f"{_PULL}/reviews/{{review:int}}/dismissals", dismiss),
    RestRoute("GET", f"{_PULL}/reviews/{{review:int}}/comments", list_review_comments),
    RestRoute("GET", f"{_PULL}/comments", list_pull_comments),
    RestRoute("POST", f"{_PULL}/comments", post_pull_comment),
    RestRoute("POST", f"{_PULL}/comments/{{comment:int}}/replies", post_reply),
    RestRoute("GET", "/repos/{owner}/{repo}/pulls/comments", list_all_pull_comments),
    RestRoute("GET", _COMMENT, get_pull_comment),
    RestRoute("PATCH", _COMMENT, patch_pull_comment),
    RestRoute("DELETE", _COMMENT, remove_pull_comment),
)
