"""How the GitHub double behaves around its answers: pages, ETags, limits, errors, and failures on demand."""

import asyncio
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from caseworker.github_double.acts.issue_acts import delete_issue, transfer_issue
from caseworker.github_double.acts.repository_acts import rename_repository
from caseworker.github_double.entities.repository import Repository
from tests.world.github import GitHubWorld, Person

HOME = "/repos/olga/shop"


@pytest.fixture
def world(tmp_path: Path) -> GitHubWorld:
    return GitHubWorld(tmp_path)


@pytest.fixture
def olga(world: GitHubWorld) -> Person:
    person = world.user("olga")
    world.repository(person, "shop")
    return person


@pytest.fixture
def shop(world: GitHubWorld, olga: Person) -> Repository:
    return world.state.repository("olga", "shop")


async def test_a_list_comes_in_pages_with_links(olga: Person, shop: Repository) -> None:
    issue = olga.opens_issue("Talk", on=shop)
    for number in range(7):
        olga.comments(issue, f"Comment {number}")
    async with olga.client() as client:
        seen, url = [], f"{HOME}/issues/1/comments?per_page=3"
        while url:
            page = await client.get(url)
            seen += [one["body"] for one in page.json()]
            url = page.links.get("next", {}).get("url", "")
        assert seen == [f"Comment {number}" for number in range(7)]
        assert set(page.links) == {"prev", "first"}
        capped = await client.get(f"{HOME}/issues/1/comments", params={"per_page": 1000})
        assert len(capped.json()) == 7


async def test_since_gives_what_was_updated_later(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    issue = olga.opens_issue("Talk", on=shop)
    first = olga.comments(issue, "Early")
    world.state.moments.advance(timedelta(hours=1))
    middle = world.state.now()
    olga.comments(issue, "Late")
    async with olga.client() as client:
        query = {"since": middle.strftime("%Y-%m-%dT%H:%M:%SZ")}
        assert [one["body"] for one in (await client.get(f"{HOME}/issues/comments", params=query)).json()] == ["Late"]
        olga.edits(first, "Early, edited")
        both = (await client.get(f"{HOME}/issues/comments", params=query)).json()
        assert [one["body"] for one in both] == ["Early, edited", "Late"]


async def test_an_unchanged_answer_is_304_and_costs_nothing(olga: Person, shop: Repository) -> None:
    issue = olga.opens_issue("Talk", on=shop)
    async with olga.client() as client:
        first = await client.get(f"{HOME}/issues")
        known = {"if-none-match": first.headers["etag"]}
        again = await client.get(f"{HOME}/issues", headers=known)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]
        olga.labels(issue, "bug")
        changed = await client.get(f"{HOME}/issues", headers=known)
        assert changed.status_code == 200
        assert int(changed.headers["x-ratelimit-used"]) == int(first.headers["x-ratelimit-used"]) + 1


async def test_the_primary_limit_ends_with_its_window(world: GitHubWorld, olga: Person) -> None:
    world.double.limits.use_up(olga.actor, world.state.now())
    async with olga.client() as client:
        refused = await client.get(HOME)
        assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
        assert refused.json()["message"] == "API rate limit exceeded for olga."
        told = (await client.get("/rate_limit")).json()["resources"]["core"]
        assert (told["remaining"], str(told["reset"])) == (0, refused.headers["x-ratelimit-reset"])
        world.state.moments.advance(timedelta(minutes=61))
        assert (await client.get(HOME)).status_code == 200


async def test_a_secondary_limit_may_be_told_by_its_text_only(world: GitHubWorld, olga: Person) -> None:
    world.double.limits.refuse_next()
    world.double.limits.refuse_next(retry_after=30, status=429)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=world.double.application()), base_url="http://github.localhost"
    ) as client:
        by_text, by_header = await client.get(HOME), await client.get(HOME)
    assert (by_text.status_code, by_header.status_code) == (403, 429)
    assert "secondary rate limit" in by_text.json()["message"]
    assert ("retry-after" in by_text.headers, by_header.headers["retry-after"]) == (False, "30")
    assert int(by_text.headers["x-ratelimit-remaining"]) > 0


async def test_too_many_writes_in_a_minute_meet_the_secondary_limit(
    world: GitHubWorld, olga: Person, shop: Repository
) -> None:
    world.double.limits.writes_per_minute = 2
    olga.opens_issue("Talk", on=shop)
    async with olga.client() as client:

        async def write() -> int:
            return (await client.post(f"{HOME}/issues/1/comments", json={"body": "Hi"})).status_code

        assert [await write(), await write(), await write()] == [201, 201, 403]
        world.state.moments.advance(timedelta(minutes=2))
        assert await write() == 201


