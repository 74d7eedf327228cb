"""Repositories in GraphQL, and what is asked for at the top of a query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from caseworker.github_double import git_store
from caseworker.github_double.access import CHANGE_SETTINGS, PUSH, READ_CODE, may, require, role_of, sees
from caseworker.github_double.entities.accounts import Role, User
from caseworker.github_double.entities.repository import Issue, PullRequest, Repository
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.commit_fields import find_ref, pull_state
from caseworker.github_double.graphql.issue_fields import as_node, label_page
from caseworker.github_double.graphql.node_views import CommitView, RefView
from caseworker.github_double.graphql.pages import Page, page
from caseworker.github_double.moments import wire_time
from caseworker.github_double.refusals import NotFound
from caseworker.github_double.shapes.repository_shapes import repository_page


def _viewer_permission(repository: Repository, ask: Ask) -> str | None:
    if ask.actor.user is None:
        return None
    if ask.actor.installation is not None:
        return "WRITE" if may(ask.actor, repository, PUSH) else "READ"
    role = role_of(ask.actor.user, repository)
    return None if role is Role.NONE else role.name


def _sorted(found: Sequence[Issue], ask: Ask) -> list[Issue]:
    order = ask.part("orderBy")
    field, down = order.text_or_none("field"), order.text_or_none("direction") == "DESC"
    if field == "UPDATED_AT":
        return sorted(found, key=lambda issue: issue.times.updated_at, reverse=down)
    if field == "COMMENTS":
        return sorted(found, key=lambda issue: len(issue.comments), reverse=down)
    return sorted(found, key=lambda issue: issue.number, reverse=down)


def _has_labels(issue: Issue, names: Sequence[str] | None) -> bool:
    return names is None or bool({one.lower() for one in names} & {label.name.lower() for label in issue.labels})


def _issues(repository: Repository, ask: Ask) -> Page:
    states, narrow = ask.texts("states") or ask.part("filterBy").texts("states"), ask.part("filterBy")
    labels = ask.texts("labels") or narrow.texts("labels")
    author, assignee, since = (narrow.text_or_none(name) for name in ("createdBy", "assignee", "since"))
    found = [
        issue
        for issue in repository.issues.values()
        if not issue.is_pull
        and (states is None or issue.state.upper() in states)
        and _has_labels(issue, labels)
        and author in (None, issue.author.login)
        and (assignee is None or assignee in [one.login for one in issue.assignees])
        and (since is None or issue.times.updated_at >= datetime.fromisoformat(since))
    ]
    return page(ask, _sorted(found, ask))


def _pulls(repository: Repository, ask: Ask) -> Page:
    states, labels = ask.texts("states"), ask.texts("labels")
    head, base = ask.text_or_none("headRefName"), ask.text_or_none("baseRefName")
    found = [
        pull.issue
        for pull in repository.pulls.values()
        if (states is None or pull_state(pull) in states)
        and _has_labels(pull.issue, labels)
        and head in (None, pull.head.ref)
        and base in (None, pull.base.ref)
    ]
    return page(ask, [as_node(issue) for issue in _sorted(found, ask)])


def _issue(repository: Repository, ask: Ask) -> Issue:
    found = repository.issues.get(ask.number("number"))
    if found is None or found.is_pull:
        raise NotFound(f"Could not resolve to an Issue with the number of {ask.number('number')}.")
    return found


def _pull(repository: Repository, ask: Ask) -> PullRequest:
    found = repository.pulls.get(ask.number("number"))
    if found is None:
        raise NotFound(f"Could not resolve to a PullRequest with the number of {ask.number('number')}.")
    return found


def _issue_or_pull(repository: Repository, ask: Ask) -> Issue | PullRequest:
    found = repository.issues.get(ask.number("number"))
    if found is None:
        raise NotFound(f"Could not resolve to an issue or pull request with the number of {ask.number('number')}.")
    return as_node(found)


def _refs(repository: Repository, ask: Ask) -> Page:
    require(ask.actor, repository, READ_CODE)
    if ask.text("refPrefix").rstrip("/") != "refs/heads":
        return page(ask, [])
    sought = ask.text_or_none("query") or ""
    found = git_store.branches(repository.path)
    return page(
        ask, [RefView(repository=repository, name=name, sha=sha) for name, sha in found.items() if sought in name]
    )


def _object(repository: Repository, ask: Ask) -> CommitView | None:
    require(ask.actor, repository, READ_CODE)
    named = ask.text_or_none("oid") or ask.text_or_none("expression") or ""
    sha = git_store.resolve(repository.path, named)
    return None if sha is None else CommitView(repository=repository, sha=sha)


def _people(repository: Repository, ask: Ask) -> list[User]:
    """The owner and those with a role that lets them be assigned."""
    named = [ask.github.user(login) for login, role in repository.collaborators.items() if role >= Role.TRIAGE]
    owner = [repository.owner] if repository.owner.kind == "User" else []
    sought = (ask.text_or_none("query") or ask.text_or_none("loginNames") or "").lower()
    return [one for one in dict.fromkeys([*owner, *named]) if sought in one.login.lower()]


def _forks(repository: Repository, ask: Ask) -> Page:
    found = [one for one in ask.github.repositories.values() if one.parent is repository and sees(ask.actor, one)]
    return page(ask, found)


def _label(repository: Repository, ask: Ask) -> object:
    return repository.labels.get(ask.text("name").lower())


REPOSITORY: Final[Fields[Repository]] = {
    "id": lambda one, _: one.node_id,
    "databaseId": lambda one, _: one.id,
    "name": lambda one, _: one.name,
    "nameWithOwner": lambda one, _: one.full_name,
    "owner": lambda one, _: one.owner,
    "description": lambda one, _: one.description,
    "url": lambda one, ask: repository_page(ask.github, one),
    "sshUrl": lambda one, _: f"git@github.com:{one.full_name}.git",
    "homepageUrl": lambda _, __: None,
    "createdAt": lambda one, _: wire_time(one.created_at),
    "updatedAt": lambda one, _: wire_time(one.pushed_at),
    "pushedAt": lambda one, _: wire_time(one.pushed_at),
    "isPrivate": lambda one, _: one.is_private,
    "visibility": lambda one, _: "PRIVATE" if one.is_private else "PUBLIC",
    "isFork": lambda one, _: one.parent is not None,
    "parent": lambda one, ask: one.parent if one.parent is not None and sees(ask.actor, one.parent) else None,
    "isArchived": lambda one, _: one.is_archived,
    "archivedAt": lambda _, __: None,
    "isEmpty": lambda one, _: not git_store.branches(one.path),
    "isTemplate": lambda _, __: False,
    "isLocked": lambda _, __: False,
    "isInOrganization": lambda one, _: one.owner.kind == "Organization",
    "hasIssuesEnabled": lambda _, __: True,
    "hasProjectsEnabled": lambda _, __: False,
    "hasWikiEnabled": lambda _, __: False,
    "hasDiscussionsEnabled": lambda _, __: False,
    "isBlankIssuesEnabled": lambda _, __: True,
    "isSecurityPolicyEnabled": lambda _, __: False,
    "mergeCommitAllowed": lambda _, __: True,
    "squashMergeAllowed": lambda _, __: True,
    "rebaseMergeAllowed": lambda _, __: True,
    "autoMergeAllowed": lambda _, __: True,
    "deleteBranchOnMerge": lambda _, __: False,
    "viewerDefaultMergeMethod": lambda _, __: "MERGE",
    "viewerDefaultCommitEmail": lambda one, ask: ask.actor.user.email if ask.actor.user else None,
    "viewerPossibleCommitEmails": lambda _, __: [],
    "viewerPermission": _viewer_permission,
    "viewerCanAdminister": lambda one, ask: may(ask.actor, one, CHANGE_SETTINGS),
    "viewerHasStarred": lambda _, __: False,
    "viewerSubscription": lambda _, __: "UNSUBSCRIBED",
    "stargazerCount": lambda _, __: 0,
    "forkCount": lambda one, ask: sum(other.parent is one for other in ask.github.repositories.values()),
    "watchers": lambda _, ask: page(ask, []),
    "defaultBranchRef": lambda one, _: find_ref(one, one.default_branch),
    "ref": lambda one, ask: find_ref(one, ask.text("qualifiedName")),
    "refs": _refs,
    "object": _object,
    "issue": _issue,
    "issues": _issues,
    "pullRequest": _pull,
    "pullRequests": _pulls,
    "issueOrPullRequest": _issue_or_pull,
    "label": _label,
    "labels": lambda one, ask: label_page(list(one.labels.values()), ask),
    "assignableUsers": lambda one, ask: page(ask, _people(one, ask)),
    "suggestedActors": lambda one, ask: page(ask, _people(one, ask)),
    "mentionableUsers": lambda one, ask: page(ask, _people(one, ask)),
    "forks": _forks,
    "milestones": lambda _, ask: page(ask, []),
    "projectsV2": lambda _, ask: page(ask, []),
    "projects": lambda _, ask: page(ask, []),
    "issueTemplates": lambda _, __: [],
    "issueTypes": lambda _, ask: page(ask, []),
    "pullRequestTemplates": lambda _, __: [],
    "languages": lambda _, ask: page(ask, []),
    "repositoryTopics": lambda _, ask: page(ask, []),
    "primaryLanguage": lambda _, __: None,
    "licenseInfo": lambda _, __: None,
    "codeOfConduct": lambda _, __: None,
    "contactLinks": lambda _, __: [],
    "fundingLinks": lambda _, __: [],
    "latestRelease": lambda _, __: None,
    "mergeQueue": lambda _, __: None,
    "templateRepository": lambda _, __: None,
    "usesCustomOpenGraphImage": lambda _, __: False,
    "openGraphImageUrl": lambda one, ask: repository_page(ask.github, one),
    "diskUsage": lambda _, __: 1,
}
