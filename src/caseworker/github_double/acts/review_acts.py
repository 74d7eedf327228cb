"""Reviews and review threads: comment on lines, reply, resolve, approve, dismiss."""

from collections.abc import Iterable
from typing import Literal

from caseworker.github_double.access import EDIT_PULL, RESOLVE, REVIEW, require
from caseworker.github_double.acts.announce import announce, author_of, note
from caseworker.github_double.acts.issue_acts import check_body
from caseworker.github_double.acts.review_records import (
    LineComment,
    add_comment,
    add_review,
    add_thread,
    check_comment,
    hunk_of,
    tell_comment,
    tell_review,
    tell_thread,
)
from caseworker.github_double.derive.effective_rules import rules_of
from caseworker.github_double.derive.thread_places import line_after
from caseworker.github_double.entities.accounts import Actor, User
from caseworker.github_double.entities.details import ReviewState
from caseworker.github_double.entities.repository import PullRequest, Repository, Review, ReviewComment, ReviewThread
from caseworker.github_double.refusals import FieldError, NotFound, Unprocessable
from caseworker.github_double.shapes.pull_shapes import pull_simple_json
from caseworker.github_double.shapes.review_shapes import review_event_json
from caseworker.github_double.state import GitHub

Verdict = Literal["APPROVE", "REQUEST_CHANGES", "COMMENT"]
_STATES: dict[Verdict, ReviewState] = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
}


def create_review(
    github: GitHub,
    actor: Actor,
    pull: PullRequest,
    *,
    verdict: Verdict | None,
    body: str = "",
    comments: Iterable[LineComment] = (),
    commit: str | None = None,
) -> Review:
    """A review, submitted at once, or (no verdict) pending until it is submitted."""
    require(actor, pull.repository, REVIEW)
    drafts = list(comments)
    _check_verdict(actor, pull, verdict, body, has_comments=bool(drafts))
    hunks = [hunk_of(pull, draft) for draft in drafts]
    review = add_review(github, actor, pull, "PENDING", body, commit)
    for draft, hunk in zip(drafts, hunks, strict=True):
        add_thread(github, actor, pull, review, draft, hunk)
    if verdict is not None:
        _submit(github, actor, review, verdict)
    return review


def submit_review(github: GitHub, actor: Actor, review: Review, verdict: Verdict, *, body: str | None = None) -> None:
    require(actor, review.pull.repository, REVIEW)
    if review.state != "PENDING" or review.author is not actor.user:
        raise Unprocessable("Review has already been submitted.")
    review.body = body if body is not None else review.body
    _check_verdict(actor, review.pull, verdict, review.body, has_comments=bool(review.comments))
    _submit(github, actor, review, verdict)


def create_review_comment(github: GitHub, actor: Actor, pull: PullRequest, draft: LineComment) -> ReviewComment:
    """A single comment on a line or file, which is a review of its own."""
    return create_review(github, actor, pull, verdict="COMMENT", comments=[draft]).comments[0]


def reply(github: GitHub, actor: Actor, thread: ReviewThread, *, body: str) -> ReviewComment:
    require(actor, thread.pull.repository, REVIEW)
    check_comment(body)
    review = add_review(github, actor, thread.pull, "COMMENTED", "", thread.pull.head.sha)
    review.submitted_at = github.now()
    first = thread.comments[0]
    comment = add_comment(github, actor, thread, review, body, first.diff_hunk, in_reply_to=first.id)
    tell_comment(github, actor, comment, "created")
    tell_review(github, actor, review, "submitted")
    return comment


def resolve_thread(github: GitHub, actor: Actor, thread: ReviewThread) -> None:
    """The pull request's author and people with write access may."""
    _require_resolver(actor, thread)
    if thread.resolved_by is None:
        thread.resolved_by = author_of(actor)
        tell_thread(github, actor, thread, "resolved")


def unresolve_thread(github: GitHub, actor: Actor, thread: ReviewThread) -> None:
    _require_resolver(actor, thread)
    if thread.resolved_by is not None:
        thread.resolved_by = None
        tell_thread(github, actor, thread, "unresolved")


