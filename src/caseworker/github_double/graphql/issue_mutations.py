"""Mutations of issues, comments, labels and reactions."""

from typing import Final

from caseworker.github_double.acts.comment_acts import create_comment, delete_comment, edit_comment, react, unreact
from caseworker.github_double.acts.issue_acts import (
    add_assignees,
    close_issue,
    create_issue,
    delete_issue,
    edit_issue,
    lock_issue,
    remove_assignees,
    reopen_issue,
    transfer_issue,
    unlock_issue,
)
from caseworker.github_double.acts.label_acts import add_labels, create_label, delete_label, remove_label, set_labels
from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.details import CONTENTS, Label, LockReason, Reaction
from caseworker.github_double.entities.repository import Comment, Issue, PullRequest, Repository, ReviewComment
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.issue_fields import REACTION_NAMES, as_node, reaction_groups
from caseworker.github_double.graphql.node_views import Payload, Root
from caseworker.github_double.graphql.nodes import find_node, named_conversation, named_node, named_nodes
from caseworker.github_double.graphql.pages import Edge, cursor
from caseworker.github_double.refusals import NotFound, Unprocessable

_LOCK_REASONS: Final[dict[str, LockReason]] = {
    "OFF_TOPIC": "off-topic",
    "TOO_HEATED": "too heated",
    "RESOLVED": "resolved",
    "SPAM": "spam",
}


def given(ask: Ask) -> Ask:
    """The fields of the mutation's `input` as arguments."""
    return ask.part("input")


def paid(ask: Ask, **values: object) -> Payload:
    return Payload(values={"clientMutationId": given(ask).text_or_none("clientMutationId"), **values})


