"""Pushes: what the rules say of one, and what follows when it was received."""

from dataclasses import dataclass, replace
from typing import Literal

from caseworker.github_double import git_store
from caseworker.github_double.access import PUSH, covers, may, require, role_of
from caseworker.github_double.acts.announce import announce, author_of, note
from caseworker.github_double.acts.issue_acts import mark_closed
from caseworker.github_double.acts.pull_acts import bring_head, tell_pull
from caseworker.github_double.acts.review_acts import dismiss_stale, move_threads
from caseworker.github_double.derive.effective_rules import rules_of
from caseworker.github_double.derive.reviewable import changes_diff
from caseworker.github_double.entities.accounts import Actor, Role, User
from caseworker.github_double.entities.details import LastPush, Merged
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.git_store import NO_COMMIT
from caseworker.github_double.refusals import Conflict, FieldError, NotFound, Unprocessable
from caseworker.github_double.shapes.commit_shapes import account_of, simple_commit_json
from caseworker.github_double.shapes.repository_shapes import repository_page
from caseworker.github_double.state import GitHub, Json

_MOST_COMMITS_TOLD = 20


@dataclass(frozen=True, kw_only=True)
class RefChange:
    """One line of a push. `NO_COMMIT` stands for "there is none"."""

    ref: str
    old: str
    new: str

    @property
    def branch(self) -> str | None:
        return self.ref.removeprefix("refs/heads/") if self.ref.startswith("refs/heads/") else None


@dataclass(frozen=True, kw_only=True)
class PushRule:
    """Why a ref may not be changed: always, or only if the push is not a fast-forward."""

    ref: str
    when: Literal["always", "forced"]
    message: str


def may_push(actor: Actor, repository: Repository) -> bool:
    """Also a maintainer of the upstream repository, to a fork whose open pull request lets them."""
    if may(actor, repository, PUSH):
        return True
    upstream = repository.parent
    return upstream is not None and any(
        pull.is_open and pull.head.repository is repository and pull.maintainer_can_modify
        for pull in upstream.pulls.values()
        if may(actor, upstream, PUSH)
    )


def may_push_workflows(actor: Actor, repository: Repository) -> bool:
    """Whether the token may change files under .github/workflows."""
    token = actor.token
    if token is None:
        return True
    if token.kind == "classic":
        return "workflow" in token.scopes
    return covers(actor, repository) and token.permissions.get("workflows") in ("write", "admin")


def push_rules(actor: Actor, repository: Repository, change: RefChange) -> list[PushRule]:
    """The rules that this push may break. Nothing is checked about the right to push at all."""
    if change.branch is None:
        hidden = change.ref.startswith("refs/pull/")
        return [PushRule(ref=change.ref, when="always", message="deny updating a hidden ref")] if hidden else []
    rules = rules_of(repository, change.branch)
    user = author_of(actor)
    is_admin = actor.installation is None and role_of(user, repository) is Role.ADMIN
    if user.login in rules.bypass_logins or (is_admin and not rules.binds_admins):
        return []
    always: list[str] = []
    if change.new == NO_COMMIT:
        always += ["Cannot delete this branch"] if rules.forbids_deletion else []
    elif change.old != NO_COMMIT:
        always += ["Changes must be made through a pull request."] if rules.needs_pull else []
        always += [f'Required status check "{one.context}" is expected.' for one in rules.checks]
        always += ["Cannot change this locked branch"] if rules.is_locked else []
    if rules.push_logins is not None and user.login not in rules.push_logins:
        always.append("You're not authorized to push to this branch.")
    found = [PushRule(ref=change.ref, when="always", message=message) for message in always]
    if rules.forbids_force_pushes and change.new != NO_COMMIT:
        found.append(PushRule(ref=change.ref, when="forced", message="Cannot force-push to this branch"))
    return found


def set_ref(
    github: GitHub, actor: Actor, repository: Repository, ref: str, sha: str | None, *, force: bool = False
) -> None:
    """Creates, moves or (None) deletes a ref by the API; the same rules as for a push."""
    require(actor, repository, PUSH)
    old = git_store.refs(repository.path).get(ref)
    if old is None and sha is None:
        raise Unprocessable("Reference does not exist")
    if sha is not None and git_store.resolve(repository.path, sha) is None:
        raise Unprocessable("Object does not exist")
    is_forced = old is not None and sha is not None and not git_store.is_ancestor(repository.path, old, sha)
    if is_forced and not force:
        raise Unprocessable("Update is not a fast forward")
    change = RefChange(ref=ref, old=old or NO_COMMIT, new=sha or NO_COMMIT)
    for rule in push_rules(actor, repository, change):
        if rule.when == "always" or is_forced:
            raise Unprocessable(rule.message)
    git_store.update_ref(repository.path, ref, sha)
    receive(github, actor, repository, change)


def receive(github: GitHub, actor: Actor, repository: Repository, change: RefChange) -> None:
    """Everything that follows from a ref that has moved: events, pull requests, threads, approvals."""
    user = author_of(actor)
    repository.pushed_at = github.now()
    _tell_push(github, user, repository, change)
    if change.branch is None:
        return
    for owner in list(github.repositories.values()):
        for pull in list(owner.pulls.values()):
            if pull.is_open and pull.head.repository is repository and pull.head.ref == change.branch:
                _head_moved(github, user, pull, change)
            elif pull.is_open and owner is repository and pull.base.ref == change.branch:
                _base_moved(github, user, pull, change)