def edit_review_comment(github: GitHub, actor: Actor, comment: ReviewComment, *, body: str) -> None:
    _require_comment_author(actor, comment)
    check_comment(body)
    before, comment.body = comment.body, body
    comment.updated_at = github.now()
    tell_comment(github, actor, comment, "edited", changes={"body": {"from": before}})


def delete_review_comment(github: GitHub, actor: Actor, comment: ReviewComment) -> None:
    """The thread goes with its last comment."""
    _require_comment_author(actor, comment)
    comment.thread.comments.remove(comment)
    comment.review.comments.remove(comment)
    del github.nodes[comment.node_id]
    if not comment.thread.comments:
        comment.thread.pull.threads.remove(comment.thread)
        del github.nodes[comment.thread.node_id]
    tell_comment(github, actor, comment, "deleted")


def dismiss_review(github: GitHub, actor: Actor, review: Review, *, message: str) -> None:
    require(actor, review.pull.repository, RESOLVE)
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise Unprocessable(f"Can not dismiss a {review.state.lower()} pull request review")
    if not message.strip():
        error = FieldError(resource="PullRequestReview", field="message", code="missing_field")
        raise Unprocessable("Validation Failed", error)
    _dismiss(github, author_of(actor), review)


def dismiss_stale(github: GitHub, user: User, pull: PullRequest) -> None:
    """After a push that changes the diff: approvals fall where a rule says so."""
    if rules_of(pull.repository, pull.base.ref).dismisses_stale:
        for review in pull.reviews:
            if review.state == "APPROVED":
                _dismiss(github, user, review)


def move_threads(pull: PullRequest, before: str) -> None:
    """After a push: lines move with the code, and threads on changed lines are outdated."""
    for thread in pull.threads:
        if thread.line is None or thread.is_outdated or thread.side == "LEFT":
            continue
        line = line_after(pull.repository.path, thread.path, thread.line, before, pull.head.sha)
        if line is None:
            thread.is_outdated = True
            continue
        thread.line = line
        for comment in thread.comments:
            comment.commit = pull.head.sha


def find_review(pull: PullRequest, number: int) -> Review:
    found = next((one for one in pull.reviews if one.id == number), None)
    if found is None:
        raise NotFound
    return found


def find_review_comment(repository: Repository, number: int) -> ReviewComment:
    threads = (thread for pull in repository.pulls.values() for thread in pull.threads)
    found = next((one for thread in threads for one in thread.comments if one.id == number), None)
    if found is None:
        raise NotFound
    return found


def _submit(github: GitHub, actor: Actor, review: Review, verdict: Verdict) -> None:
    review.state = _STATES[verdict]
    review.submitted_at = github.now()
    pull, user = review.pull, author_of(actor)
    pull.issue.times.updated_at = review.submitted_at
    if user in pull.requested_reviewers and user is not pull.author:
        pull.requested_reviewers.remove(user)
    tell_review(github, actor, review, "submitted")
    for comment in review.comments:
        tell_comment(github, actor, comment, "created")


def _dismiss(github: GitHub, user: User, review: Review) -> None:
    review.state = "DISMISSED"
    note(github, review.pull.issue, user, "review_dismissed")
    shown = {"review": review_event_json(github, review), "pull_request": pull_simple_json(github, review.pull)}
    announce(github, user, review.pull.repository, "pull_request_review", "dismissed", **shown)


def _check_verdict(actor: Actor, pull: PullRequest, verdict: Verdict | None, body: str, *, has_comments: bool) -> None:
    check_body("PullRequestReview", body)
    if verdict in ("APPROVE", "REQUEST_CHANGES") and actor.user is pull.author:
        done = "approve" if verdict == "APPROVE" else "request changes on"
        raise Unprocessable("Unprocessable Entity", f"Can not {done} your own pull request")
    if verdict in ("REQUEST_CHANGES", "COMMENT") and not body.strip() and not has_comments:
        raise Unprocessable("Unprocessable Entity", "Review body can not be blank")


def _require_resolver(actor: Actor, thread: ReviewThread) -> None:
    require(actor, thread.pull.repository, REVIEW if actor.user is thread.pull.author else RESOLVE)


def _require_comment_author(actor: Actor, comment: ReviewComment) -> None:
    own = actor.user is comment.author
    require(actor, comment.thread.pull.repository, REVIEW if own else EDIT_PULL)
