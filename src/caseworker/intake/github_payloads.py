"""Parses the body of a GitHub webhook into an event. Tolerant: it asks only for what Caseworker decides on."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from pydantic import ValidationError
from pydantic_core import from_json

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.registry import TargetKind
from caseworker.core.runs.delivery_outcomes import IgnoreReason
from caseworker.intake.github_bodies import (
    GHOST,
    LONG_AGO,
    ChangesBody,
    CheckedBody,
    CommentBody,
    InstalledBody,
    Payload,
    PushedBody,
    TargetBody,
)
from caseworker.intake.github_events import (
    Change,
    ChecksChanged,
    Comment,
    CommentChanged,
    Event,
    InstallationChanged,
    IssueChanged,
    LabelChanged,
    NotUsed,
    Pinged,
    PullChanged,
    PushReceived,
)


class UnreadableBody(ValueError):
    """The body is not JSON, or lacks what an event of its kind has. Says which."""


def read_body(body: bytes) -> Mapping[str, object]:
    try:
        value = from_json(body)
    except ValueError as error:
        raise UnreadableBody(f"The body is not JSON: {str(error)[:200]}") from error
    if not isinstance(value, dict):
        raise UnreadableBody("The body is not a JSON object.")
    return value


def parse_event(name: str, body: Mapping[str, object]) -> Event:
    """`name`: GitHub's name of the event. Raises `UnreadableBody` if the body does not fit it."""
    parse = _PARSERS.get(name)
    if parse is None:
        return NotUsed(reason=IgnoreReason.UNUSED_EVENT, detail=name)
    try:
        return parse(name, body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableBody(f"`{where}` of an event {name}: {first['msg']}") from error


def _parse_issues(name: str, body: Mapping[str, object]) -> Event:
    payload, issue = _with_target(name, body, "issue")
    change = _CHANGES.get(payload.action)
    if change in (Change.LABELED, Change.UNLABELED):
        return _label_changed(payload, issue, change)
    if change not in _ISSUE_CHANGES:
        return _unused(name, payload.action)
    return IssueChanged(
        repository=_repository(payload),
        number=issue.number,
        target=_kind(issue),
        actor=payload.sender.person,
        change=change,
        title=issue.title,
        text=issue.body or "",
        changed_at=issue.updated_at,
    )


def _parse_pull(name: str, body: Mapping[str, object]) -> Event:
    payload, pull = _with_target(name, body, "pull_request")
    change = _PULL_CHANGES.get(payload.action)
    if change is None:
        return _unused(name, payload.action)
    if change in (Change.LABELED, Change.UNLABELED):
        return _label_changed(payload, pull, change, TargetKind.PULL)
    return _pull_changed(payload, pull, change)


def _pull_changed(payload: Payload, pull: TargetBody, change: Change) -> PullChanged:
    return PullChanged(
        repository=_repository(payload),
        number=pull.number,
        target=TargetKind.PULL,
        actor=payload.sender.person,
        change=change,
        head=pull.head.sha,
        is_merged=bool(pull.merged),
    )


def _label_changed(payload: Payload, target: TargetBody, change: Change, kind: TargetKind | None = None) -> Event:
    if payload.label is None:  # the label itself was deleted
        return NotUsed(reason=IgnoreReason.NOT_OUR_LABEL)
    return LabelChanged(
        repository=_repository(payload),
        number=target.number,
        target=kind or _kind(target),
        actor=payload.sender.person,
        change=change,
        label=payload.label.name,
        changed_at=target.updated_at,
    )


def _parse_comment(name: str, body: Mapping[str, object]) -> Event:
    is_review = name == "pull_request_review_comment"
    payload, target = _with_target(name, body, "pull_request" if is_review else "issue")
    change = _CHANGES.get(payload.action)
    if payload.comment is None or change not in (Change.CREATED, Change.EDITED, Change.DELETED):
        return _unused(name, payload.action)
    return CommentChanged(
        repository=_repository(payload),
        number=target.number,
        target=TargetKind.PULL if is_review else _kind(target),
        actor=payload.sender.person,
        change=change,
        comment=_comment(payload.comment, payload.changes, "review_comment" if is_review else "comment"),
    )


def _comment(comment: CommentBody, changes: ChangesBody, source: Literal["comment", "review_comment"]) -> Comment:
    line = comment.line or comment.original_line
    return Comment(
        id=comment.id,
        author=(comment.user or GHOST).person,
        text=comment.body or "",
        written_at=comment.created_at,
        changed_at=comment.updated_at or comment.created_at,
        text_before=changes.body.before if changes.body is not None else None,
        place=f"{comment.path}:{line}" if comment.path and line else comment.path,
        source=source,
    )


def _parse_review(name: str, body: Mapping[str, object]) -> Event:
    """A review with a text is a comment. Any other changes the state of the pull request."""
    payload, pull = _with_target(name, body, "pull_request")
    review = payload.review
    if payload.action != "submitted" or review is None or not (review.body or "").strip():
        return _pull_changed(payload, pull, Change.REVIEWED)
    author, at = (review.user or payload.sender).person, review.submitted_at or LONG_AGO
    comment = Comment(
        id=review.id, author=author, text=review.body or "", written_at=at, changed_at=at, source="review"
    )
    return CommentChanged(
        repository=_repository(payload),
        number=pull.number,
        target=TargetKind.PULL,
        actor=author,
        change=Change.CREATED,
        comment=comment,
    )


def _parse_review_thread(name: str, body: Mapping[str, object]) -> Event:
    payload, pull = _with_target(name, body, "pull_request")
    return _pull_changed(payload, pull, Change.REVIEWED)


def _parse_check(name: str, body: Mapping[str, object]) -> Event:
    payload = CheckedBody.model_validate(body)
    told = payload.check_run or payload.check_suite or payload.workflow_run
    commit = payload.sha if told is None else told.head_sha
    check = payload.check_run.name if payload.check_run is not None else payload.context
    return ChecksChanged(repository=payload.repository.ref, commit=commit, source=name, name=check or "")


def _parse_push(_: str, body: Mapping[str, object]) -> Event:
    payload = PushedBody.model_validate(body)
    return PushReceived(
        repository=payload.repository.ref, ref=payload.ref, commit=payload.after, actor=payload.sender.person
    )


def _parse_installation(_: str, body: Mapping[str, object]) -> Event:
    payload = InstalledBody.model_validate(body)
    return InstallationChanged(action=payload.action, account=payload.installation.account.login)


def _with_target(name: str, body: Mapping[str, object], key: str) -> tuple[Payload, TargetBody]:
    payload = Payload.model_validate(body)
    target = payload.issue if key == "issue" else payload.pull_request
    if target is None:
        raise UnreadableBody(f"An event {name} without `{key}`.")
    if payload.repository is None:
        raise UnreadableBody(f"An event {name} without `repository`.")
    return payload, target


def _repository(payload: Payload) -> RemoteRepository:
    assert payload.repository is not None, "checked with the target"
    return payload.repository.ref


def _kind(target: TargetBody) -> TargetKind:
    return TargetKind.ISSUE if target.pull_request is None else TargetKind.PULL


def _unused(name: str, action: str) -> NotUsed:
    return NotUsed(reason=IgnoreReason.UNUSED_ACTION, detail=f"{name}.{action}")


_CHANGES: Final = {change.value: change for change in Change}
_ISSUE_CHANGES: Final = frozenset(
    {
        Change.OPENED,
        Change.EDITED,
        Change.CLOSED,
        Change.REOPENED,
        Change.TRANSFERRED,
        Change.DELETED,
        Change.LOCKED,
        Change.UNLOCKED,
    }
)
_PULL_CHANGES: Final = {
    **{change.value: change for change in (Change.OPENED, Change.EDITED, Change.CLOSED, Change.REOPENED)},
    **{change.value: change for change in (Change.LOCKED, Change.UNLOCKED, Change.LABELED, Change.UNLABELED)},
    **{change.value: change for change in (Change.READY, Change.DRAFTED)},
    "synchronize": Change.SYNCHRONIZED,
    **dict.fromkeys(("review_requested", "review_request_removed"), Change.REVIEWED),
    **dict.fromkeys(("auto_merge_enabled", "auto_merge_disabled"), Change.AUTO_MERGE),
    **dict.fromkeys(("enqueued", "dequeued"), Change.QUEUED),
}
_PARSERS: Final[Mapping[str, Callable[[str, Mapping[str, object]], Event]]] = {
    "issues": _parse_issues,
    "pull_request": _parse_pull,
    "issue_comment": _parse_comment,
    "pull_request_review_comment": _parse_comment,
    "pull_request_review": _parse_review,
    "pull_request_review_thread": _parse_review_thread,
    "check_run": _parse_check,
    "check_suite": _parse_check,
    "workflow_run": _parse_check,
    "status": _parse_check,
    "push": _parse_push,
    "installation": _parse_installation,
    "installation_repositories": _parse_installation,
    "ping": lambda _name, _body: Pinged(),
}
