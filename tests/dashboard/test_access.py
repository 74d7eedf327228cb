"""Who gets in: links, tokens, sessions, hosts, origins, and what an answer carries."""

from pathlib import Path

import pytest

from caseworker.core.people.commands import MessageKind
from caseworker.dashboard.access_tokens import Rank, new_token
from caseworker.dashboard.viewers import Viewer
from caseworker.store.store import Store
from tests.dashboard.visitor import FROM_HERE, Visitor, visit
from tests.edges.store_examples import open_case


async def test_a_stranger_sees_only_the_login_page(store: Store, tmp_path: Path) -> None:
    await open_case(store, "Secret plans")
    async with visit(store, tmp_path) as stranger:
        for path in ("/", "/cases/local/shop~1", "/live/board", "/live/cases/local/shop~1", "/cases/bug-NONE"):
            answer = await stranger.client.get(path)
            assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/login")
        assert "Secret" not in await stranger.sees("/login")


async def test_a_link_works_once(store: Store, tmp_path: Path) -> None:
    async with visit(store, tmp_path) as stranger:
        secret = stranger.backend.sessions.new_link(Viewer(name="ada", rank=Rank.OWNER))
        first = await stranger.client.get(f"/enter/{secret}?to=/cases/bug-7F3K")
        assert first.headers["location"] == "/cases/bug-7F3K"
        assert (await stranger.client.get(f"/enter/{secret}")).status_code == 401


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
async def test_a_link_leads_to_no_other_site(store: Store, tmp_path: Path, to: str) -> None:
    async with visit(store, tmp_path) as stranger:
        secret = stranger.backend.sessions.new_link(Viewer(name="ada", rank=Rank.OWNER))
        answer = await stranger.client.get(f"/enter/{secret}", params={"to": to})
        assert answer.headers["location"] == "/"


async def test_the_cookie_is_for_this_site_and_not_for_scripts(store: Store, tmp_path: Path) -> None:
    async with visit(store, tmp_path, public="https://cases.example.org") as stranger:
        secret = stranger.backend.sessions.new_link(Viewer(name="ada", rank=Rank.OWNER))
        cookie = (await stranger.client.get(f"/enter/{secret}")).headers["set-cookie"]
        assert cookie.startswith("__Host-caseworker=")
        for part in ("HttpOnly", "Path=/", "SameSite=lax", "Secure"):
            assert part in cookie


async def test_a_log_out_ends_the_session_everywhere(visitor: Visitor) -> None:
    cookies = dict(visitor.client.cookies)
    await visitor.client.post("/logout", headers=FROM_HERE)
    visitor.client.cookies.update(cookies)
    assert (await visitor.client.get("/")).status_code == 303


async def test_a_session_survives_a_restart(visitor: Visitor, store: Store, tmp_path: Path) -> None:
    async with visit(store, tmp_path) as later:
        later.client.cookies.update(visitor.client.cookies)
        await later.sees("/")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8480", "", "127.0.0.1.evil.example", "127.0.0.1:1.evil.example", "a@localhost", "["],
)
async def test_a_foreign_host_name_is_not_answered(visitor: Visitor, host: str) -> None:
    assert (await visitor.client.get("/", headers={"host": host})).status_code == 421


@pytest.mark.parametrize(
    "headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}, {"origin": "null"}, {}]
)
async def test_a_press_from_another_site_does_nothing(visitor: Visitor, store: Store, headers: dict[str, str]) -> None:
    await open_case(store)
    form = {"action": "takeover", "key": "1"}
    answer = await visitor.client.post("/cases/local/shop~1/messages", data=form, headers=headers)
    assert answer.status_code == 403
    assert visitor.bell.rung == []


async def test_a_reader_sees_no_button_and_can_press_none(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    await visitor.enters(Rank.READER)
    assert "<textarea" not in await visitor.sees("/cases/local/shop~1")
    answer = await visitor.sends(case, "takeover")
    assert answer.status_code == 409
    assert "You may look at this case" in answer.text
    assert visitor.bell.rung == []


async def test_a_viewer_of_another_repository_finds_nothing(visitor: Visitor, store: Store) -> None:
    case = await open_case(store, "Secret plans")
    await visitor.enters(repositories=("acme/*",))
    assert "Secret" not in await visitor.sees("/")
    for path in ("/cases/local/shop~1", "/live/cases/local/shop~1", "/cases/local/shop~1/turns/1"):
        assert (await visitor.client.get(path)).status_code == 404
    assert (await visitor.sends(case, "takeover")).status_code == 404


async def test_a_token_logs_in_with_its_rank(store: Store, tmp_path: Path) -> None:
    secret, token = new_token()
    case = await open_case(store)
    tokens = {"ci": token.model_copy(update={"rank": Rank.DEVELOPER})}
    async with visit(store, tmp_path, tokens=tokens) as visitor:
        answer = await visitor.client.post("/login", data={"token": secret}, headers=FROM_HERE)
        assert answer.headers["location"] == "/"
        await visitor.sends(case, "takeover")
        assert visitor.bell.kinds == [MessageKind.TAKEOVER]
        assert [message.author for message in await store.inbox.of(case)][-1] == "ci"


async def test_a_log_in_leads_on_to_the_page_that_was_asked_for(store: Store, tmp_path: Path) -> None:
    secret, token = new_token()
    async with visit(store, tmp_path, tokens={"ci": token}) as visitor:
        there = (await visitor.client.get("/deliveries?outcome=failed")).headers["location"]
        assert 'name="to" value="/deliveries?outcome=failed"' in await visitor.sees(there)
        form = {"token": secret, "to": "/deliveries?outcome=failed"}
        answer = await visitor.client.post("/login", data=form, headers=FROM_HERE)
        assert answer.headers["location"] == "/deliveries?outcome=failed"


async def test_failed_log_ins_are_slowed_down(store: Store, tmp_path: Path) -> None:
    async with visit(store, tmp_path) as stranger:
        codes = [
            (await stranger.client.post("/login", data={"token": "wrong"}, headers=FROM_HERE)).status_code
            for _ in range(12)
        ]
    assert codes == [401] * 10 + [429] * 2


async def test_wrong_links_lock_nobody_out_and_a_preview_does_not_use_a_link_up(store: Store, tmp_path: Path) -> None:
    async with visit(store, tmp_path) as stranger:
        assert {(await stranger.client.get("/enter/wrong")).status_code for _ in range(12)} == {401}
        secret = stranger.backend.sessions.new_link(Viewer(name="ada", rank=Rank.OWNER))
        assert "set-cookie" not in (await stranger.client.head(f"/enter/{secret}")).headers
        assert (await stranger.client.get(f"/enter/{secret}")).status_code == 303


async def test_another_site_can_not_log_somebody_in_or_use_up_their_tries(store: Store, tmp_path: Path) -> None:
    secret, token = new_token()
    async with visit(store, tmp_path, tokens={"ci": token}) as stranger:
        away = {"origin": "https://evil.example"}
        for given in (secret, *["wrong"] * 12):
            assert (await stranger.client.post("/login", data={"token": given}, headers=away)).status_code == 403
        answer = await stranger.client.post("/login", data={"token": secret}, headers=FROM_HERE)
        assert answer.status_code == 303


async def test_an_origin_that_is_no_address_is_refused(visitor: Visitor) -> None:
    assert (await visitor.client.post("/logout", headers={"origin": "http://["})).status_code == 403


async def test_every_answer_has_the_security_headers(visitor: Visitor) -> None:
    for path in ("/", "/login", "/nowhere"):
        headers = (await visitor.client.get(path)).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
