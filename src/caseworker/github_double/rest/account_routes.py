"""Users, Apps, installations, tokens."""

import secrets

from caseworker.github_double.acts.account_acts import (
    create_app,
    create_installation_token,
    installation_repositories,
    revoke,
    suspend,
    uninstall,
    unsuspend,
)
from caseworker.github_double.acts.repository_acts import new_hook
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.entities.accounts import Installation, Permissions
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.front import Answer
from caseworker.github_double.moments import wire_time
from caseworker.github_double.refusals import Forbidden, NotFound, Unauthorized
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.rest.fields import Fields
from caseworker.github_double.shapes.account_shapes import (
    app_json,
    installation_json,
    private_user_json,
    public_user_json,
)
from caseworker.github_double.shapes.repository_shapes import full_repository_json, repository_json
from caseworker.github_double.state import Json


def get_self(call: Call) -> Answer:
    if call.actor.user is None:
        raise Unauthorized("Requires authentication")
    if call.actor.installation is not None:
        raise Forbidden("Resource not accessible by integration")
    return Answer(private_user_json(call.github, call.actor.user))


def get_user(call: Call) -> Answer:
    return Answer(public_user_json(call.github, call.github.user(call.part("login"))))


def get_own_app(call: Call) -> Answer:
    app = call.app()
    count = sum(one.app is app for one in call.github.installations.values())
    return Answer({**app_json(call.github, app), "installations_count": count})


def get_app(call: Call) -> Answer:
    found = next((one for one in call.github.apps.values() if one.slug == call.part("slug")), None)
    if found is None:
        raise NotFound
    return Answer(app_json(call.github, found))


def list_installations(call: Call) -> Answer:
    app = call.app()
    own = [one for one in call.github.installations.values() if one.app is app]
    return call.page(own, lambda one: installation_json(call.github, one))


def get_installation(call: Call) -> Answer:
    return Answer(installation_json(call.github, _own(call)))


def delete_installation(call: Call) -> Answer:
    uninstall(call.github, _own(call))
    return Answer(None, 204)


def suspend_installation(call: Call) -> Answer:
    suspend(call.github, _own(call))
    return Answer(None, 204)


def unsuspend_installation(call: Call) -> Answer:
    unsuspend(call.github, _own(call))
    return Answer(None, 204)


def installation_of_repository(call: Call) -> Answer:
    repository = call.github.repository(call.part("owner"), call.part("repo"))
    for one in call.github.installations.values():
        if one.app is call.app() and repository in installation_repositories(call.github, one):
            return Answer(installation_json(call.github, one))
    raise NotFound


def create_access_token(call: Call) -> Answer:
    call.app()
    names = call.fields.texts("repositories") if call.fields.has("repositories") else None
    ids = call.fields.numbers("repository_ids") if call.fields.has("repository_ids") else None
    token = create_installation_token(
        call.github,
        call.actor,
        call.number("installation"),
        permissions=call.fields.permissions("permissions"),
        repositories=names,
        repository_ids=ids,
    )
    assert token.expires_at is not None
    installation = token.installation
    selection = "all" if token.repository_ids is None else "selected"
    body: Json = {
        "token": token.value,
        "expires_at": wire_time(token.expires_at),
        "permissions": dict(token.permissions),
        "repository_selection": selection,
    }
    if selection == "selected" and installation is not None:
        chosen = [one for one in _reachable(call, installation) if one.id in (token.repository_ids or ())]
        body["repositories"] = [repository_json(call.github, one) for one in chosen]
    return Answer(body, 201)


def revoke_own_token(call: Call) -> Answer:
    if call.actor.token is None or call.actor.installation is None:
        raise Unauthorized("Requires authentication")
    revoke(call.actor.token)
    return Answer(None, 204)


def list_installation_repositories(call: Call) -> Answer:
    installation = call.installation()
    token = call.actor.token
    limited = token.repository_ids if token is not None else None
    reachable = [one for one in _reachable(call, installation) if limited is None or one.id in limited]
    selection = "all" if installation.repository_ids is None else "selected"
    return call.counted_page(
        "repositories", reachable, lambda one: repository_json(call.github, one), repository_selection=selection
    )


def list_own_repositories(call: Call) -> Answer:
    user = call.actor.user
    if user is None:
        raise Unauthorized("Requires authentication")
    own = [one for one in call.github.repositories.values() if one.owner is user or user.login in one.collaborators]
    return call.page(own, lambda one: full_repository_json(call.github, one, user))


def convert_manifest(call: Call) -> Answer:
    """The last step of making an App from a manifest: the only time that its keys are told."""
    manifest = call.github.manifests.pop(call.part("code"), None)
    if manifest is None:
        raise NotFound
    wanted = Fields(manifest)
    private, public = new_key_pair()
    owner = call.github.user(wanted.required("owner"))
    hook_wanted = wanted.record("hook_attributes")
    secret = secrets.token_hex(20)
    events = wanted.texts("default_events")
    url = hook_wanted.text("url") if hook_wanted is not None else None
    hook = new_hook(call.github, url=url, secret=secret, events=events, is_of_app=True) if url else None
    permissions: Permissions = wanted.permissions("default_permissions") or {}
    app = create_app(
        call.github,
        owner,
        wanted.required("name"),
        public_key=public,
        permissions=permissions,
        events=events,
        hook=hook,
        callback_urls=wanted.texts("callback_urls"),
    )
    body = app_json(call.github, app)
    return Answer({**body, "client_secret": app.client_secret, "webhook_secret": secret, "pem": private}, 201)


def _own(call: Call) -> Installation:
    found = call.github.installations.get(call.number("installation"))
    if found is None or found.app is not call.app():
        raise NotFound
    return found


def _reachable(call: Call, installation: Installation) -> list[Repository]:
    return installation_repositories(call.github, installation)


ROUTES = (
    RestRoute("GET", "/user", get_self),
    RestRoute("GET", "/user/repos", list_own_repositories),
    RestRoute("GET", "/users/{login}", get_user),
    RestRoute("GET", "/app", get_own_app),
    RestRoute("GET", "/apps/{slug}", get_app),
    RestRoute("GET", "/app/installations", list_installations),
    RestRoute("GET", "/app/installations/{installation}", get_installation),
    RestRoute("DELETE", "/app/installations/{installation}", delete_installation),
    RestRoute("PUT", "/app/installations/{installation}/suspended", suspend_installation),
    RestRoute("DELETE", "/app/installations/{installation}/suspended", unsuspend_installation),
    RestRoute("POST", "/app/installations/{installation}/access_tokens", create_access_token),
    RestRoute("GET", "/repos/{owner}/{repo}/installation", installation_of_repository),
    RestRoute("GET", "/installation/repositories", list_installation_repositories),
    RestRoute("DELETE", "/installation/token", revoke_own_token),
    RestRoute("POST", "/app-manifests/{code}/conversions", convert_manifest),
)
