"""Objects by their node id, with a check of what they are and of who may see them."""

from typing import TypeVar

from caseworker.github_double.access import sees
from caseworker.github_double.entities.check_records import CheckRun, CheckSuite, WorkflowRun
from caseworker.github_double.entities.repository import (
    Comment,
    Issue,
    PullRequest,
    Repository,
    Review,
    ReviewComment,
    ReviewThread,
)
from caseworker.github_double.graphql.ask import Ask
from caseworker.github_double.graphql.check_fields import home_of
from caseworker.github_double.graphql.issue_fields import as_node
from caseworker.github_double.refusals import NotFound

T = TypeVar("T")


def find_node(ask: Ask, node_id: str) -> object:
    """The object behind a node id, if the asker may see it."""
    found = ask.github.nodes.get(node_id)
    home = _home(ask, found)
    if found is None or (home is not None and not sees(ask.actor, home)):
        raise NotFound(f"Could not resolve to a node with the global id of '{node_id}'.")
    return as_node(found) if isinstance(found, Issue) else found


def node_or_none(ask: Ask, node_id: str) -> object:
    try:
        return find_node(ask, node_id)
    except NotFound:
        return None


def named_node(ask: Ask, argument: str, kind: type[T]) -> T:
    """The object that an argument names, which must be of this kind."""
    return _of_kind(ask, ask.text(argument), kind)


def named_nodes(ask: Ask, argument: str, kind: type[T]) -> list[T]:
    return [_of_kind(ask, one, kind) for one in ask.texts(argument) or []]


def named_conversation(ask: Ask, argument: str) -> Issue:
    """The issue, or the half of the pull request that is one."""
    found = find_node(ask, ask.text(argument))
    if isinstance(found, PullRequest):
        return found.issue
    return _of_kind(ask, ask.text(argument), Issue)


def _of_kind(ask: Ask, node_id: str, kind: type[T]) -> T:
    found = find_node(ask, node_id)
    if not isinstance(found, kind):
        raise NotFound(f"Could not resolve to {kind.__name__} node with the global id of '{node_id}'.")
    return found


def _home(ask: Ask, found: object) -> Repository | None:
    """The repository that an object belongs to."""
    match found:
        case Repository():
            return found
        case Issue() | PullRequest():
            return found.repository
        case Comment():
            return found.issue.repository
        case Review() | ReviewThread():
            return found.pull.repository
        case ReviewComment():
            return found.thread.pull.repository
        case CheckSuite() | WorkflowRun():
            return home_of(ask, found)
        case CheckRun():
            return home_of(ask, found.suite)
        case _:  # accounts, labels and reactions: no secrets in them
            return None
