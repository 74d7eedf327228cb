"""What GitHub says of itself: limits, versions, the root."""

from caseworker.github_double.front import Answer
from caseworker.github_double.rest.exchange import Call, RestRoute


def get_root(call: Call) -> Answer:
    home = call.github.api_url
    names = ("current_user_url", "rate_limit_url", "repository_url", "user_url")
    paths = ("/user", "/rate_limit", "/repos/{owner}/{repo}", "/users/{user}")
    return Answer({name: home + path for name, path in zip(names, paths, strict=True)})


def get_rate_limit(call: Call) -> Answer:
    now = call.github.now()
    names = ("core", "search", "graphql")
    resources = {name: call.limits.window(call.actor, name, now).as_json() for name in names}
    return Answer({"resources": resources, "rate": resources["core"]})


def get_meta(call: Call) -> Answer:
    return Answer({"verifiable_password_authentication": False, "hooks": ["127.0.0.1/32"], "git": ["127.0.0.1/32"]})


def get_versions(_: Call) -> Answer:
    return Answer(["2022-11-28", "2026-03-10"])


def get_zen(_: Call) -> Answer:
    return Answer(b"Keep it logically awesome.", media_type="text/plain; charset=utf-8")


ROUTES = (
    RestRoute("GET", "/rate_limit", get_rate_limit),
    RestRoute("GET", "/meta", get_meta),
    RestRoute("GET", "/versions", get_versions),
    RestRoute("GET", "/zen", get_zen),
)

ROOT_ROUTES = (RestRoute("GET", "/", get_root),)
