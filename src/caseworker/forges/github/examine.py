"""Looks at the access to GitHub that a deployment has, for `doctor` and `init`. Changes nothing."""

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final, Literal

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import ApiAddress, repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused, error_of
from caseworker.forges.github.app_needs import PERMISSIONS, TOKEN_PERMISSIONS, missing_events, missing_permissions
from caseworker.forges.github.connect import connect
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.forges.github.payloads import DeliveryData, Payload, User
from caseworker.forges.github.transport import Reply, Request, Transport

_SKEW: Final = 60.0
"""Seconds. GitHub refuses an App's login that is dated in its future, or lives longer than ten minutes."""
_LOG_LINES: Final = 30


@dataclass(frozen=True)
class Finding:
    what: str
    mark: Literal["ok", "note", "missing"]
    says: str


class _App(Payload):
    slug: str = ""
    permissions: dict[str, str] = {}
    events: list[str] = []


class _Installation(Payload):
    account: User | None = None


class _HookConfig(Payload):
    url: str = ""
    secret: str | None = None


class _Rights(Payload):
    push: bool = False


class _Repository(Payload):
    permissions: _Rights = _Rights()
    archived: bool = False
    private: bool = False


async def examine(access: GitHubAccess, repository: RemoteRepository | None = None) -> list[Finding]:
    """With a repository, also what can be done there. What fails is a finding, not an error."""
    api = connect(access)
    try:
        first = await _greet(access, api)
        found = [_clock(first), *(await _app(api) if access.app_id else _token(first))]
    except (Refused, Transient) as error:
        return [Finding("github", "missing", str(error))]
    return found if repository is None else [*found, *await _repository(api, repository)]


async def _greet(access: GitHubAccess, api: GitHubApi) -> Reply:
    """One request by hand: the headers of its answer tell the time and a classic token's scopes."""
    login = await (api.credentials.of_app() if access.app_id else api.credentials.of(None))
    transport = Transport(ApiAddress(access.api_url.rstrip("/")))
    request = Request(method="GET", path="app" if access.app_id else "user")
    try:
        reply = await transport.send(request, login.token)
    finally:
        await transport.close()
    if reply.status >= 300:
        raise error_of(reply, request, account=login.account)
    return reply


def _clock(reply: Reply) -> Finding:
    if "date" not in reply.headers:
        return Finding("github clock", "note", "GitHub did not tell the time")
    skew = time.time() - parsedate_to_datetime(reply.headers["date"]).timestamp()
    if abs(skew) <= _SKEW:
        return Finding("github clock", "ok", "agrees with GitHub's")
    way = "ahead of" if skew > 0 else "behind"
    return Finding(
        "github clock",
        "missing",
        f"this machine is {abs(skew):.0f} s {way} GitHub: an App's logins are refused. Set the clock (NTP).",
    )


def _token(reply: Reply) -> list[Finding]:
    login = User.model_validate_json(reply.body).login
    scopes = reply.headers.get("x-oauth-scopes")
    if scopes is None:
        told = (
            "fine-grained: GitHub does not tell its permissions; `caseworker init github --repo OWNER/NAME` tries them"
        )
        return [Finding("github", "ok", f"a token of {login}, {told}")]
    held = {scope.strip() for scope in scopes.split(",")}
    if "repo" in held:
        note = "a classic token may do more than is needed: a fine-grained one is better"
        return [Finding("github", "note", f"a token of {login}; {note}")]
    return [Finding("github", "missing", f"a token of {login} without the scope `repo`: it can't push or comment")]


async def _app(api: GitHubApi) -> list[Finding]:
    app = await api.app_get("app", _App)
    found = [Finding("github", "ok", f"the App {app.slug}")]
    if lacks := missing_permissions(app.permissions):
        found.append(Finding("github permissions", "missing", f"the App lacks {'; '.join(lacks)}"))
    hook = await api.app_get("app/hook/config", _HookConfig)
    if not hook.url:
        found.append(Finding("github webhook", "note", "none: `serve` looks every two minutes instead"))
    elif lacks := missing_events(app.events):
        found.append(Finding("github events", "missing", f"the App does not subscribe to {'; '.join(lacks)}"))
    places = await api.app_pages("app/installations", _Installation)
    names = ", ".join(sorted(place.account.login for place in places if place.account is not None))
    if not places:
        found.append(Finding("github installations", "missing", "the App is installed nowhere: install it first"))
    else:
        found.append(Finding("github installations", "ok", f"on {names}"))
    return [*found, *(await _deliveries(api, hook) if hook.url else [])]


async def _deliveries(api: GitHubApi, hook: _HookConfig) -> list[Finding]:
    if not hook.secret:
        return [Finding("github webhook", "missing", "it has no secret: set one there and in github_webhook_secret")]
    log = await api.app_pages("app/hook/deliveries", DeliveryData, most=_LOG_LINES)
    failed = [one for one in log if not 200 <= one.status_code < 300]
    if not log:
        return [Finding("github webhook", "note", f"{hook.url}: nothing was sent yet")]
    if not failed:
        return [Finding("github webhook", "ok", f"{hook.url}: the last {len(log)} deliveries arrived")]
    last = failed[0]
    says = f"{hook.url}: {len(failed)} of the last {len(log)} deliveries failed, the newest with {last.status_code}"
    return [Finding("github webhook", "missing", f"{says} ({last.status}): check the address and that `serve` runs")]


_PROBES: Final = (
    ("issues", "issues"),
    ("pull_requests", "pulls"),
    ("contents", "contents"),
    ("actions", "actions/runs"),
)


async def _repository(api: GitHubApi, repository: RemoteRepository) -> list[Finding]:
    """A fine-grained token tells its permissions by what it may read. Writes are not tried."""
    try:
        there = await api.get(repository, repository_path(repository), _Repository)
    except (Refused, Transient) as error:
        return [Finding(str(repository), "missing", str(error))]
    if there.archived:
        return [Finding(str(repository), "missing", "it is archived: nobody can push to it")]
    lacks = []
    for permission, path in _PROBES:
        try:
            await api.get(repository, repository_path(repository, *path.split("/")), object)
        except Refused:
            level, why = PERMISSIONS[permission]
            lacks.append(f"{permission}: {level} ({why})")
        except Transient as error:
            return [Finding(str(repository), "note", str(error))]
    if not api.credentials.is_app and not await _reads_check_runs(api, repository):
        lacks.append("check runs, for which GitHub offers fine-grained tokens no permission: use an App")
    if not api.credentials.is_app and not there.permissions.push:
        lacks.insert(0, "the right to push, which the token's owner does not have")
    if lacks:
        return [Finding(str(repository), "missing", f"lacking: {'; '.join(lacks)}")]
    if not api.credentials.is_app and not there.private:
        needs = ", ".join(f"{name}: {level}" for name, (level, _) in TOKEN_PERMISSIONS.items())
        says = f"everybody may read it, so that the token's permissions can't be tried; it needs {needs}"
        return [Finding(str(repository), "note", says)]
    return [Finding(str(repository), "ok", "can be read; writes are tried when there is something to write")]


async def _reads_check_runs(api: GitHubApi, repository: RemoteRepository) -> bool:
    """Anything but a clear no counts as yes: a new repository has no commit to ask about."""
    try:
        await api.get(repository, repository_path(repository, "commits", "HEAD", "check-runs"), object)
    except GitHubRefused as refused:
        return refused.status != 403
    except Transient:
        return True
    return True
