"""Pull requests: open, edit, close, reopen, draft, ask for reviewers."""

from collections.abc import Iterable

from caseworker.github_double import git_store
from caseworker.github_double.access import EDIT_PULL, OPEN_PULL, PUSH, READ_CODE, require
from caseworker.github_double.acts.announce import announce, author_of, note
from caseworker.github_double.acts.issue_acts import check_text, mark_closed, mark_reopened, new_issue
from caseworker.github_double.entities.accounts import Actor, User
from caseworker.github_double.entities.details import AutoMerge, Base, LastPush, MergeMethod
from caseworker.github_double.entities.repository import Head, PullRequest, Repository
from caseworker.github_double.refusals import FieldError, Unprocessable
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.pull_shapes import pull_event_json
from caseworker.github_double.state import GitHub


def create_pull(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    *,
    title: str,
    head: str,
    base: str,
    body: str | None = None,
    is_draft: bool = False,
    maintainer_can_modify: bool = True,
) -> PullRequest:
    """Opens a pull request from `branch` or `owner:branch` into `base`."""
    require(actor, repository, OPEN_PULL)
    check_text("PullRequest", title, body)
    source, branch = _head(github, repository, head)
    head_sha = git_store.branch_head(source.path, branch) if source is not None else None
    base_sha = git_store.branch_head(repository.path, base)
    if source is None or head_sha is None:
        raise _invalid("head")
    if base_sha is None:
        raise _invalid("base")
    require(actor, source, READ_CODE)
    label = f"{source.owner.login}:{branch}"
    for other in repository.pulls.values():
        if other.is_open and (other.head.repository, other.head.ref, other.base.ref) == (source, branch, base):
            raise _invalid_with(f"A pull request already exists for {label}.")
    bring_head(repository, source, head_sha)
    if git_store.merge_base(repository.path, base_sha, head_sha) is None:
        raise _invalid_with(f"The {branch} branch has no history in common with {base}")
    if git_store.is_ancestor(repository.path, head_sha, base_sha):
        raise _invalid_with(f"No commits between {base} and {branch if source is repository else label}")
    key = github.new_key("PR")
    pull = PullRequest(
        id=key.id,
        node_id=key.node_id,
        issue=new_issue(github, actor, repository, title=title, body=body),
        head=Head(repository=source, ref=branch, sha=head_sha),
        base=Base(ref=base, sha=base_sha),
        is_draft=is_draft,
        maintainer_can_modify=maintainer_can_modify,
        last_push=LastPush(by=author_of(actor), heads=(head_sha,)),
    )
    repository.pulls[pull.number] = pull
    github.nodes[key.node_id] = pull
    git_store.update_ref(repository.path, f"refs/pull/{pull.number}/head", head_sha)
    tell_pull(github, author_of(actor), pull, "opened")
    return pull


def bring_head(repository: Repository, source: Repository, sha: str) -> None:
    """Brings a fork's commits into the repository, so that they can be compared there."""
    if source is not repository:
        git_store.run_git(repository.path, "fetch", "--quiet", str(source.path), sha)


def edit_pull(
    github: GitHub,
    actor: Actor,
    pull: PullRequest,
    *,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
) -> None:
    require_author_or_triage(actor, pull)
    check_text("PullRequest", title if title is not None else pull.issue.title, body)
    changes: dict[str, object] = {}
    user = author_of(actor)
    if title is not None and title != pull.issue.title:
        changes["title"] = {"from": pull.issue.title}
        note(github, pull.issue, user, "renamed", change=(pull.issue.title, title))
        pull.issue.title = title
    if body is not None and body != pull.issue.body:
        changes["body"] = {"from": pull.issue.body or ""}
        pull.issue.body = body
        pull.issue.times.updated_at = github.now()
    if base is not None and base != pull.base.ref:
        sha = git_store.branch_head(pull.repository.path, base)
        if sha is None:
            raise _invalid("base")
        changes["base"] = {"ref": {"from": pull.base.ref}, "sha": {"from": pull.base.sha}}
        pull.base.ref, pull.base.sha = base, sha
        note(github, pull.issue, user, "base_ref_changed")
    if changes:
        tell_pull(github, user, pull, "edited", changes=changes)


