"""What Caseworker needs on GitHub, each with its reason; and the App's manifest made from it. Does no I/O."""

import json
from collections.abc import Collection, Mapping
from typing import Final

PERMISSIONS: Final[Mapping[str, tuple[str, str]]] = {
    "metadata": ("read", "to find the repository and people's roles"),
    "contents": ("write", "to read the code and push branches named agent/..."),
    "issues": ("write", "to read issues, to comment, react and remove labels"),
    "pull_requests": ("write", "to open and update pull requests"),
    "checks": ("write", "to read the checks of its pull requests and report its own"),
    "statuses": ("read", "to read the statuses of its pull requests"),
    "actions": ("write", "to read workflow runs and run failed ones again"),
}
"""Of an App: level and reason by GitHub's name. Never needed: administration, workflows, secrets, members."""
TOKEN_PERMISSIONS: Final[Mapping[str, tuple[str, str]]] = {
    **{name: need for name, need in PERMISSIONS.items() if name != "checks"},
    "statuses": ("write", "to read the statuses of its pull requests and report its own"),
}
"""Of a fine-grained token, to which GitHub offers no permission for checks: only Apps make check runs."""
EVENTS: Final[Mapping[str, str]] = {
    "issues": "labels and edits of issues",
    "issue_comment": "what people say",
    "pull_request": "labels, pushes and merges",
    "pull_request_review": "reviews",
    "pull_request_review_comment": "remarks on lines",
    "pull_request_review_thread": "threads that people resolve",
    "push": "pushes to the branch of a pull request, or to its base",
    "status": "the end of checks that are statuses",
    "check_suite": "the end of checks",
    "workflow_run": "the end of workflow runs",
}
WEBHOOK_PATH: Final = "/github/webhooks"
LOGIN_PATH: Final = "/login/github/back"
"""Where GitHub sends people back who log in to the dashboard."""
_LEVELS: Final = {"read": 1, "write": 2, "admin": 3}


def missing_permissions(held: Mapping[str, str]) -> list[str]:
    """In words, such as `issues: write (to ...)`."""
    return [
        f"{name}: {level} ({why})"
        for name, (level, why) in PERMISSIONS.items()
        if _LEVELS.get(held.get(name, ""), 0) < _LEVELS[level]
    ]


def missing_events(held: Collection[str]) -> list[str]:
    return [f"{name} ({why})" for name, why in EVENTS.items() if name not in held]


def app_manifest(*, name: str, public_url: str) -> str:
    """The JSON from which GitHub makes the App. Without a public address it has no webhook: `serve` looks by itself."""
    url = public_url.rstrip("/")
    return json.dumps(
        {
            "name": name,
            "url": url or "https://github.com",
            "redirect_url": "http://127.0.0.1/caseworker",
            "callback_urls": [f"{url or 'http://127.0.0.1:8480'}{LOGIN_PATH}"],
            "public": False,
            "default_permissions": {key: level for key, (level, _) in PERMISSIONS.items()},
            "default_events": list(EVENTS) if url else [],
            "hook_attributes": {"url": f"{url or 'https://example.org'}{WEBHOOK_PATH}", "active": bool(url)},
        },
        indent=2,
    )
