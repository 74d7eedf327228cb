"""Merging, and bringing a branch up to date with its base."""

from caseworker.github_double import git_store
from caseworker.github_double.access import PUSH, require, role_of
from caseworker.github_double.acts.announce import announce, author_of, note
from caseworker.github_double.acts.issue_acts import mark_closed
from caseworker.github_double.acts.pull_acts import tell_pull
from caseworker.github_double.acts.push_acts import RefChange, may_push, receive
from caseworker.github_double.derive.closing_words import closing_issues
from caseworker.github_double.derive.effective_rules import rules_of
from caseworker.github_double.derive.merge_state import base_sha, blockers, is_behind
from caseworker.github_double.entities.accounts import Actor, Role, User
from caseworker.github_double.entities.details import Merged, MergeMethod
from caseworker.github_double.entities.repository import PullRequest
from caseworker.github_double.refusals import Conflict, FieldError, Forbidden, MethodNotAllowed, Unprocessable
from caseworker.github_double.shapes.issue_shapes import issue_json
from caseworker.github_double.state import GitHub


def merge_pull(
    github: GitHub,
    actor: Actor,
    pull: PullRequest,
    *,
    method: MergeMethod = "merge",
    expected_head: str | None = None,
    title: str | None = None,
) -> str:
    """Merges as GitHub does, closes the issues that it closes, and returns the new commit of the base."""
    repository, user = pull.repository, author_of(actor)
    require(actor, repository, PUSH)
    _check_mergeable(actor, pull, expected_head)
    base = base_sha(pull)
    tree = git_store.trial_merge(repository.path, base, pull.head.sha) if base else None
    if base is None or tree is None:
        raise MethodNotAllowed("Pull Request is not mergeable")
    source = pull.head.repository.owner.login if pull.head.repository else "unknown"
    usual = f"Merge pull request #{pull.number} from {source}/{pull.head.ref}\n\n{pull.issue.title}"
    squashed = f"{pull.issue.title} (#{pull.number})\n\n{pull.issue.body or ''}".strip()
    parents: tuple[str, ...]
    if method == "merge":
        parents, message = (base, pull.head.sha), title or usual
    else:  # a rebase of several commits is told as one: nobody here looks at them one by one
        parents, message = (base,), title or squashed
    commit = git_store.commit_tree(repository.path, tree, parents, message, user)
    pull.base.sha = base
    pull.merged = Merged(at=github.now(), by=user, commit=commit)
    pull.auto_merge = pull.queue_entry = None
    closes = closing_issues(pull)
    note(github, pull.issue, user, "merged", commit=commit)
    mark_closed(github, user, pull.issue)
    git_store.update_ref(repository.path, f"refs/heads/{pull.base.ref}", commit)
    tell_pull(github, user, pull, "closed")
    receive(github, actor, repository, RefChange(ref=f"refs/heads/{pull.base.ref}", old=base, new=commit))
    for number in closes:
        _close_issue(github, user, pull, number, commit)
    return commit


def update_branch(github: GitHub, actor: Actor, pull: PullRequest, *, expected_head: str | None = None) -> str:
    """Merges the base into the head branch, as the "Update branch" button does; returns the new head."""
    source = pull.head.repository
    if source is None or not may_push(actor, source):
        raise Forbidden("You don't have permission to update the head branch.", accepted=PUSH.accepted)
    if expected_head is not None and expected_head != pull.head.sha:
        error = FieldError(
            resource="PullRequest", field="head", code="custom", message="expected head sha didn’t match"
        )
        raise Unprocessable("Validation Failed", error)
    base = base_sha(pull)
    if base is None or not is_behind(pull):
        raise Unprocessable("There are no new commits on the base branch.")
    path = pull.repository.path
    tree = git_store.trial_merge(path, pull.head.sha, base)
    if tree is None:
        raise Unprocessable("merge conflict between base and head")
    message = f"Merge branch '{pull.base.ref}' into {pull.head.ref}"
    commit = git_store.commit_tree(path, tree, (pull.head.sha, base), message, author_of(actor))
    if source is not pull.repository:
        git_store.update_ref(path, f"refs/pull/{pull.number}/update", commit)
        git_store.run_git(source.path, "fetch", "--quiet", str(path), f"refs/pull/{pull.number}/update")
    change = RefChange(ref=f"refs/heads/{pull.head.ref}", old=pull.head.sha, new=commit)
    git_store.update_ref(source.path, change.ref, commit)
    receive(github, actor, source, change)
    return commit


def _check_mergeable(actor: Actor, pull: PullRequest, expected_head: str | None) -> None:
    if pull.merged is not None or not pull.is_open:
        raise MethodNotAllowed("Pull Request is not mergeable")
    if expected_head is not None and expected_head != pull.head.sha:
        raise Conflict("Head branch was modified. Review and try the merge again.")
    if pull.is_draft:
        raise MethodNotAllowed("Pull Request is still a draft")
    rules = rules_of(pull.repository, pull.base.ref)
    is_admin = actor.installation is None and role_of(actor.user, pull.repository) is Role.ADMIN
    if is_admin and not rules.binds_admins:
        return
    unmet = blockers(pull)
    if rules.uses_queue:
        unmet.append("Changes must be made through the merge queue.")
    if rules.is_strict and is_behind(pull):
        unmet.append("This branch must be up to date with the base branch before merging.")
    if unmet:
        raise MethodNotAllowed(" ".join(unmet))


def _close_issue(github: GitHub, user: User, pull: PullRequest, number: int, commit: str) -> None:
    issue = pull.repository.issues[number]
    if issue.state == "open":
        mark_closed(github, user, issue, commit=commit)
        issue.state_reason = "completed"
        announce(github, user, pull.repository, "issues", "closed", issue=issue_json(github, issue))