@pytest.mark.parametrize(
    ("method", "path", "body", "errors"),
    [
        ("POST", "/issues", {"title": ""}, [{"resource": "Issue", "field": "title", "code": "missing_field"}]),
        ("POST", "/labels", {"name": "bug"}, [{"resource": "Label", "field": "name", "code": "already_exists"}]),
        (
            "POST",
            "/pulls",
            {"title": "x", "head": "none", "base": "main"},
            [{"resource": "PullRequest", "field": "head", "code": "invalid"}],
        ),
        ("POST", "/issues", {"title": 3}, None),
    ],
)
async def test_a_wrong_body_is_answered_as_github_does(
    olga: Person, method: str, path: str, body: dict[str, object], errors: list[dict[str, str]] | None
) -> None:
    async with olga.client() as client:
        refused = await client.request(method, f"{HOME}{path}", json=body)
    assert refused.status_code == 422
    assert refused.json().get("errors") == errors


async def test_a_deleted_issue_is_gone_and_a_moved_one_leads_to_its_place(
    world: GitHubWorld, olga: Person, shop: Repository
) -> None:
    other = world.repository(olga, "other")
    gone, moved = olga.opens_issue("Spam", on=shop), olga.opens_issue("Wrong place", on=shop)
    delete_issue(world.state, olga.actor, gone)
    transfer_issue(world.state, olga.actor, moved, other)
    async with olga.client() as client:
        assert (await client.get(f"{HOME}/issues/1")).status_code == 410
        answer = await client.get(f"{HOME}/issues/2")
        assert (answer.status_code, answer.headers["location"]) == (
            301,
            f"{world.state.api_url}/repos/olga/other/issues/1",
        )
        rename_repository(world.state, olga.actor, shop, "market")
        assert (await client.get(HOME)).headers["location"].endswith(f"/repositories/{shop.id}")


async def test_the_version_is_echoed_and_unknown_paths_are_json(olga: Person, world: GitHubWorld) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=world.double.application()), base_url="http://github.localhost"
    ) as client:
        answer = await client.get("/versions", headers={"x-github-api-version": "2026-03-10"})
        unknown = await client.get("/no/such/path")
    assert answer.headers["x-github-api-version-selected"] == "2026-03-10"
    assert (unknown.status_code, unknown.json()["message"]) == (404, "Not Found")


async def test_failures_leave_the_effect_or_not_as_asked(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    issue = olga.opens_issue("Talk", on=shop)
    headers = {"authorization": f"Bearer {olga.token}"}
    async with world.double.serving(), httpx.AsyncClient(base_url=world.double.url, headers=headers) as client:

        async def write(body: str) -> int:
            return (await client.post(f"{HOME}/issues/1/comments", json={"body": body})).status_code

        world.double.faults.request("fails_before", "comments", method="POST", status=503)
        assert await write("never") == 503
        world.double.faults.request("fails_after", "comments", method="POST")
        assert await write("twice?") == 502
        world.double.faults.request("lost", "comments", method="POST")
        with pytest.raises(httpx.RemoteProtocolError):
            await write("lost")
        world.double.faults.request("slow", "comments", method="POST", seconds=5)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(write("slow"), timeout=0.1)
        assert await write("well") == 201
    assert [one.body for one in issue.comments] == ["twice?", "lost", "well"]


async def test_a_read_may_be_older_than_what_was_told(world: GitHubWorld, olga: Person, shop: Repository) -> None:
    async with olga.client() as client:
        assert (await client.get(f"{HOME}/issues")).json() == []
        olga.opens_issue("New", on=shop)
        world.double.faults.request("stale", "/issues$")
        assert (await client.get(f"{HOME}/issues")).json() == []
        assert len((await client.get(f"{HOME}/issues")).json()) == 1


async def test_something_may_happen_between_a_read_and_a_write(
    world: GitHubWorld, olga: Person, shop: Repository
) -> None:
    issue = olga.opens_issue("Talk", on=shop)
    world.double.faults.before("/labels", lambda: olga.closes(issue), method="POST")
    async with olga.client() as client:
        assert (await client.get(f"{HOME}/issues/1")).json()["state"] == "open"
        await client.post(f"{HOME}/issues/1/labels", json={"labels": ["bug"]})
    assert (issue.state, [one.name for one in issue.labels]) == ("closed", ["bug"])