def _create_issue(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    issue = create_issue(
        ask.github,
        ask.actor,
        named_node(said, "repositoryId", Repository),
        title=said.text("title"),
        body=said.text_or_none("body"),
        labels=[label.name for label in named_nodes(said, "labelIds", Label)],
        assignees=[user.login for user in named_nodes(said, "assigneeIds", User)],
    )
    return paid(ask, issue=issue)


def _update_issue(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    issue = named_node(said, "id", Issue)
    edit_issue(ask.github, ask.actor, issue, title=said.text_or_none("title"), body=said.text_or_none("body"))
    if said.texts("labelIds") is not None:
        set_labels(ask.github, ask.actor, issue, [one.name for one in named_nodes(said, "labelIds", Label)])
    if said.texts("assigneeIds") is not None:
        set_assignees(ask, issue, [one.login for one in named_nodes(said, "assigneeIds", User)])
    state = said.text_or_none("state")
    if state is not None and state.lower() != issue.state:
        if state == "CLOSED":
            close_issue(ask.github, ask.actor, issue)
        else:
            reopen_issue(ask.github, ask.actor, issue)
    return paid(ask, issue=issue, actor=ask.actor.user)


def _close(_root: Root, ask: Ask) -> Payload:
    issue = named_node(given(ask), "issueId", Issue)
    close_issue(ask.github, ask.actor, issue, reason=(given(ask).text_or_none("stateReason") or "completed").lower())
    return paid(ask, issue=issue)


def _reopen(_root: Root, ask: Ask) -> Payload:
    issue = named_node(given(ask), "issueId", Issue)
    reopen_issue(ask.github, ask.actor, issue)
    return paid(ask, issue=issue)


def _delete(_root: Root, ask: Ask) -> Payload:
    issue = named_node(given(ask), "issueId", Issue)
    delete_issue(ask.github, ask.actor, issue)
    return paid(ask, repository=issue.repository)


def _transfer(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    moved = transfer_issue(
        ask.github, ask.actor, named_node(said, "issueId", Issue), named_node(said, "repositoryId", Repository)
    )
    return paid(ask, issue=moved)


def _lock(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "lockableId")
    reason = given(ask).text_or_none("lockReason")
    lock_issue(ask.github, ask.actor, issue, reason=_LOCK_REASONS[reason] if reason is not None else None)
    return paid(ask, lockedRecord=as_node(issue), actor=ask.actor.user)


def _unlock(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "lockableId")
    unlock_issue(ask.github, ask.actor, issue)
    return paid(ask, unlockedRecord=as_node(issue), actor=ask.actor.user)


def _comment(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "subjectId")
    comment = create_comment(ask.github, ask.actor, issue, body=given(ask).text("body"))
    edge = Edge(node=comment, cursor=cursor(len(issue.comments)))
    return paid(ask, commentEdge=edge, timelineEdge=edge, subject=as_node(issue))


def _edit_comment(_root: Root, ask: Ask) -> Payload:
    comment = named_node(given(ask), "id", Comment)
    edit_comment(ask.github, ask.actor, comment, body=given(ask).text("body"))
    return paid(ask, issueComment=comment)


def _delete_comment(_root: Root, ask: Ask) -> Payload:
    delete_comment(ask.github, ask.actor, named_node(given(ask), "id", Comment))
    return paid(ask)


def _create_label(_root: Root, ask: Ask) -> Payload:
    said = given(ask)
    label = create_label(
        ask.github,
        ask.actor,
        named_node(said, "repositoryId", Repository),
        name=said.text("name"),
        color=said.text("color"),
        description=said.text_or_none("description"),
    )
    return paid(ask, label=label)


def _delete_label(_root: Root, ask: Ask) -> Payload:
    label = named_node(given(ask), "id", Label)
    home = next(one for one in ask.github.repositories.values() if label in one.labels.values())
    delete_label(ask.github, ask.actor, home, label.name)
    return paid(ask)


def _label(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "labelableId")
    add_labels(ask.github, ask.actor, issue, [one.name for one in named_nodes(given(ask), "labelIds", Label)])
    return paid(ask, labelable=as_node(issue))


def _unlabel(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "labelableId")
    for label in named_nodes(given(ask), "labelIds", Label):
        if label in issue.labels:
            remove_label(ask.github, ask.actor, issue, label.name)
    return paid(ask, labelable=as_node(issue))


def _assign(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "assignableId")
    add_assignees(ask.github, ask.actor, issue, [one.login for one in named_nodes(given(ask), "assigneeIds", User)])
    return paid(ask, assignable=as_node(issue))


def _unassign(_root: Root, ask: Ask) -> Payload:
    issue = named_conversation(given(ask), "assignableId")
    remove_assignees(ask.github, ask.actor, issue, [one.login for one in named_nodes(given(ask), "assigneeIds", User)])
    return paid(ask, assignable=as_node(issue))


def set_assignees(ask: Ask, issue: Issue, wanted: list[str]) -> None:
    remove_assignees(ask.github, ask.actor, issue, [one.login for one in issue.assignees if one.login not in wanted])
    add_assignees(ask.github, ask.actor, issue, wanted)


def _replace_assignees(_root: Root, ask: Ask) -> Payload:
    """Sets the assignees to exactly those named by login or id."""
    said = given(ask)
    issue = named_conversation(said, "assignableId")
    wanted = said.texts("actorLogins") or [one.login for one in named_nodes(said, "actorIds", User)]
    set_assignees(ask, issue, wanted)
    return paid(ask, assignable=as_node(issue))


def _reactable(ask: Ask) -> tuple[object, Repository, list[Reaction]]:
    found = find_node(given(ask), given(ask).text("subjectId"))
    match found:
        case Issue():
            return found, found.repository, found.discussion.reactions
        case PullRequest():
            return found, found.repository, found.issue.discussion.reactions
        case Comment():
            return found, found.issue.repository, found.reactions
        case ReviewComment():
            return found, found.thread.pull.repository, found.reactions
        case _:
            raise NotFound(f"'{given(ask).text('subjectId')}' is nothing that one can react to.")


def _react(_root: Root, ask: Ask) -> Payload:
    subject, home, reactions = _reactable(ask)
    name = given(ask).text("content")
    content = next(one for one in CONTENTS if REACTION_NAMES[one] == name)
    reaction, _ = react(ask.github, ask.actor, home, reactions, content)
    return paid(ask, reaction=reaction, subject=subject, reactionGroups=reaction_groups(reactions))


def _unreact(_root: Root, ask: Ask) -> Payload:
    subject, home, reactions = _reactable(ask)
    name = given(ask).text("content")
    own = [one for one in reactions if one.user is ask.actor.user and REACTION_NAMES[one.content] == name]
    if not own:
        raise Unprocessable("There is no such reaction of yours.")
    unreact(ask.github, ask.actor, home, reactions, own[0].id)
    return paid(ask, reaction=own[0], subject=subject, reactionGroups=reaction_groups(reactions))


ISSUE_MUTATIONS: Final[Fields[Root]] = {
    "createIssue": _create_issue,
    "updateIssue": _update_issue,
    "closeIssue": _close,
    "reopenIssue": _reopen,
    "deleteIssue": _delete,
    "transferIssue": _transfer,
    "lockLockable": _lock,
    "unlockLockable": _unlock,
    "addComment": _comment,
    "updateIssueComment": _edit_comment,
    "deleteIssueComment": _delete_comment,
    "createLabel": _create_label,
    "deleteLabel": _delete_label,
    "addLabelsToLabelable": _label,
    "removeLabelsFromLabelable": _unlabel,
    "addAssigneesToAssignable": _assign,
    "removeAssigneesFromAssignable": _unassign,
    "replaceActorsForAssignable": _replace_assignees,
    "addReaction": _react,
    "removeReaction": _unreact,
}
