"""GitHub's search language for issues and pull requests: the qualifiers that clients send."""

import shlex
from dataclasses import dataclass, field

from caseworker.github_double.access import sees
from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.repository import Issue
from caseworker.github_double.refusals import Unprocessable
from caseworker.github_double.state import GitHub


@dataclass(kw_only=True)
class _Wanted:
    words: list[str] = field(default_factory=list)
    qualifiers: list[tuple[str, str, bool]] = field(default_factory=list)
    """Name, value, and whether it is negated."""


def find_issues(github: GitHub, actor: Actor, text: str) -> list[Issue]:
    """Issues and pull requests that fit, newest first."""
    wanted = _parse(text)
    every = [issue for one in github.repositories.values() if sees(actor, one) for issue in one.issues.values()]
    found = [issue for issue in every if _fits(issue, wanted, actor)]
    return sorted(found, key=lambda issue: issue.id, reverse=True)


def _parse(text: str) -> _Wanted:
    wanted = _Wanted()
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise Unprocessable(f"The search is not readable: {error}") from error
    for part in parts:
        name, colon, value = part.partition(":")
        if colon and name.lstrip("-").isalpha():
            wanted.qualifiers.append((name.lstrip("-").lower(), value, name.startswith("-")))
        else:
            wanted.words.append(part.lower())
    return wanted


def _fits(issue: Issue, wanted: _Wanted, actor: Actor) -> bool:
    text = f"{issue.title}\n{issue.body or ''}".lower()
    return all(word in text for word in wanted.words) and all(
        _has(issue, name, value, actor) is not negated for name, value, negated in wanted.qualifiers
    )


def _has(issue: Issue, name: str, value: str, actor: Actor) -> bool:
    pull = issue.repository.pulls.get(issue.number)
    login = actor.name if value == "@me" else value.lstrip("@")
    match name:
        case "repo":
            return issue.repository.full_name.lower() == value.lower()
        case "user" | "org":
            return issue.repository.owner.login.lower() == value.lower()
        case "is" | "state" | "type":
            return _is(issue, value)
        case "author":
            return issue.author.login.removesuffix("[bot]").lower() == login.removeprefix("app/").lower()
        case "assignee":
            return login.lower() in [one.login.lower() for one in issue.assignees]
        case "label":
            return value.lower() in [label.name.lower() for label in issue.labels]
        case "head":
            return pull is not None and pull.head.ref == value
        case "base":
            return pull is not None and pull.base.ref == value
        case "draft":
            return pull is not None and pull.is_draft is (value == "true")
        case "involves" | "mentions":
            return issue.author.login.lower() == login.lower() or f"@{login}" in (issue.body or "")
        case "review":
            return False
        case "sort" | "in" | "archived":
            return True
        case _:
            raise Unprocessable(f"This GitHub does not know the search qualifier `{name}` yet.")


def _is(issue: Issue, value: str) -> bool:
    pull = issue.repository.pulls.get(issue.number)
    match value:
        case "open" | "closed":
            return issue.state == value
        case "issue":
            return pull is None
        case "pr" | "pull-request":
            return pull is not None
        case "merged":
            return pull is not None and pull.merged is not None
        case "unmerged":
            return pull is not None and pull.merged is None
        case "draft":
            return pull is not None and pull.is_draft
        case "locked":
            return issue.discussion.is_locked
        case "public" | "private":
            return issue.repository.is_private is (value == "private")
        case _:
            raise Unprocessable(f"This GitHub does not know the search qualifier `is:{value}` yet.")
