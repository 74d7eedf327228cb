"""Mutations of pull requests, reviews and review threads."""

from typing import Final

from caseworker.github_double.acts.label_acts import set_labels
from caseworker.github_double.acts.merge_acts import merge_pull, update_branch
from caseworker.github_double.acts.pull_acts import (
    close_pull,
    create_pull,
    edit_pull,
    reopen_pull,
    request_reviewers,
    set_auto_merge,
    set_draft,
    unrequest_reviewers,
)
from caseworker.github_double.acts.review_acts import (
    Verdict,
    create_review,
    delete_review_comment,
    dismiss_review,
    edit_review_comment,
    reply,
    resolve_thread,
    submit_review,
    unresolve_thread,
)
from caseworker.github_double.acts.review_records import LineComment
from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.details import Label, MergeMethod, Side
from caseworker.github_double.entities.repository import PullRequest, Repository, Review, ReviewComment, ReviewThread
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.issue_mutations import given, paid, set_assignees
from caseworker.github_double.graphql.node_views import Payload, Root
from caseworker.github_double.graphql.nodes import named_node, named_nodes
from caseworker.github_double.graphql.pages import Edge, cursor
from caseworker.github_double.refusals import Unprocessable

_VERDICTS: Final[dict[str, Verdict]] = {
    "APPROVE": "APPROVE",
    "REQUEST_CHANGES": "REQUEST_CHANGES",
    "COMMENT": "COMMENT",
}
_METHODS: Final[dict[str, MergeMethod]] = {"MERGE": "merge", "SQUASH": "squash", "REBASE": "rebase"}
_SIDES: Final[dict[str, Side]] = {"LEFT": "LEFT", "RIGHT": "RIGHT"}


def _pull(ask: Ask) -> PullRequest:
    return named_node(given(ask), "pullRequestId", PullRequest)


