"""Repositories: create, fork, rename, archive; collaborators; protection, rulesets and hooks."""

from collections.abc import Iterable
from pathlib import Path

from caseworker.github_double import git_store
from caseworker.github_double.access import CHANGE_HOOKS, CHANGE_SETTINGS, READ_CODE, require
from caseworker.github_double.acts.announce import announce, author_of
from caseworker.github_double.acts.label_acts import new_label
from caseworker.github_double.entities.accounts import Actor, Role, User
from caseworker.github_double.entities.hook_records import Hook
from caseworker.github_double.entities.protection import Protection, RequiredCheck, ReviewRule, Rule, Ruleset
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.refusals import FieldError, NotFound, Unprocessable
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.state import GitHub

_DEFAULT_LABELS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
)


def create_repository(
    github: GitHub,
    owner: User,
    name: str,
    *,
    is_private: bool = False,
    default_branch: str = "main",
    description: str | None = None,
    source: Path | None = None,
) -> Repository:
    """A new repository, empty or with all branches of the git repository at `source`."""
    full_name = f"{owner.login}/{name}"
    if full_name.lower() in github.repositories:
        message = "name already exists on this account"
        raise Unprocessable(
            "Repository creation failed.",
            FieldError(resource="Repository", field="name", code="custom", message=message),
        )
    repository = _record(github, owner, name, default_branch=default_branch)
    repository.is_private, repository.description = is_private, description
    git_store.create_bare(repository.path, default_branch)
    if source is not None:
        git_store.run_git(repository.path, "fetch", "--quiet", str(source), "+refs/heads/*:refs/heads/*")
    for label, color, meaning in _DEFAULT_LABELS:
        new_label(github, repository, name=label, color=color, description=meaning).is_default = True
    return repository


def fork_repository(github: GitHub, actor: Actor, parent: Repository, *, name: str | None = None) -> Repository:
    """A copy under the actor's account."""
    require(actor, parent, READ_CODE)
    owner = author_of(actor)
    existing = github.repositories.get(f"{owner.login}/{name or parent.name}".lower())
    if existing is not None and existing.parent is parent:
        return existing
    fork = create_repository(
        github,
        owner,
        name or parent.name,
        is_private=parent.is_private,
        default_branch=parent.default_branch,
        source=parent.path,
    )
    fork.parent = parent
    return fork


def rename_repository(github: GitHub, actor: Actor, repository: Repository, name: str) -> None:
    """The old name leads to the new place."""
    require(actor, repository, CHANGE_SETTINGS)
    old = repository.full_name.lower()
    before = repository.name
    del github.repositories[old]
    repository.name = name
    github.repositories[repository.full_name.lower()] = repository
    github.moved[old] = repository
    changes = {"repository": {"name": {"from": before}}}
    announce(github, author_of(actor), repository, "repository", "renamed", changes=changes)


def add_collaborator(github: GitHub, repository: Repository, user: User, role: Role) -> None:
    repository.collaborators[user.login] = role
    shown = user_json(github, user)
    announce(github, repository.owner, repository, "member", "added", member=shown)


def remove_collaborator(github: GitHub, repository: Repository, user: User) -> None:
    repository.collaborators.pop(user.login, None)
    announce(github, repository.owner, repository, "member", "removed", member=user_json(github, user))


def protect(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    pattern: str,
    *,
    checks: Iterable[str | RequiredCheck] | None = None,
    reviews: ReviewRule | None = None,
    is_strict: bool = False,
) -> Protection:
    """Sets classic protection of a branch or pattern; further fields can be set on what it returns."""
    require(actor, repository, CHANGE_SETTINGS)
    key = github.new_key("BPR")
    wanted = None if checks is None else tuple(_check(one) for one in checks)
    protection = Protection(
        id=key.id, node_id=key.node_id, pattern=pattern, checks=wanted, reviews=reviews, is_strict=is_strict
    )
    repository.records.protections[pattern] = protection
    github.nodes[key.node_id] = protection
    return protection


def unprotect(actor: Actor, repository: Repository, pattern: str) -> None:
    require(actor, repository, CHANGE_SETTINGS)
    if repository.records.protections.pop(pattern, None) is None:
        raise NotFound("Branch not protected")


def add_ruleset(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    name: str,
    rules: Iterable[Rule],
    *,
    include: tuple[str, ...] = ("~DEFAULT_BRANCH",),
) -> Ruleset:
    require(actor, repository, CHANGE_SETTINGS)
    key = github.new_key("RRS")
    ruleset = Ruleset(id=key.id, node_id=key.node_id, name=name, rules=list(rules), include=include)
    repository.records.rulesets.append(ruleset)
    github.nodes[key.node_id] = ruleset
    return ruleset


def create_hook(
    github: GitHub, actor: Actor, repository: Repository, *, url: str, secret: str | None, events: Iterable[str]
) -> Hook:
    require(actor, repository, CHANGE_HOOKS)
    if not url.startswith(("http://", "https://")):
        raise Unprocessable("Validation Failed", FieldError(resource="Hook", field="url", code="invalid"))
    hook = new_hook(github, url=url, secret=secret, events=events, is_of_app=False)
    repository.records.hooks.append(hook)
    return hook


def new_hook(github: GitHub, *, url: str, secret: str | None, events: Iterable[str], is_of_app: bool) -> Hook:
    now = github.now()
    return Hook(
        id=github.new_key("H").id,
        url=url,
        secret=secret,
        events=list(events),
        is_active=True,
        is_of_app=is_of_app,
        created_at=now,
        updated_at=now,
    )


def _check(one: str | RequiredCheck) -> RequiredCheck:
    return one if isinstance(one, RequiredCheck) else RequiredCheck(context=one)


def _record(github: GitHub, owner: User, name: str, *, default_branch: str) -> Repository:
    key, now = github.new_key("R"), github.now()
    repository = Repository(
        id=key.id,
        node_id=key.node_id,
        owner=owner,
        name=name,
        path=github.root / str(key.id),
        default_branch=default_branch,
        created_at=now,
        pushed_at=now,
    )
    github.repositories[repository.full_name.lower()] = repository
    github.nodes[key.node_id] = repository
    return repository
