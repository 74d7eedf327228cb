"""The GitHub client against our own GitHub: tokens, pages, conditional requests, limits and failures."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest

from caseworker.core.base.errors import RateLimited, Refused, ResultUnknown, Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.connect import connect
from caseworker.forges.github.credentials import AppCredentials
from caseworker.forges.github.delivery_reads import DeliveryReader
from caseworker.forges.github.github_access import GitHubAccess
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.transport import Transport
from caseworker.forges.github.writes import AddComment
from caseworker.github_double.acts.account_acts import revoke, suspend
from caseworker.github_double.acts.repository_acts import new_hook
from tests.edges.github_shop import Shop, opened_shop


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


def _tokens_made(shop: Shop) -> int:
    return sum(entry.path.endswith("/access_tokens") for entry in shop.double.log.entries)


async def test_an_app_gets_one_token_for_many_requests(shop: Shop) -> None:
    issue = shop.issue()
    await asyncio.gather(*(shop.reader.issue(shop.ref, issue.number) for _ in range(5)))
    assert (await shop.reader.repository(shop.ref)).default_branch == "main"
    assert _tokens_made(shop) == 1
    assert await shop.reader.whoami() == "caseworker[bot]"


async def test_an_apps_token_is_renewed_before_it_expires(shop: Shop) -> None:
    now = [shop.state.now()]
    credentials = AppCredentials(
        Transport(ApiAddress(shop.access.api_url)),
        app_id=shop.access.app_id,
        private_key=shop.access.app_private_key,
        clock=lambda: now[0],
    )
    first = await credentials.of(shop.ref)
    now[0] += timedelta(minutes=54)
    assert await credentials.of(shop.ref) == first
    now[0] += timedelta(minutes=2)
    assert await credentials.of(shop.ref) != first


async def test_a_revoked_token_of_an_app_is_replaced_and_the_write_goes_on(shop: Shop) -> None:
    issue = shop.issue()
    await shop.reader.repository(shop.ref)
    for token in shop.state.tokens.values():
        revoke(token)
    await shop.broker.do(shop.ref, AddComment(number=issue.number, text="Hello", key="one"), look=False)
    assert len(issue.comments) == 1
    assert _tokens_made(shop) == 2


async def test_a_revoked_token_of_a_person_is_refused_with_what_to_do(shop: Shop) -> None:
    token = shop.token_of("olga")
    assert await shop.reader.whoami() == "olga"
    revoke(token)
    with pytest.raises(Refused, match=r"it was revoked, has expired, or is wrong\. Make a new one"):
        await shop.reader.repository(shop.ref)


async def test_an_app_that_is_not_installed_says_where_to_install_it(shop: Shop) -> None:
    other = RemoteRepository(host=shop.ref.host, owner="sam", name="else")
    with pytest.raises(Refused, match=r"The GitHub App is not installed on sam/else\. Install it there"):
        await shop.reader.repository(other)


async def test_a_suspended_installation_is_refused(shop: Shop) -> None:
    suspend(shop.state, shop.installation)
    with pytest.raises(Refused, match="suspended"):
        await shop.reader.repository(shop.ref)


async def test_a_wrong_private_key_is_refused_before_anything_is_sent(shop: Shop) -> None:
    access = GitHubAccess(api_url=shop.state.api_url, app_id="7", app_private_key="-----BEGIN RSA PRIVATE KEY-----")
    with pytest.raises(Refused, match="The private key of the GitHub App can't be read"):
        await GitHubReader(connect(access)).repository(shop.ref)
    assert shop.double.log.entries == []


async def test_all_pages_are_read_and_those_since_a_moment(shop: Shop) -> None:
    issue = shop.issue()
    for number in range(205):
        shop.says("rita", issue, f"comment {number}")
    found = await shop.reader.comments(shop.ref, issue.number)
    assert [one.body for one in found] == [f"comment {number}" for number in range(205)]
    shop.state.moments.advance(timedelta(minutes=5))
    since = shop.state.now()
    shop.says("olga", issue, "late")
    assert [one.body for one in await shop.reader.comments(shop.ref, issue.number, since=since)] == ["late"]
    assert [one.number for one in await shop.reader.issues_changed(shop.ref, since=since)] == [issue.number]


async def test_a_page_that_is_added_after_a_full_one_is_read(shop: Shop) -> None:
    issue = shop.issue()
    for number in range(100):
        shop.says("rita", issue, f"remark {number}")
    assert len(await shop.reader.comments(shop.ref, issue.number)) == 100
    shop.says("rita", issue, "one more")
    assert len(await shop.reader.comments(shop.ref, issue.number)) == 101


async def test_an_unchanged_answer_costs_nothing_of_the_limit(shop: Shop) -> None:
    issue = shop.issue()
    first = await shop.reader.issue(shop.ref, issue.number)
    shop.double.log.clear()
    assert await shop.reader.issue(shop.ref, issue.number) == first
    assert [entry.status for entry in shop.double.log.entries] == [304]
    shop.says("rita", issue, "new")
    shop.state.moments.advance(timedelta(minutes=1))
    shop.says("rita", issue, "newer")
    assert (await shop.reader.issue(shop.ref, issue.number)).updated_at != first.updated_at


async def test_an_unchanged_answer_is_given_though_others_took_its_place_meanwhile(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue, other = shop.issue(), shop.issue()
    first = await shop.reader.issue(shop.ref, issue.number)
    monkeypatch.setattr("caseworker.forges.github.api._KEPT_BYTES", 1)  # the next answer pushes it out
    shop.double.log.clear()
    shop.double.faults.request("slow", f"/issues/{issue.number}", seconds=0.5)
    again, _ = await asyncio.gather(
        shop.reader.issue(shop.ref, issue.number), shop.reader.issue(shop.ref, other.number)
    )
    assert again == first
    assert [entry.status for entry in shop.double.log.entries] == [200, 304]


async def test_roles_of_people(shop: Shop) -> None:
    roles = [await shop.reader.role(shop.ref, login) for login in ("olga", "rita", "sam", "nobody-at-all")]
    assert roles == ["admin", "write", "none", "none"]


@pytest.mark.parametrize("retry_after", [30, None])
async def test_a_secondary_limit_is_remembered_and_not_asked_again(shop: Shop, retry_after: int | None) -> None:
    await shop.reader.repository(shop.ref)
    shop.double.limits.refuse_next(retry_after=retry_after)
    with pytest.raises(RateLimited) as limited:
        await shop.reader.labels(shop.ref, shop.issue().number)
    assert limited.value.seconds == (retry_after or 60)
    shop.double.log.clear()
    with pytest.raises(RateLimited):
        await shop.reader.repository(shop.ref)
    assert shop.double.log.entries == []


async def test_the_primary_limit_says_when_it_ends(shop: Shop) -> None:
    await shop.reader.repository(shop.ref)
    shop.double.limits.per_hour = 1
    shop.double.limits.windows.clear()
    await shop.reader.branch(shop.ref, "main")
    with pytest.raises(RateLimited) as limited:
        await shop.reader.labels(shop.ref, shop.issue().number)
    assert 3_500 < limited.value.seconds <= 3_601


async def test_a_failed_read_is_transient_and_a_lost_write_unknown(shop: Shop) -> None:
    issue = shop.issue()
    await shop.reader.whoami()
    shop.double.faults.request("fails_before", "/issues/", method="GET")
    with pytest.raises(Transient):
        await shop.reader.issue(shop.ref, issue.number)
    shop.double.faults.request("lost", "/comments", method="POST")
    with pytest.raises(ResultUnknown):
        await shop.broker.do(shop.ref, AddComment(number=issue.number, text="Hello", key="one"), look=False)
    assert len(issue.comments) == 1


async def test_nobody_listening_is_transient_even_for_a_write(shop: Shop) -> None:
    access = GitHubAccess(api_url="http://127.0.0.1:9/api/v3", token="t")
    with pytest.raises(Transient) as failed:
        await connect(access).write(shop.ref, "POST", "repos/acme/shop/issues", dict, body={})
    assert not isinstance(failed.value, ResultUnknown)


async def test_what_may_not_be_done_names_the_missing_permission(shop: Shop) -> None:
    for token in ("issues", "pull_requests"):
        shop.installation.permissions[token] = "read"
    with pytest.raises(GitHubRefused, match=re.escape("it needs issues: write")):
        await shop.broker.do(shop.ref, AddComment(number=shop.issue().number, text="Hello", key="one"))


async def test_the_client_works_over_a_unix_socket_and_without_the_enterprise_path(tmp_path: Path) -> None:
    with TemporaryDirectory() as short:
        async with opened_shop(tmp_path, uds=Path(short) / "s") as shop:
            ours = shop.access
            access = GitHubAccess(
                api_url="http://api.github.test", app_id=ours.app_id, app_private_key=ours.app_private_key
            )
            api = connect(access, inner=httpx.AsyncHTTPTransport(uds=str(Path(short) / "s")))
            assert (await GitHubReader(api).repository(shop.ref)).full_name == "acme/shop"


async def test_no_token_is_shown_by_what_we_hold(shop: Shop) -> None:
    token = shop.token_of("olga")
    login = await shop.api.credentials.of(shop.ref)
    assert token.value not in repr(login) + repr(shop.access) + repr(shop.api.__dict__)


async def test_failed_deliveries_are_found_in_the_apps_log(shop: Shop) -> None:
    app = shop.installation.app
    app.events.append("issues")
    app.hook = new_hook(shop.state, url="http://127.0.0.1:9/", secret="s", events=["issues"], is_of_app=True)
    since = shop.state.now() - timedelta(minutes=1)
    shop.issue("Lost one")
    await shop.double.webhooks.settled()
    reader = DeliveryReader(shop.api)
    (failed,) = await reader.failed(since=since)
    assert (failed.event, failed.action) == ("issues", "opened")
    detail = await reader.detail(failed.id)
    assert detail.request.headers["X-GitHub-Delivery"] == failed.guid
    shop.token_of("olga")
    with pytest.raises(Refused, match="This needs a GitHub App"):
        await DeliveryReader(shop.api).failed(since=since)