def close_pull(github: GitHub, actor: Actor, pull: PullRequest) -> None:
    require_author_or_triage(actor, pull)
    if pull.is_open:
        mark_closed(github, author_of(actor), pull.issue)
        tell_pull(github, author_of(actor), pull, "closed")


def reopen_pull(github: GitHub, actor: Actor, pull: PullRequest) -> None:
    require_author_or_triage(actor, pull)
    if pull.merged is not None:
        raise _invalid_with("state cannot be changed. The pull request cannot be reopened.")
    source = pull.head.repository
    if source is None or git_store.branch_head(source.path, pull.head.ref) is None:
        raise _invalid_with(f"state cannot be changed. The {pull.head.ref} branch has been deleted.")
    if not pull.is_open:
        mark_reopened(github, author_of(actor), pull.issue)
        tell_pull(github, author_of(actor), pull, "reopened")


def set_draft(github: GitHub, actor: Actor, pull: PullRequest, *, is_draft: bool) -> None:
    require_author_or_triage(actor, pull)
    if pull.is_draft is not is_draft:
        pull.is_draft = is_draft
        action = "converted_to_draft" if is_draft else "ready_for_review"
        note(github, pull.issue, author_of(actor), "convert_to_draft" if is_draft else action)
        tell_pull(github, author_of(actor), pull, action)


def request_reviewers(github: GitHub, actor: Actor, pull: PullRequest, logins: Iterable[str]) -> None:
    require(actor, pull.repository, EDIT_PULL)
    for user in [github.user(login) for login in logins]:
        if user is pull.author:
            raise Unprocessable("Review cannot be requested from pull request author.")
        if user not in pull.requested_reviewers:
            pull.requested_reviewers.append(user)
            _tell_request(github, actor, pull, user, "review_requested")


def unrequest_reviewers(github: GitHub, actor: Actor, pull: PullRequest, logins: Iterable[str]) -> None:
    require(actor, pull.repository, EDIT_PULL)
    for user in [github.user(login) for login in logins]:
        if user in pull.requested_reviewers:
            pull.requested_reviewers.remove(user)
            _tell_request(github, actor, pull, user, "review_request_removed")


def set_auto_merge(github: GitHub, actor: Actor, pull: PullRequest, method: MergeMethod | None) -> None:
    """Switches auto-merge on or (None) off. The double never merges by itself."""
    require(actor, pull.repository, PUSH)
    user = author_of(actor)
    pull.auto_merge = None if method is None else AutoMerge(enabled_by=user, method=method, enabled_at=github.now())
    if method is None:
        tell_pull(github, user, pull, "auto_merge_disabled", reason="Auto-merge was disabled manually")
    else:
        tell_pull(github, user, pull, "auto_merge_enabled")


def tell_pull(github: GitHub, user: User, pull: PullRequest, action: str, **more: object) -> None:
    shown = pull_event_json(github, pull)
    announce(github, user, pull.repository, "pull_request", action, number=pull.number, pull_request=shown, **more)


def require_author_or_triage(actor: Actor, pull: PullRequest) -> None:
    require(actor, pull.repository, OPEN_PULL if actor.user is pull.author else EDIT_PULL)


def _tell_request(github: GitHub, actor: Actor, pull: PullRequest, user: User, action: str) -> None:
    note(github, pull.issue, author_of(actor), action, subject=user)
    tell_pull(github, author_of(actor), pull, action, requested_reviewer=user_json(github, user))


def _head(github: GitHub, repository: Repository, head: str) -> tuple[Repository | None, str]:
    owner, colon, branch = head.partition(":")
    if not colon or owner.lower() == repository.owner.login.lower():
        return repository, branch if colon else head
    forks = (one for one in github.repositories.values() if one.parent is repository)
    return next((one for one in forks if one.owner.login.lower() == owner.lower()), None), branch


def _invalid(field: str) -> Unprocessable:
    return Unprocessable("Validation Failed", FieldError(resource="PullRequest", field=field, code="invalid"))


def _invalid_with(message: str) -> Unprocessable:
    error = FieldError(resource="PullRequest", field="base", code="custom", message=message)
    return Unprocessable("Validation Failed", error)
