"""Who may do what on the GitHub double: Apps, tokens, roles; and the real client of GitHub on it."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from githubkit import AppAuthStrategy, AppInstallationAuthStrategy, GitHub
from githubkit.cache import MemCacheStrategy
from githubkit.exception import RequestFailed

from caseworker.github_double.acts.account_acts import create_installation_token, create_token, revoke, suspend
from caseworker.github_double.app_keys import new_key_pair
from caseworker.github_double.entities.accounts import Actor, Permissions
from caseworker.github_double.state import Json
from tests.world.github import OWN_PERMISSIONS, GitHubWorld, Person

HOME = "/repos/olga/shop"


@pytest.fixture
def world(tmp_path: Path) -> GitHubWorld:
    return GitHubWorld(tmp_path)


@pytest.fixture
def olga(world: GitHubWorld) -> Person:
    person = world.user("olga")
    world.repository(person, "shop", is_private=True)
    return person


async def test_a_private_repository_does_not_exist_for_strangers(world: GitHubWorld, olga: Person) -> None:
    eve = world.user("eve")
    for token in (eve.token, ""):
        async with world.client(token) as client:
            assert (await client.get(HOME)).status_code == 404
            assert (await client.post(f"{HOME}/issues", json={"title": "Hi"})).status_code == 404
    async with world.client("wrong") as client:
        refused = await client.get(HOME)
        assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")


@pytest.mark.parametrize(
    ("role", "label", "push"),
    [("read", 403, 403), ("triage", 200, 403), ("write", 200, 201), ("maintain", 200, 201), ("admin", 200, 201)],
)
async def test_a_role_decides_what_a_person_may_do(
    world: GitHubWorld, olga: Person, role: str, label: int, push: int
) -> None:
    shop = world.state.repository("olga", "shop")
    olga.opens_issue("Broken", on=shop)
    pat = world.user("pat", role=role, on=shop)
    async with pat.client() as client:
        assert (await client.post(f"{HOME}/issues/1/comments", json={"body": "Hi"})).status_code == 201
        assert (await client.post(f"{HOME}/issues/1/labels", json={"labels": ["bug"]})).status_code == label
        main = (await client.get(f"{HOME}/git/ref/heads/main")).json()["object"]["sha"]
        branch = {"ref": "refs/heads/new", "sha": main}
        assert (await client.post(f"{HOME}/git/refs", json=branch)).status_code == push


async def test_a_fine_grained_token_does_what_its_permissions_say(world: GitHubWorld, olga: Person) -> None:
    read: Permissions = {"issues": "read"}
    token = create_token(world.state, olga.user, permissions=read)
    olga.opens_issue("Broken", on=world.state.repository("olga", "shop"))
    async with world.client(token.value) as client:
        assert (await client.get(f"{HOME}/issues/1")).status_code == 200
        refused = await client.post(f"{HOME}/issues/1/comments", json={"body": "Hi"})
        assert refused.status_code == 403
        assert refused.json()["message"] == "Resource not accessible by personal access token"
        assert refused.headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"


async def test_a_classic_token_without_the_scope_sees_nothing_private(world: GitHubWorld, olga: Person) -> None:
    token = create_token(world.state, olga.user, scopes=["public_repo"])
    async with world.client(token.value) as client:
        assert (await client.get(HOME)).status_code == 404
        assert (await client.get("/user")).headers["x-oauth-scopes"] == "public_repo"


async def test_an_installation_token_ends_by_time_revocation_and_suspension(world: GitHubWorld, olga: Person) -> None:
    shop = world.state.repository("olga", "shop")
    app, _ = world.app(olga)
    installation = world.installed(app, shop)
    as_app = Actor(user=None, app=app)

    async def answer_after(end: Callable[[], object]) -> int:
        token = create_installation_token(world.state, as_app, installation.id)
        async with world.client(token.value) as client:
            assert (await client.get("/installation/repositories")).json()["total_count"] == 1
            ends[:] = [token]
            end()
            return (await client.get(f"{HOME}/issues")).status_code

    ends = [create_installation_token(world.state, as_app, installation.id)]
    assert await answer_after(lambda: revoke(ends[0])) == 401
    assert await answer_after(lambda: world.state.moments.advance(timedelta(minutes=61))) == 401
    assert await answer_after(lambda: suspend(world.state, installation)) == 403


async def test_an_app_asks_for_less_than_it_has_but_not_for_more(world: GitHubWorld, olga: Person) -> None:
    app, key = world.app(olga)
    installation = world.installed(app, world.state.repository("olga", "shop"))
    async with world.double.serving(), _kit(world, AppAuthStrategy(str(app.id), key)) as kit:
        home = f"/app/installations/{installation.id}/access_tokens"
        less = await kit.arequest("POST", home, json={"permissions": {"issues": "read"}, "repositories": ["shop"]})
        assert less.json()["permissions"] == {"issues": "read"}
        with pytest.raises(RequestFailed) as refused:
            await kit.arequest("POST", home, json={"permissions": {"issues": "admin"}})
        assert refused.value.response.status_code == 422


async def test_the_real_client_works_as_an_app(world: GitHubWorld, olga: Person) -> None:
    shop = world.state.repository("olga", "shop")
    issue = olga.opens_issue("Broken", on=shop)
    app, key = world.app(olga)
    installation = world.installed(app, shop)
    async with world.double.serving():
        async with _kit(world, AppAuthStrategy(str(app.id), key)) as kit:
            assert (await kit.rest.apps.async_get_authenticated()).parsed_data.slug == "caseworker"
        strategy = AppInstallationAuthStrategy(str(app.id), key, installation.id)
        async with _kit(world, strategy) as kit:
            made = await kit.rest.issues.async_create_comment("olga", "shop", 1, body="Looking into it.")
            assert made.parsed_data.user is not None
            assert made.parsed_data.user.login == "caseworker[bot]"
            await kit.rest.issues.async_add_labels("olga", "shop", 1, data={"labels": ["bot:triage"]})
            await kit.rest.reactions.async_create_for_issue_comment(
                "olga", "shop", made.parsed_data.id, content="rocket"
            )
            head = (await kit.rest.git.async_get_ref("olga", "shop", "heads/main")).parsed_data.object_.sha
            run: Json = {"name": "caseworker", "head_sha": head, "status": "in_progress"}
            check = (await kit.arequest("POST", f"{HOME}/check-runs", json=run)).json()
            done: Json = {"conclusion": "success", "output": {"title": "Fine", "summary": "All is well"}}
            ended = (await kit.arequest("PATCH", f"{HOME}/check-runs/{check['id']}", json=done)).json()
            assert (ended["status"], ended["app"]["slug"]) == ("completed", "caseworker")
            assert (await kit.rest.pulls.async_list("olga", "shop")).parsed_data == []
    assert [one.body for one in issue.comments] == ["Looking into it."]
    assert [one.name for one in issue.labels] == ["bot:triage"]
    assert [one.line for one in world.double.log.writes("caseworker[bot]")] == [
        "POST /repos/olga/shop/issues/1/comments 201 (caseworker[bot])",
        "POST /repos/olga/shop/issues/1/labels 200 (caseworker[bot])",
        f"POST /repos/olga/shop/issues/comments/{issue.comments[0].id}/reactions 201 (caseworker[bot])",
        "POST /repos/olga/shop/check-runs 201 (caseworker[bot])",
        f"PATCH /repos/olga/shop/check-runs/{check['id']} 200 (caseworker[bot])",
    ]


async def test_a_jwt_signed_with_another_key_is_refused(world: GitHubWorld, olga: Person) -> None:
    app, _ = world.app(olga)
    key, _ = new_key_pair()
    async with world.double.serving(), _kit(world, AppAuthStrategy(str(app.id), key)) as kit:
        with pytest.raises(RequestFailed) as refused:
            await kit.arequest("GET", "/app")
    assert refused.value.response.status_code == 401


async def test_an_app_is_made_from_a_manifest(world: GitHubWorld, olga: Person) -> None:
    world.state.manifests["code1"] = {
        "owner": "olga",
        "name": "My Caseworker",
        "default_permissions": dict(OWN_PERMISSIONS),
        "default_events": ["issues"],
        "hook_attributes": {"url": "http://127.0.0.1:9/webhook"},
    }
    async with world.client() as client:
        made = await client.post("/app-manifests/code1/conversions")
        assert (made.status_code, made.json()["slug"], made.json()["pem"][:5]) == (201, "my-caseworker", "-----")
        assert (await client.post("/app-manifests/code1/conversions")).status_code == 404


def _kit(
    world: GitHubWorld, auth: AppAuthStrategy | AppInstallationAuthStrategy
) -> GitHub[AppAuthStrategy | AppInstallationAuthStrategy]:
    """The real client. Its default cache of tokens is shared by all clients of a process: each gets its own."""
    cache = MemCacheStrategy()
    return GitHub(auth, base_url=f"{world.double.url}/", auto_retry=False, timeout=10, cache_strategy=cache)
