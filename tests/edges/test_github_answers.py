"""What GitHub's answers mean: limits, refusals and failures, and the pure parts of reading and marking."""

import json

import httpx
import pytest

from caseworker.core.base.errors import RateLimited, Refused, ResultUnknown, Transient
from caseworker.core.base.repositories import LocalRepository, RemoteRepository
from caseworker.core.pull.own_check import CHECK_NAME
from caseworker.forges.github.address import ApiAddress, repository_path
from caseworker.forges.github.api_errors import GitHubRefused, error_of
from caseworker.forges.github.check_reads import rated
from caseworker.forges.github.markers import has_marker, marked, marker, marker_in
from caseworker.forges.github.payloads import AppData, CheckRunData, RequiredCheckData, StatusData
from caseworker.forges.github.state_tools import cut
from caseworker.forges.github.transport import Reply, Request

SHOP = RemoteRepository(host="github.com", owner="acme", name="shop")
READ = Request(method="GET", path="repos/acme/shop/issues/7")
WRITE = Request(method="POST", path="repos/acme/shop/issues/7/comments")


def _reply(status: int, message: str = "", **headers: str) -> Reply:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=httpx.Headers(names), body=json.dumps({"message": message}).encode())


LIMITS = {
    "retry-after": (_reply(403, "slow down", retry_after="7"), 7),
    "429 without a time": (_reply(429), 60),
    "the primary one": (
        _reply(
            403,
            "API rate limit exceeded",
            x_ratelimit_remaining="0",
            x_ratelimit_reset="1794906090",
            date="Tue, 17 Nov 2026 09:00:00 GMT",
        ),
        90,
    ),
    "told by its text only": (_reply(403, "You have exceeded a secondary rate limit. Please wait."), 60),
    "an old server's text": (_reply(403, "You have triggered an abuse detection mechanism."), 60),
}


@pytest.mark.parametrize("kind", LIMITS)
def test_a_rate_limit_is_told_with_the_seconds_to_wait(kind: str) -> None:
    reply, seconds = LIMITS[kind]
    error = error_of(reply, WRITE, account="installation 7")
    assert isinstance(error, RateLimited)
    assert (error.seconds, error.place) == (seconds, "installation 7")


def test_a_missing_right_is_named_with_the_permission() -> None:
    reply = _reply(
        403, "Resource not accessible by integration", x_accepted_github_permissions="issues=write; pull_requests=write"
    )
    error = error_of(reply, WRITE, account="app")
    assert str(error) == (
        "GitHub does not allow POST repos/acme/shop/issues/7/comments: Resource not accessible by integration "
        "Check the App or token: it needs issues: write or pull_requests: write."
    )


def test_a_revoked_token_is_refused_with_what_to_do() -> None:
    error = error_of(_reply(401, "Bad credentials"), READ, account="token")
    assert isinstance(error, Refused)
    assert error.todo.startswith("Make a new one and set CASEWORKER_GITHUB_TOKEN")


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failed_server_leaves_a_write_unknown_and_a_read_to_be_repeated(status: int) -> None:
    assert isinstance(error_of(_reply(status), WRITE, account="a"), ResultUnknown)
    reading = error_of(_reply(status), READ, account="a")
    assert isinstance(reading, Transient)
    assert not isinstance(reading, ResultUnknown)


def test_an_unprocessable_request_is_refused_with_githubs_details() -> None:
    body = {"message": "Validation Failed", "errors": [{"field": "base", "code": "invalid"}, "also this"]}
    error = error_of(Reply(status=422, headers=httpx.Headers(), body=json.dumps(body).encode()), WRITE, account="a")
    assert isinstance(error, GitHubRefused)
    assert error.what.endswith("(422): Validation Failed; base invalid; also this")


@pytest.mark.parametrize(
    ("rest", "graphql", "host", "git"),
    [
        ("https://api.github.com", "https://api.github.com/graphql", "github.com", "https://github.com/acme/shop.git"),
        ("https://git.corp/api/v3", "https://git.corp/api/graphql", "git.corp", "https://git.corp/acme/shop.git"),
        ("http://127.0.0.1:99", "http://127.0.0.1:99/graphql", "127.0.0.1:99", "http://127.0.0.1:99/acme/shop.git"),
    ],
)
def test_addresses_of_one_github(rest: str, graphql: str, host: str, git: str) -> None:
    address = ApiAddress(rest)
    assert (address.graphql, address.host, address.git_url(SHOP)) == (graphql, host, git)


def test_a_repository_elsewhere_is_refused() -> None:
    for other in (LocalRepository(path="/code/shop"), SHOP.model_copy(update={"host": "git.corp"})):
        with pytest.raises(Refused, match=r"is not on github\.com"):
            ApiAddress().ours(other)


def test_no_name_leads_to_another_path() -> None:
    assert repository_path(SHOP, "labels", "../../../user?x=1") == "repos/acme/shop/labels/..%2F..%2F..%2Fuser%3Fx%3D1"


def test_a_marker_is_found_only_where_we_put_it() -> None:
    key = "acme/shop#7/1/post/2--x y"
    assert marker(key) == "<!-- caseworker:acme/shop#7/1/post/2-%2Dx%20y -->"
    text = marked("Hello\n\n", key)
    assert text == f"Hello\n\n{marker(key)}"
    assert has_marker(text, key)
    assert marker_in(text) == marker(key)
    assert not has_marker(f"> {marker(key)}\n\nwhat is this?", key)
    assert not has_marker(marked("Hello", "other"), key)
    assert marker_in("Hello") == ""


def test_a_required_check_counts_only_from_the_app_that_the_rule_names() -> None:
    runs = [
        CheckRunData(id=1, name="lint", status="completed", conclusion="success", app=AppData(id=5)),
        CheckRunData(id=2, name="unit", status="completed", conclusion="success", app=AppData(id=6)),
        CheckRunData(id=3, name="slow", status="queued"),
        CheckRunData(id=4, name="odd", status="completed", conclusion="action_required"),
    ]
    statuses = [StatusData(context="legacy", state="pending"), StatusData(context="bad", state="error")]
    required = [
        RequiredCheckData(context="lint", integration_id=5),
        RequiredCheckData(context="unit", integration_id=5),
        RequiredCheckData(context="legacy"),
    ]
    found = [(check.name, check.state, check.required) for check in rated(runs, statuses, required)]
    assert found == [
        ("lint", "passed", True),
        ("unit", "passed", False),
        ("slow", "pending", False),
        ("odd", "failed", False),
        ("legacy", "pending", True),
        ("bad", "failed", False),
        ("unit", "missing", True),
    ]


def test_our_own_check_is_no_result_even_where_a_rule_demands_it() -> None:
    run = CheckRunData(id=1, name=CHECK_NAME, status="completed", conclusion="neutral")
    status = StatusData(context=CHECK_NAME, state="pending")
    assert rated([run], [status], [RequiredCheckData(context=CHECK_NAME)]) == []


def test_a_cut_text_says_how_much_is_missing() -> None:
    assert cut("é" * 10, 20) == "é" * 10
    assert cut("é" * 10, 5) == "éé\n[cut: 15 of 20 bytes]"