def _head_moved(github: GitHub, user: User, pull: PullRequest, change: RefChange) -> None:
    if change.new == NO_COMMIT:
        note(github, pull.issue, user, "head_ref_deleted")
        mark_closed(github, user, pull.issue)
        tell_pull(github, user, pull, "closed")
        return
    source, upstream = pull.head.repository, pull.repository
    assert source is not None
    bring_head(upstream, source, change.new)
    before, pull.head.sha = pull.head.sha, change.new
    git_store.update_ref(upstream.path, f"refs/pull/{pull.number}/head", change.new)
    pull.base.sha = git_store.branch_head(upstream.path, pull.base.ref) or pull.base.sha
    pull.issue.times.updated_at = github.now()
    if not git_store.is_ancestor(upstream.path, before, change.new):
        note(github, pull.issue, user, "head_ref_force_pushed", commit=change.new, change=(before, change.new))
    move_threads(pull, before)
    tell_pull(github, user, pull, "synchronize", before=before, after=change.new)
    if changes_diff(pull, before) or pull.last_push is None:
        pull.last_push = LastPush(by=user, heads=(change.new,))
        dismiss_stale(github, user, pull)
    else:
        pull.last_push = replace(pull.last_push, heads=(*pull.last_push.heads, change.new))


def _base_moved(github: GitHub, user: User, pull: PullRequest, change: RefChange) -> None:
    """A base that now contains the head has merged it, whoever pushed it."""
    if change.new != NO_COMMIT and git_store.is_ancestor(pull.repository.path, pull.head.sha, change.new):
        pull.merged = Merged(at=github.now(), by=user, commit=change.new)
        note(github, pull.issue, user, "merged", commit=change.new)
        mark_closed(github, user, pull.issue)
        tell_pull(github, user, pull, "closed")


def _tell_push(github: GitHub, user: User, repository: Repository, change: RefChange) -> None:
    created, deleted = change.old == NO_COMMIT, change.new == NO_COMMIT
    name = change.ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    kind = "branch" if change.branch is not None else "tag"
    described = {"ref": name, "ref_type": kind, "pusher_type": "user"}
    page = repository_page(github, repository)
    commits = [] if deleted else _new_commits(github, repository, change)
    forced = not created and not deleted and not git_store.is_ancestor(repository.path, change.old, change.new)
    announce(
        github,
        user,
        repository,
        "push",
        ref=change.ref,
        before=change.old,
        after=change.new,
        pusher={"name": user.login, "email": git_store.email_of(user)},
        created=created,
        deleted=deleted,
        forced=forced,
        base_ref=None,
        compare=f"{page}/compare/{change.old[:12]}...{change.new[:12]}",
        commits=commits,
        head_commit=None if deleted else _commit_in_push(github, repository, change.new),
    )
    if created:
        more = {"master_branch": repository.default_branch, "description": repository.description}
        announce(github, user, repository, "create", **described, **more)
    if deleted:
        announce(github, user, repository, "delete", **described)


def _new_commits(github: GitHub, repository: Repository, change: RefChange) -> list[Json]:
    if change.old == NO_COMMIT:
        default = git_store.branch_head(repository.path, repository.default_branch)
        span = [change.new, "--not", default] if default and default != change.new else [change.new, "--max-count=1"]
    else:
        span = [f"{change.old}..{change.new}"]
    listed = git_store.log(repository.path, "--reverse", *span)
    return [_commit_in_push(github, repository, one.sha) for one in listed[-_MOST_COMMITS_TOLD:]]


def _commit_in_push(github: GitHub, repository: Repository, sha: str) -> Json:
    body = simple_commit_json(repository, sha)
    commit = git_store.commit(repository.path, sha)
    people = {
        "author": (commit.author_name, commit.author_email),
        "committer": (commit.committer_name, commit.committer_email),
    }
    for role, (name, email) in people.items():
        account = account_of(github, email)
        body[role] = {"name": name, "email": email, **({"username": account.login} if account else {})}
    names = git_store.ask_git(repository.path, "diff-tree", "-r", "--root", "--no-commit-id", "--name-status", sha)
    changed = [line.split("\t", 1) for line in names.splitlines()]
    return {
        **body,
        "distinct": True,
        "url": f"{repository_page(github, repository)}/commit/{sha}",
        "added": [name for letter, name in changed if letter == "A"],
        "removed": [name for letter, name in changed if letter == "D"],
        "modified": [name for letter, name in changed if letter not in "AD"],
    }


def write_file(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    path: str,
    content: bytes,
    *,
    message: str,
    branch: str | None = None,
    blob: str | None = None,
) -> str:
    """Commits one file to a branch, as `PUT /contents/{path}`; returns the commit. `blob` is what it replaces."""
    require(actor, repository, PUSH)
    name = branch or repository.default_branch
    head = git_store.branch_head(repository.path, name)
    if head is None and git_store.branches(repository.path):
        raise NotFound(f"Branch {name} not found")
    before = git_store.run_git(repository.path, "rev-parse", "--verify", "--quiet", f"{head}:{path}", ok=(0, 1, 128))
    if before and blob != before:
        if blob is None:
            error = FieldError(resource="Content", field="sha", code="missing_field")
            raise Unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.', error)
        raise Conflict(f"{path} does not match {blob}")
    commit = git_store.commit_file(repository.path, head, path, content, message=message, author=author_of(actor))
    set_ref(github, actor, repository, f"refs/heads/{name}", commit)
    return commit
