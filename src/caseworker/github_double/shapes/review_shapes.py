"""Reviews and review comments as JSON."""

from caseworker.github_double.entities.repository import PullRequest, Review, ReviewComment
from caseworker.github_double.moments import wire_time
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.issue_shapes import association, issue_page, reactions_json
from caseworker.github_double.shapes.pull_shapes import pull_url
from caseworker.github_double.shapes.repository_shapes import repository_url
from caseworker.github_double.state import GitHub, Json


def review_json(github: GitHub, review: Review) -> Json:
    page = f"{issue_page(github, review.pull.issue)}#pullrequestreview-{review.id}"
    url = pull_url(github, review.pull)
    submitted: Json = {}
    if review.submitted_at is not None:
        submitted = {"submitted_at": wire_time(review.submitted_at)}
    return {
        "id": review.id,
        "node_id": review.node_id,
        "user": user_json(github, review.author),
        "body": review.body,
        "state": review.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": association(review.author, review.pull.repository),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        **submitted,
        "commit_id": review.commit,
    }


def review_event_json(github: GitHub, review: Review) -> Json:
    """As webhooks have it: states in lower case, times always there."""
    submitted = review.submitted_at or github.now()
    return {
        **review_json(github, review),
        "state": review.state.lower(),
        "submitted_at": wire_time(submitted),
        "updated_at": wire_time(submitted),
        "body": review.body or None,
    }


def review_comment_json(github: GitHub, comment: ReviewComment) -> Json:
    thread, pull = comment.thread, comment.thread.pull
    url = f"{repository_url(github, pull.repository)}/pulls/comments/{comment.id}"
    page = f"{issue_page(github, pull.issue)}#discussion_r{comment.id}"
    reply: Json = {} if comment.in_reply_to is None else {"in_reply_to_id": comment.in_reply_to}
    return {
        "url": url,
        "pull_request_review_id": comment.review.id,
        "id": comment.id,
        "node_id": comment.node_id,
        "diff_hunk": comment.diff_hunk,
        "path": thread.path,
        "position": None if thread.is_outdated or thread.line is None else _position(comment.diff_hunk),
        "original_position": _position(comment.diff_hunk),
        "commit_id": comment.commit,
        "original_commit_id": comment.original_commit,
        "user": user_json(github, comment.author),
        "body": comment.body,
        "created_at": wire_time(comment.created_at),
        "updated_at": wire_time(comment.updated_at),
        "html_url": page,
        "pull_request_url": pull_url(github, pull),
        "author_association": association(comment.author, pull.repository),
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull_url(github, pull)}},
        "reactions": reactions_json(url, comment.reactions),
        "start_line": None if thread.is_outdated else thread.start_line,
        "original_start_line": thread.start_line,
        "start_side": thread.side if thread.start_line is not None else None,
        "line": None if thread.is_outdated else thread.line,
        "original_line": thread.original_line,
        "side": thread.side,
        "subject_type": "file" if thread.original_line is None else "line",
        **reply,
    }


def thread_event_json(github: GitHub, comments: list[ReviewComment]) -> Json:
    """The `thread` of a `pull_request_review_thread` webhook."""
    thread = comments[0].thread
    return {"node_id": thread.node_id, "comments": [review_comment_json(github, one) for one in comments]}


def requested_json(github: GitHub, pull: PullRequest) -> Json:
    return {"users": [user_json(github, one) for one in pull.requested_reviewers], "teams": []}


def _position(hunk: str) -> int:
    """Lines below the hunk's header, as GitHub counts positions."""
    return max(len(hunk.splitlines()) - 1, 1)