def _create(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    head = said.text("headRefName")
    if said.text_or_none("headRepositoryId") is not None:
        head = f"{named_node(said, 'headRepositoryId', Repository).owner.login}:{head.rpartition(':')[2]}"
    pull = create_pull(
        ask.github,
        ask.actor,
        named_node(said, "repositoryId", Repository),
        title=said.text("title"),
        head=head,
        base=said.text("baseRefName"),
        body=said.text_or_none("body"),
        is_draft=said.flag("draft"),
        maintainer_can_modify=said.flag("maintainerCanModify", True),
    )
    return paid(ask, pullRequest=pull)


def _update(_root: Root, ask: Ask) -> Payload:
    said, pull = given(ask), _pull(ask)
    title, body, base = (said.text_or_none(name) for name in ("title", "body", "baseRefName"))
    edit_pull(ask.github, ask.actor, pull, title=title, body=body, base=base)
    if said.texts("labelIds") is not None:
        set_labels(ask.github, ask.actor, pull.issue, [one.name for one in named_nodes(said, "labelIds", Label)])
    if said.texts("assigneeIds") is not None:
        set_assignees(ask, pull.issue, [one.login for one in named_nodes(said, "assigneeIds", User)])
    state = said.text_or_none("state")
    if state == "CLOSED":
        close_pull(ask.github, ask.actor, pull)
    elif state == "OPEN":
        reopen_pull(ask.github, ask.actor, pull)
    return paid(ask, pullRequest=pull, actor=ask.actor.user)


def _close(_root: Root, ask: Ask) -> Payload:
    close_pull(ask.github, ask.actor, _pull(ask))
    return paid(ask, pullRequest=_pull(ask))


def _reopen(_root: Root, ask: Ask) -> Payload:
    reopen_pull(ask.github, ask.actor, _pull(ask))
    return paid(ask, pullRequest=_pull(ask))


def _ready(_root: Root, ask: Ask) -> Payload:
    set_draft(ask.github, ask.actor, _pull(ask), is_draft=False)
    return paid(ask, pullRequest=_pull(ask))


def _draft(_root: Root, ask: Ask) -> Payload:
    set_draft(ask.github, ask.actor, _pull(ask), is_draft=True)
    return paid(ask, pullRequest=_pull(ask))


def _request_reviews(_root: Root, ask: Ask) -> Payload:
    users = named_nodes(given(ask), "userIds", User)
    request_reviewers(ask.github, ask.actor, _pull(ask), [one.login for one in users])
    return paid(ask, pullRequest=_pull(ask), actor=ask.actor.user)


def _request_reviews_by_login(_root: Root, ask: Ask) -> Payload:
    """What `gh` sends. Without `union` those who are not named are no longer asked."""
    said, pull = given(ask), _pull(ask)
    wanted = said.texts("userLogins") or []
    if not said.flag("union"):
        left = [one.login for one in pull.requested_reviewers if one.login not in wanted]
        unrequest_reviewers(ask.github, ask.actor, pull, left)
    request_reviewers(ask.github, ask.actor, pull, wanted)
    return paid(ask, pullRequest=pull, actor=ask.actor.user)


def _merge(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    merge_pull(
        ask.github,
        ask.actor,
        _pull(ask),
        method=_METHODS[said.text_or_none("mergeMethod") or "MERGE"],
        expected_head=said.text_or_none("expectedHeadOid"),
        title=said.text_or_none("commitHeadline"),
    )
    return paid(ask, pullRequest=_pull(ask), actor=ask.actor.user)


def _auto_merge(_root: Root, ask: Ask) -> Payload:
    set_auto_merge(ask.github, ask.actor, _pull(ask), _METHODS[given(ask).text_or_none("mergeMethod") or "MERGE"])
    return paid(ask, pullRequest=_pull(ask), actor=ask.actor.user)


def _no_auto_merge(_root: Root, ask: Ask) -> Payload:
    set_auto_merge(ask.github, ask.actor, _pull(ask), None)
    return paid(ask, pullRequest=_pull(ask), actor=ask.actor.user)


def _update_branch(_root: Root, ask: Ask) -> Payload:
    update_branch(ask.github, ask.actor, _pull(ask), expected_head=given(ask).text_or_none("expectedHeadOid"))
    return paid(ask, pullRequest=_pull(ask))


def _line_comment(said: Ask) -> LineComment:
    is_of_file = said.text_or_none("subjectType") == "FILE"
    return LineComment(
        path=said.text("path"),
        body=said.text("body"),
        line=None if is_of_file else said.number_or_none("line"),
        start_line=said.number_or_none("startLine"),
        side=_SIDES[said.text_or_none("side") or "RIGHT"],
    )


def _review(_root: Root, ask: Ask) -> Payload:
    said, pull = given(ask), _pull(ask)
    if said.parts("comments"):
        raise Unprocessable("`comments` is the old way to comment on lines; this GitHub takes `threads` only.")
    event = said.text_or_none("event")
    review = create_review(
        ask.github,
        ask.actor,
        pull,
        verdict=_VERDICTS[event] if event is not None else None,
        body=said.text_or_none("body") or "",
        comments=[_line_comment(one) for one in said.parts("threads")],
        commit=said.text_or_none("commitOID"),
    )
    edge = Edge(node=review, cursor=cursor(len(pull.reviews)))
    return paid(ask, pullRequestReview=review, reviewEdge=edge)


def _submit(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    review = named_node(said, "pullRequestReviewId", Review)
    submit_review(ask.github, ask.actor, review, _VERDICTS[said.text("event")], body=said.text_or_none("body"))
    return paid(ask, pullRequestReview=review)


def _dismiss(_root: Root, ask: Ask) -> Payload:
    review = named_node(given(ask), "pullRequestReviewId", Review)
    dismiss_review(ask.github, ask.actor, review, message=given(ask).text("message"))
    return paid(ask, pullRequestReview=review)


def _thread(_root: Root, ask: Ask) -> Payload:
    """A thread of its own is a review with one comment."""
    review = create_review(ask.github, ask.actor, _pull(ask), verdict="COMMENT", comments=[_line_comment(given(ask))])
    return paid(ask, thread=review.comments[0].thread)


def _reply(_root: Root, ask: Ask) -> Payload:
    thread = named_node(given(ask), "pullRequestReviewThreadId", ReviewThread)
    return paid(ask, comment=reply(ask.github, ask.actor, thread, body=given(ask).text("body")))


def _edit_review_comment(_root: Root, ask: Ask) -> Payload:
    comment = named_node(given(ask), "pullRequestReviewCommentId", ReviewComment)
    edit_review_comment(ask.github, ask.actor, comment, body=given(ask).text("body"))
    return paid(ask, pullRequestReviewComment=comment)


def _delete_review_comment(_root: Root, ask: Ask) -> Payload:
    comment = named_node(given(ask), "id", ReviewComment)
    delete_review_comment(ask.github, ask.actor, comment)
    return paid(ask, pullRequestReview=comment.review)


def _resolve(_root: Root, ask: Ask) -> Payload:
    thread = named_node(given(ask), "threadId", ReviewThread)
    resolve_thread(ask.github, ask.actor, thread)
    return paid(ask, thread=thread)


def _unresolve(_root: Root, ask: Ask) -> Payload:
    thread = named_node(given(ask), "threadId", ReviewThread)
    unresolve_thread(ask.github, ask.actor, thread)
    return paid(ask, thread=thread)


PULL_MUTATIONS: Final[Fields[Root]] = {
    "createPullRequest": _create,
    "updatePullRequest": _update,
    "closePullRequest": _close,
    "reopenPullRequest": _reopen,
    "markPullRequestReadyForReview": _ready,
    "convertPullRequestToDraft": _draft,
    "requestReviews": _request_reviews,
    "requestReviewsByLogin": _request_reviews_by_login,
    "mergePullRequest": _merge,
    "enablePullRequestAutoMerge": _auto_merge,
    "disablePullRequestAutoMerge": _no_auto_merge,
    "updatePullRequestBranch": _update_branch,
    "addPullRequestReview": _review,
    "submitPullRequestReview": _submit,
    "dismissPullRequestReview": _dismiss,
    "addPullRequestReviewThread": _thread,
    "addPullRequestReviewThreadReply": _reply,
    "updatePullRequestReviewComment": _edit_review_comment,
    "deletePullRequestReviewComment": _delete_review_comment,
    "resolveReviewThread": _resolve,
    "unresolveReviewThread": _unresolve,
}
