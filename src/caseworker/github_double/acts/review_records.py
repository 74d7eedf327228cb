"""Making the records of reviews, threads and their comments, and telling of them. Rights are checked by the acts."""

from dataclasses import dataclass

from caseworker.github_double import git_store
from caseworker.github_double.acts.announce import announce, author_of
from caseworker.github_double.acts.issue_acts import check_body
from caseworker.github_double.derive.thread_places import hunk_around
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.details import ReviewState, Side
from caseworker.github_double.entities.repository import PullRequest, Review, ReviewComment, ReviewThread
from caseworker.github_double.git_diffs import changed_files
from caseworker.github_double.refusals import FieldError, Unprocessable
from caseworker.github_double.shapes.pull_shapes import pull_simple_json
from caseworker.github_double.shapes.review_shapes import review_comment_json, review_event_json, thread_event_json
from caseworker.github_double.state import GitHub


@dataclass(frozen=True, kw_only=True)
class LineComment:
    """A comment that is to begin a thread. Without a line it is about the file."""

    path: str
    body: str
    line: int | None = None
    start_line: int | None = None
    side: Side = "RIGHT"


def add_review(
    github: GitHub, actor: Actor, pull: PullRequest, state: ReviewState, body: str, commit: str | None
) -> Review:
    key = github.new_key("PRR")
    review = Review(
        id=key.id,
        node_id=key.node_id,
        pull=pull,
        author=author_of(actor),
        state=state,
        body=body,
        commit=commit or pull.head.sha,
        submitted_at=None,
    )
    pull.reviews.append(review)
    github.nodes[key.node_id] = review
    return review


def add_thread(
    github: GitHub, actor: Actor, pull: PullRequest, review: Review, draft: LineComment, hunk: str
) -> ReviewThread:
    key = github.new_key("PRRT")
    thread = ReviewThread(
        id=key.id,
        node_id=key.node_id,
        pull=pull,
        path=draft.path,
        line=draft.line,
        start_line=draft.start_line,
        side=draft.side,
        original_line=draft.line,
    )
    pull.threads.append(thread)
    github.nodes[key.node_id] = thread
    add_comment(github, actor, thread, review, draft.body, hunk, in_reply_to=None)
    return thread


def add_comment(
    github: GitHub,
    actor: Actor,
    thread: ReviewThread,
    review: Review,
    body: str,
    hunk: str,
    *,
    in_reply_to: int | None,
) -> ReviewComment:
    key, now, sha = github.new_key("PRRC"), github.now(), thread.pull.head.sha
    comment = ReviewComment(
        id=key.id,
        node_id=key.node_id,
        thread=thread,
        review=review,
        author=author_of(actor),
        body=body,
        commit=sha,
        original_commit=thread.comments[0].original_commit if thread.comments else sha,
        diff_hunk=hunk,
        in_reply_to=in_reply_to,
        created_at=now,
        updated_at=now,
    )
    thread.comments.append(comment)
    review.comments.append(comment)
    github.nodes[key.node_id] = comment
    thread.pull.issue.times.updated_at = now
    return comment


def tell_review(github: GitHub, actor: Actor, review: Review, action: str) -> None:
    shown = {"review": review_event_json(github, review), "pull_request": pull_simple_json(github, review.pull)}
    announce(github, author_of(actor), review.pull.repository, "pull_request_review", action, **shown)


def tell_comment(github: GitHub, actor: Actor, comment: ReviewComment, action: str, **more: object) -> None:
    pull = comment.thread.pull
    shown = {"comment": review_comment_json(github, comment), "pull_request": pull_simple_json(github, pull)}
    announce(github, author_of(actor), pull.repository, "pull_request_review_comment", action, **shown, **more)


def tell_thread(github: GitHub, actor: Actor, thread: ReviewThread, action: str) -> None:
    pull = thread.pull
    shown = {"thread": thread_event_json(github, thread.comments), "pull_request": pull_simple_json(github, pull)}
    announce(github, author_of(actor), pull.repository, "pull_request_review_thread", action, **shown)


def check_comment(body: str) -> None:
    if not body.strip():
        raise invalid_comment("body", "Body can not be blank")
    check_body("PullRequestReviewComment", body)


def invalid_comment(field: str, message: str) -> Unprocessable:
    resource = "PullRequestReviewComment"
    return Unprocessable(
        "Unprocessable Entity", FieldError(resource=resource, field=field, code="custom", message=message)
    )


def hunk_of(pull: PullRequest, draft: LineComment) -> str:
    """The diff above the commented line. A line outside the diff is refused."""
    check_comment(draft.body)
    path = pull.repository.path
    fork_point = git_store.merge_base(path, pull.base.sha, pull.head.sha) or pull.base.sha
    change = next((one for one in changed_files(path, fork_point, pull.head.sha) if one.path == draft.path), None)
    if change is None:
        raise invalid_comment("path", "Path could not be resolved")
    hunk = hunk_around(change.patch or "", draft.line, draft.side)
    if hunk is None:
        raise invalid_comment("line", "Line could not be resolved")
    return hunk
