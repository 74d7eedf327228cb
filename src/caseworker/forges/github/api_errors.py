"""What an answer of GitHub that is no success means, as one of our three families of errors. Does no I/O."""

import json
import re
from email.utils import parsedate_to_datetime
from typing import Final

from caseworker.core.base.errors import RateLimited, Refused, ResultUnknown, Transient
from caseworker.forges.github.transport import Reply, Request

_LIMIT_TEXT: Final = re.compile(r"secondary rate limit|rate limit exceeded|abuse detection", re.IGNORECASE)
_UNTOLD_SECONDS: Final = 60.0
"""How long to wait after a limit that names no time."""
_MOST: Final = 300
_LOCKED: Final = "issue is locked"


class GitHubRefused(Refused):
    """GitHub has understood and refuses. `status`: of HTTP."""

    def __init__(self, what: str, *, todo: str = "", status: int) -> None:
        super().__init__(what, todo=todo)
        self.status = status

    @property
    def is_absent(self) -> bool:
        return self.status in (404, 410)


def error_of(reply: Reply, request: Request, *, account: str) -> Exception:
    """`account`: whose limits count, told with a rate limit."""
    message = _message(reply.body)
    where = f"{request.method} {request.path.partition('?')[0]}"
    if _is_limit(reply, message):
        return RateLimited(f"GitHub's rate limit is reached: {message}", seconds=_seconds(reply), place=account)
    if reply.status == 401:
        return GitHubRefused(
            "GitHub does not accept the token: it was revoked, has expired, or is wrong.",
            todo="Make a new one and set CASEWORKER_GITHUB_TOKEN, or check the App's id and private key.",
            status=401,
        )
    if reply.status in (403, 404):
        return _without_right(reply, where, message)
    if reply.status >= 500:
        sentence = f"GitHub answered {reply.status} to {where}."
        return ResultUnknown(sentence) if request.writes else Transient(sentence)
    if 300 <= reply.status < 400:
        return GitHubRefused(
            f"GitHub says that {where} has moved.",
            todo="The repository was renamed or transferred: register it under its new name.",
            status=reply.status,
        )
    return GitHubRefused(f"GitHub refused {where} ({reply.status}): {message}", status=reply.status)


def _without_right(reply: Reply, where: str, message: str) -> GitHubRefused:
    needed = _words(reply.headers.get("x-accepted-github-permissions", ""))
    ask = f"it needs {needed}" if needed else "it has to be given access to the repository"
    if reply.status == 404:
        return GitHubRefused(
            f"GitHub has nothing at {where}, or does not show it to Caseworker.",
            todo=f"If it is there, check the App or token: {ask}.",
            status=404,
        )
    todo = "Unlock the conversation." if _LOCKED in message else f"Check the App or token: {ask}."
    return GitHubRefused(f"GitHub does not allow {where}: {message}", todo=todo, status=403)


def _words(permissions: str) -> str:
    """`issues=write; pull_requests=write,contents=read` in words: `;` means one of them is enough."""
    ways = [", ".join(part.strip().replace("=", ": ") for part in way.split(",")) for way in permissions.split(";")]
    return " or ".join(way for way in ways if way)


def _is_limit(reply: Reply, message: str) -> bool:
    if reply.status == 429:
        return True
    if reply.status != 403:
        return False
    spent = reply.headers.get("x-ratelimit-remaining") == "0"
    return "retry-after" in reply.headers or spent or _LIMIT_TEXT.search(message) is not None


def _seconds(reply: Reply) -> float:
    """By GitHub's own clock where it tells it: ours may be wrong."""
    after, reset = reply.headers.get("retry-after", ""), reply.headers.get("x-ratelimit-reset", "")
    if after.isdigit():
        return max(1.0, float(after))
    if reset.isdigit() and reply.headers.get("x-ratelimit-remaining") == "0" and "date" in reply.headers:
        there = parsedate_to_datetime(reply.headers["date"]).timestamp()
        return max(1.0, float(reset) - there)
    return _UNTOLD_SECONDS


def _message(body: bytes) -> str:
    """GitHub's message with its details; of anything else the beginning."""
    text = body[: 20 * _MOST].decode(errors="replace")
    try:
        found = json.loads(body)
    except ValueError:
        return text[:_MOST]
    if not isinstance(found, dict) or not isinstance(found.get("message"), str):
        return text[:_MOST]
    errors = found.get("errors")
    details = [_detail(one) for one in errors] if isinstance(errors, list) else []
    return "; ".join([found["message"], *filter(None, details)])[:_MOST]


def _detail(error: object) -> str:
    if not isinstance(error, dict):
        return str(error)
    told = (error.get("message"), error.get("field"), error.get("code"))
    return " ".join(str(part) for part in told if part)
