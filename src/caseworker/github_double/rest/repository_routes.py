"""Repositories, collaborators, and search."""

import re

from caseworker.github_double.access import CHANGE_SETTINGS, READ_CODE, SEE, may, role_of
from caseworker.github_double.acts.announce import author_of
from caseworker.github_double.acts.repository_acts import (
    create_repository,
    fork_repository,
    rename_repository,
)
from caseworker.github_double.entities.accounts import Role
from caseworker.github_double.entities.repository import Issue, Repository
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import NotFound, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.issue_shapes import issue_json
from caseworker.github_double.shapes.repository_shapes import full_repository_json, permission_flags

_ROLE_NAMES = {
    Role.NONE: ("none", "none"),
    Role.READ: ("read", "read"),
    Role.TRIAGE: ("read", "triage"),
    Role.WRITE: ("write", "write"),
    Role.MAINTAIN: ("write", "maintain"),
    Role.ADMIN: ("admin", "admin"),
}
"""The old name (`permission`) and the exact one (`role_name`)."""


def get_repository(call: Call) -> Answer:
    return _full(call, call.repository(SEE))


def get_repository_by_id(call: Call) -> Answer:
    found = call.github.repository_by_id(call.number("id"))
    if not may(call.actor, found, SEE):
        raise NotFound
    return _full(call, found)


def patch_repository(call: Call) -> Answer:
    repository, fields = call.repository(CHANGE_SETTINGS), call.fields
    name = fields.text("name")
    if name is not None and name != repository.name:
        rename_repository(call.github, call.actor, repository, name)
    if fields.has("description"):
        repository.description = fields.text("description")
    repository.default_branch = fields.text("default_branch") or repository.default_branch
    repository.is_private = fields.flag("private", default=repository.is_private)
    repository.is_archived = fields.flag("archived", default=repository.is_archived)
    return _full(call, repository)


def post_repository(call: Call) -> Answer:
    user = author_of(call.actor)
    made = create_repository(
        call.github,
        user,
        call.fields.text("name") or "",
        is_private=call.fields.flag("private"),
        description=call.fields.text("description"),
    )
    return Answer(full_repository_json(call.github, made, user), 201)


def post_fork(call: Call) -> Answer:
    fork = fork_repository(call.github, call.actor, call.repository(READ_CODE), name=call.fields.text("name"))
    return Answer(full_repository_json(call.github, fork, call.actor.user), 202)


def get_permission(call: Call) -> Answer:
    """The role of somebody, which Apps ask before they obey."""
    repository = call.repository(SEE)
    user = call.github.user(call.part("login"))
    role = role_of(user, repository)
    permission, name = _ROLE_NAMES[role]
    shown = {**user_json(call.github, user), "permissions": permission_flags(role), "role_name": name}
    return Answer({"permission": permission, "role_name": name, "user": shown})


def get_collaborator(call: Call) -> Answer:
    repository = call.repository(SEE)
    login = call.part("login")
    if login not in repository.collaborators and login != repository.owner.login:
        raise NotFound
    return Answer(None, 204)


def list_collaborators(call: Call) -> Answer:
    repository = call.repository(SEE)
    people = [repository.owner, *(call.github.user(login) for login in repository.collaborators)]

    def shape(user_index: int) -> object:
        user = people[user_index]
        role = role_of(user, repository)
        flags = {"permissions": permission_flags(role), "role_name": _ROLE_NAMES[role][1]}
        return {**user_json(call.github, user), **flags}

    return call.page(range(len(people)), shape)


def search_issues(call: Call) -> Answer:
    """A small part of GitHub's search: repo, is, state, author, label, and words in title or body."""
    text = call.query("q")
    if not text.strip():
        raise Unprocessable("Validation Failed")
    terms = re.findall(r'-?\w+:"[^"]+"|\S+', text)
    found = [
        issue
        for repository in call.github.repositories.values()
        if may(call.actor, repository, SEE)
        for issue in repository.issues.values()
        if all(_fits(issue, term) for term in terms)
    ]
    found.sort(key=lambda issue: issue.id, reverse=True)
    return call.counted_page(
        "items",
        found,
        lambda issue: {**issue_json(call.github, issue), "score": 1.0},
        incomplete_results=False,
        search_type="lexical",
    )


def _fits(issue: Issue, term: str) -> bool:
    name, colon, value = term.partition(":")
    value = value.strip('"')
    if not colon:
        return term.lower() in f"{issue.title} {issue.body or ''}".lower()
    labels = [label.name.lower() for label in issue.labels]
    pull = issue.repository.pulls.get(issue.number)
    checks = {
        "repo": issue.repository.full_name.lower() == value.lower(),
        "state": issue.state == value,
        "author": issue.author.login.lower() in (value.lower(), f"{value.lower().removeprefix('app/')}[bot]"),
        "label": value.lower() in labels,
        "head": pull is not None and pull.head.ref == value,
        "is": value in ("pr" if pull else "issue", issue.state, *(["merged"] if pull and pull.merged else [])),
        "type": value == ("pr" if pull else "issue"),
    }
    return checks.get(name, True)


def _full(call: Call, repository: Repository) -> Answer:
    return Answer(full_repository_json(call.github, repository, call.actor.user))


ROUTES = (
    RestRoute("GET", "/repos/{owner}/{repo}", get_repository),
    RestRoute("PATCH", "/repos/{owner}/{repo}", patch_repository),
    RestRoute("GET", "/repositories/{id:int}", get_repository_by_id),
    RestRoute("POST", "/user/repos", post_repository),
    RestRoute("POST", "/repos/{owner}/{repo}/forks", post_fork),
    RestRoute("GET", "/repos/{owner}/{repo}/collaborators", list_collaborators),
    RestRoute("GET", "/repos/{owner}/{repo}/collaborators/{login}", get_collaborator),
    RestRoute("GET", "/repos/{owner}/{repo}/collaborators/{login}/permission", get_permission),
    RestRoute("GET", "/search/issues", search_issues),
)
