"""Issues that a pull request closes when it is merged into the default branch."""

import re

from caseworker.github_double.entities.repository import PullRequest, Repository

_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
    r"(?:https?://[^/\s]+/)?(?:(?P<name>[\w.-]+/[\w.-]+)(?:#|/issues/))?(?:(?<=\s)#)?(?P<number>\d+)\b",
    re.IGNORECASE,
)


def closed_numbers(text: str | None, repository: Repository) -> list[int]:
    """Numbers of this repository's issues that the text says it closes, in order."""
    found = [
        int(one["number"])
        for one in _CLOSES.finditer(text or "")
        if (one["name"] or repository.full_name).lower() == repository.full_name.lower()
        and ("#" in one[0] or "/issues/" in one[0])
    ]
    return list(dict.fromkeys(found))


def closing_issues(pull: PullRequest) -> list[int]:
    """Open issues that the merge will close. Only a merge into the default branch closes any."""
    repository = pull.repository
    if pull.base.ref != repository.default_branch:
        return []
    numbers = closed_numbers(pull.issue.body, repository)
    return [number for number in numbers if number in repository.issues and number not in repository.pulls]
