"""Log-ins with GitHub: who gets in, what they see by their role there, and what they may press."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from caseworker.app.processes.dashboard_server import forge_access
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.forge_roles import RepositoryRole
from caseworker.core.people.messages import Standing
from caseworker.core.record.entries import Noted
from caseworker.dashboard.access_tokens import Rank
from caseworker.dashboard.forge_access import FRESH_SECONDS, STALE_SECONDS, ForgeAccess
from caseworker.github_double.acts.repository_acts import add_collaborator
from caseworker.github_double.entities.accounts import Role
from caseworker.store.store import Store
from tests.dashboard.github_world import GitHubWorld, github_world
from tests.dashboard.live_page import LivePage
from tests.dashboard.visitor import HERE, Visitor, visit
from tests.edges.store_examples import TRACE, open_case
from tests.patience import PATIENCE

BACK = f"{HERE}/login/github/back"
SHOP = "/cases/olga/shop~1"
TOOLS = "/cases/olga/tools~1"


@pytest.fixture
async def world(store: Store, tmp_path: Path) -> AsyncIterator[GitHubWorld]:
    async with github_world(tmp_path / "github", BACK) as world:
        await world.open_case(store, world.shop, "Checkout is broken")
        await world.open_case(store, world.tools, "The secret tool")
        yield world


@asynccontextmanager
async def stranger(store: Store, home: Path, world: GitHubWorld, **settings: object) -> AsyncIterator[Visitor]:
    """Somebody at a dashboard where log-ins with GitHub are set up."""
    async with visit(store, home, forge=forge_access(world.settings(home, **settings), store)) as visitor:
        yield visitor


async def authorizes(world: GitHubWorld, visitor: Visitor, login: str, to: str = "/") -> str:
    """Begins a log-in and says yes on GitHub as this person. Returns the path with which the browser comes back."""
    begun = await visitor.client.get("/login/github", params={"to": to})
    assert begun.status_code == 303
    async with httpx.AsyncClient(cookies={"person": login}) as browser:
        asked = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
        answer = await browser.post(begun.headers["location"], data=asked)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"].removeprefix(HERE)


async def logs_in(world: GitHubWorld, visitor: Visitor, login: str, to: str = "/") -> httpx.Response:
    return await visitor.client.get(await authorizes(world, visitor, login, to))


async def test_a_person_sees_only_the_repositories_of_their_roles(
    store: Store, tmp_path: Path, world: GitHubWorld
) -> None:
    async with stranger(store, tmp_path, world) as dana:
        assert (await logs_in(world, dana, "dana", SHOP)).headers["location"] == SHOP
        board = await dana.sees("/")
        assert "Checkout is broken" in board
        assert "secret" not in board
        for path in ("/costs", "/repositories", "/needs-you", "/deliveries"):
            assert "tools" not in await dana.sees(path)
        for path in (TOOLS, "/live/cases/olga/tools~1", "/status"):
            assert (await dana.client.get(path)).status_code in (403, 404)
        await logs_in(world, dana, "olga")
        assert "The secret tool" in await dana.sees("/")


async def test_what_a_person_may_press_goes_by_their_role(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    case = CaseId("olga/shop#1")
    async with stranger(store, tmp_path, world) as visitor:
        await logs_in(world, visitor, "rita")
        assert "<textarea" not in await visitor.sees(SHOP)
        assert (await visitor.sends(case, "takeover")).status_code == 409
        assert visitor.bell.rung == []
        await logs_in(world, visitor, "dana")
        await visitor.sends(case, "takeover")
        assert visitor.bell.kinds == [MessageKind.TAKEOVER]
        sent = (await store.inbox.of(case))[-1]
        assert (sent.author, sent.standing) == ("dana", Standing.DEVELOPER)


async def test_nobody_without_a_role_gets_in(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    world.shop.is_private = False  # on which everybody has the role of a reader
    async with stranger(store, tmp_path, world) as sam:
        answer = await logs_in(world, sam, "sam")
        assert answer.status_code == 401
        assert "sam has no role on a repository that has cases here." in answer.text
        assert (await sam.client.get("/")).headers["location"] == "/login"


async def test_an_owner_of_the_deployment_sees_everything(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    await open_case(store, "In a folder of this machine")
    async with stranger(store, tmp_path, world, allowed_owners=["Sam"]) as sam:
        await logs_in(world, sam, "sam")
        board = await sam.sees("/")
        assert "The secret tool" in board
        assert "In a folder of this machine" in board


async def test_a_log_in_ends_in_the_browser_that_began_it(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    async with stranger(store, tmp_path, world) as attacker, stranger(store, tmp_path, world) as victim:
        link = await authorizes(world, attacker, "dana")
        assert (await victim.client.get(link)).status_code == 401
        await victim.client.get("/login/github")
        answer = await victim.client.get(link)
        assert answer.status_code == 401
        assert "This log-in was not begun in this browser" in answer.text
        assert (await victim.client.get("/")).status_code == 303


async def test_a_stolen_code_is_worth_nothing_without_the_browsers_secret(
    store: Store, tmp_path: Path, world: GitHubWorld
) -> None:
    async with stranger(store, tmp_path, world) as dana, stranger(store, tmp_path, world) as thief:
        stolen = dict(parse_qsl(urlsplit(await authorizes(world, dana, "dana")).query))["code"]
        own = dict(parse_qsl(urlsplit(await authorizes(world, thief, "sam")).query))["state"]
        answer = await thief.client.get("/login/github/back", params={"code": stolen, "state": own})
        assert answer.status_code == 401
        assert "GitHub did not take the log-in." in answer.text


async def test_a_person_who_says_no_is_told_so(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    async with stranger(store, tmp_path, world) as dana:
        state = dict(parse_qsl(urlsplit(await authorizes(world, dana, "dana")).query))["state"]
        answer = await dana.client.get("/login/github/back", params={"error": "access_denied", "state": state})
        assert "Nobody was logged in." in answer.text


async def test_the_log_in_leads_to_no_other_site(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    async with stranger(store, tmp_path, world) as dana:
        assert (await logs_in(world, dana, "dana", "//evil.example/")).headers["location"] == "/"


async def test_no_secret_is_written_down(store: Store, tmp_path: Path, world: GitHubWorld) -> None:
    async with stranger(store, tmp_path, world) as dana:
        await logs_in(world, dana, "dana")
    kept = b"".join(file.read_bytes() for file in (tmp_path / "dashboard").rglob("*") if file.is_file())
    tokens = [token.value for token in world.double.state.tokens.values()]
    assert tokens
    assert not [token for token in tokens if token.encode() in kept]


async def test_an_open_page_of_somebody_who_loses_their_role_ends(
    store: Store, tmp_path: Path, world: GitHubWorld
) -> None:
    passed = [0.0]
    settings = world.settings(tmp_path)
    known = forge_access(settings, store)
    assert known is not None
    forge = ForgeAccess(login=known.login, store=store, clock=lambda: passed[0])
    async with visit(store, tmp_path, forge=forge) as dana:
        add_collaborator(world.double.state, world.tools, world.user("dana"), Role.READ)
        await logs_in(world, dana, "dana")
        async with LivePage.of(dana, "/live/cases/olga/shop~1?after=0") as page:
            await page.region("headline")
            del world.shop.collaborators["dana"]
            passed[0] += FRESH_SECONDS + 1
            await store.record.append(CaseId("olga/shop#1"), [Noted(text="secret")], trace=TRACE)
            async with asyncio.timeout(PATIENCE):
                await page.ended.wait()
        assert (await dana.client.get(SHOP)).status_code == 404


class UnreachableGitHub:
    """A `WebLogin` that can be switched off."""

    is_up = True

    def address(self, *, state: str, verifier: str, back: str) -> str:
        raise NotImplementedError

    async def who(self, code: str, *, verifier: str, back: str) -> str:
        raise NotImplementedError

    async def role(self, repository: RemoteRepository, login: str) -> RepositoryRole:
        if not self.is_up:
            raise Transient("GitHub did not answer.")
        return RepositoryRole.WRITE


async def test_what_was_known_counts_for_a_while_when_github_is_away(store: Store, world: GitHubWorld) -> None:
    passed, github = [0.0], UnreachableGitHub()
    forge = ForgeAccess(login=github, store=store, clock=lambda: passed[0])
    assert await forge.viewer("dana") is not None
    github.is_up = False
    passed[0] = STALE_SECONDS - 1
    viewer = await forge.viewer("dana")
    assert viewer is not None
    assert viewer.rank_on(RepositoryId("olga/shop")) is Rank.DEVELOPER
    passed[0] = STALE_SECONDS + 1
    with pytest.raises(Transient):
        await forge.viewer("dana")


async def test_without_the_settings_nobody_is_offered_it(store: Store, tmp_path: Path) -> None:
    async with visit(store, tmp_path) as visitor:
        assert "GitHub" not in await visitor.sees("/login")
        assert (await visitor.client.get("/login/github")).status_code == 404
