"""Webhooks of repositories and of the App, their deliveries, and delivering again."""

from collections.abc import Callable

from caseworker.github_double.access import CHANGE_HOOKS, READ_HOOKS
from caseworker.github_double.acts.announce import author_of
from caseworker.github_double.acts.hook_acts import find_delivery, find_hook, ping, redeliver
from caseworker.github_double.acts.repository_acts import create_hook, new_hook
from caseworker.github_double.entities.hook_records import Hook
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import NotFound
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.rest.fields import Fields
from caseworker.github_double.shapes.hook_shapes import delivery_json, full_delivery_json, hook_config_json, hook_json


def list_hooks(call: Call) -> Answer:
    repository = call.repository(READ_HOOKS)
    return call.page(repository.records.hooks, lambda one: hook_json(call.github, repository, one))


def post_hook(call: Call) -> Answer:
    repository = call.repository(CHANGE_HOOKS)
    config = call.fields.record("config") or Fields({})
    hook = create_hook(
        call.github,
        call.actor,
        repository,
        url=config.text("url") or "",
        secret=config.text("secret"),
        events=call.fields.texts("events") or ["push"],
    )
    hook.is_active = call.fields.flag("active", default=True)
    ping(call.github, author_of(call.actor), repository, hook)
    return Answer(hook_json(call.github, repository, hook), 201)


def get_hook(call: Call) -> Answer:
    repository = call.repository(READ_HOOKS)
    return Answer(hook_json(call.github, repository, find_hook(repository, call.number("hook"))))


def patch_hook(call: Call) -> Answer:
    repository = call.repository(CHANGE_HOOKS)
    hook = find_hook(repository, call.number("hook"))
    _configure(hook, call.fields.record("config") or Fields({}))
    hook.events = call.fields.texts("events") or hook.events
    hook.is_active = call.fields.flag("active", default=hook.is_active)
    hook.updated_at = call.github.now()
    return Answer(hook_json(call.github, repository, hook))


def delete_hook(call: Call) -> Answer:
    repository = call.repository(CHANGE_HOOKS)
    repository.records.hooks.remove(find_hook(repository, call.number("hook")))
    return Answer(None, 204)


def ping_hook(call: Call) -> Answer:
    repository = call.repository(CHANGE_HOOKS)
    ping(call.github, author_of(call.actor), repository, find_hook(repository, call.number("hook")))
    return Answer(None, 204)


def get_app_config(call: Call) -> Answer:
    hook = call.app().hook
    return Answer(hook_config_json(hook) if hook else {"content_type": "json", "insecure_ssl": "0"})


def patch_app_config(call: Call) -> Answer:
    app = call.app()
    if app.hook is None:
        app.hook = new_hook(call.github, url="", secret=None, events=app.events, is_of_app=True)
    _configure(app.hook, call.fields)
    return Answer(hook_config_json(app.hook))


def list_deliveries(call: Call) -> Answer:
    """Newest first, in pages by cursor."""
    hook = _hook(call)
    wanted = call.query("status")
    found = [
        one
        for one in reversed(hook.deliveries)
        if one.status != "pending" and (not wanted or (wanted == "success") == (one.status == "OK"))
    ]
    cursor, asked = call.query("cursor"), call.query("per_page")
    if cursor.isdigit():
        found = [one for one in found if one.id < int(cursor)]
    size = min(int(asked), 100) if asked.isdigit() else 30
    page = found[:size]
    more = len(found) > size and bool(page)
    headers = {"link": call.link_to("next", cursor=str(page[-1].id))} if more else {}
    return Answer([delivery_json(one) for one in page], headers=headers)


def get_delivery(call: Call) -> Answer:
    hook = _hook(call)
    return Answer(full_delivery_json(hook, find_delivery(hook, call.number("delivery"))))


def post_attempt(call: Call) -> Answer:
    hook = _hook(call)
    sender = call.actor.user or call.app().bot
    redeliver(call.github, sender, hook, find_delivery(hook, call.number("delivery")))
    return Answer({}, 202)


def _hook(call: Call) -> Hook:
    if call.path.startswith("/app/"):
        hook = call.app().hook
        if hook is None:
            raise NotFound
        return hook
    return find_hook(call.repository(READ_HOOKS), call.number("hook"))


def _configure(hook: Hook, config: Fields) -> None:
    hook.url = config.text("url") or hook.url
    hook.secret = config.text("secret") if config.has("secret") else hook.secret


_HOOKS = "/repos/{owner}/{repo}/hooks"
_LISTS = ("/app/hook/deliveries", f"{_HOOKS}/{{hook:int}}/deliveries")
_DELIVERIES: tuple[tuple[str, str, Callable[[Call], Answer]], ...] = (
    ("GET", "", list_deliveries),
    ("GET", "/{delivery:int}", get_delivery),
    ("POST", "/{delivery:int}/attempts", post_attempt),
)

ROUTES = (
    RestRoute("GET", _HOOKS, list_hooks),
    RestRoute("POST", _HOOKS, post_hook),
    RestRoute("GET", f"{_HOOKS}/{{hook:int}}", get_hook),
    RestRoute("PATCH", f"{_HOOKS}/{{hook:int}}", patch_hook),
    RestRoute("DELETE", f"{_HOOKS}/{{hook:int}}", delete_hook),
    RestRoute("POST", f"{_HOOKS}/{{hook:int}}/pings", ping_hook),
    RestRoute("GET", "/app/hook/config", get_app_config),
    RestRoute("PATCH", "/app/hook/config", patch_app_config),
    *(RestRoute(method, home + path, handler) for home in _LISTS for method, path, handler in _DELIVERIES),
)
