"""`caseworker init github` and what `doctor` says of GitHub, on our own GitHub."""

import io
import json
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.load_settings import load_settings
from caseworker.app.settings import Settings
from caseworker.app.terminal.github_checks import examine_github
from caseworker.app.terminal.init_github import KEY, PAGE, RULES, AppWanted, check_access, offer_app, take_app
from caseworker.app.terminal.init_github import write_rules as write_to
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.evidence.repository_rules import read_rules
from caseworker.forges.github.app_needs import EVENTS, PERMISSIONS, app_manifest, missing_permissions
from caseworker.github_double.acts.account_acts import create_token
from caseworker.github_double.entities.accounts import Permissions
from caseworker.intake.github_webhook import PATH
from tests.world.github import OWN_PERMISSIONS, GitHubWorld, Person

WANTED = AppWanted(name="Caseworker", organization="", public_url="https://bot.example.org")


class Place:
    """olga's shop on GitHub, and settings of a deployment."""

    def __init__(self, world: GitHubWorld, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.olga: Person = world.user("olga")
        self.shop = world.repository(self.olga, "shop", is_private=True)
        self.paper = io.StringIO()
        self.console = Console(file=self.paper, width=300)

    def settings(self, **known: object) -> Settings:
        home = self.folder / "home"
        return Settings.model_validate({"home": home, "github_api_url": self.world.state.api_url, **known})

    def token(self, held: Permissions = OWN_PERMISSIONS) -> Settings:
        return self.settings(github_token=create_token(self.world.state, self.olga.user, permissions=held).value)

    @property
    def ref(self) -> RemoteRepository:
        host = self.world.state.url.partition("://")[2]
        return RemoteRepository(host=host, owner="olga", name="shop")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    world = GitHubWorld(tmp_path / "github")
    async with world.double.serving():
        yield Place(world, tmp_path)


async def marks(settings: Settings, repository: RemoteRepository | None = None) -> dict[str, tuple[str, str]]:
    return {check.what: (check.mark, check.says) for check in await examine_github(settings, repository)}


def test_the_manifest_asks_for_what_is_needed_and_no_more() -> None:
    manifest = json.loads(app_manifest(name="Caseworker", public_url="https://bot.example.org/"))
    assert manifest["default_permissions"] == {name: level for name, (level, _) in PERMISSIONS.items()}
    assert not {"administration", "workflows", "secrets"} & set(manifest["default_permissions"])
    assert manifest["hook_attributes"] == {"url": f"https://bot.example.org{PATH}", "active": True}
    assert manifest["default_events"] == list(EVENTS)
    without = json.loads(app_manifest(name="Caseworker", public_url=""))
    assert without["hook_attributes"]["active"] is False


def test_a_missing_permission_is_told_with_its_reason() -> None:
    held = {name: level for name, (level, _) in PERMISSIONS.items()} | {"issues": "read"}
    assert missing_permissions(held) == ["issues: write (to read issues, to comment, react and remove labels)"]


async def test_without_access_both_ways_to_get_it_are_told(place: Place) -> None:
    assert await check_access(place.settings(), place.console, "") == 2
    said = place.paper.getvalue()
    assert "caseworker init github --app" in said
    assert "contents: write" in said


async def test_an_app_is_made_from_its_manifest_and_its_keys_are_kept(place: Place) -> None:
    home = place.folder / "home"
    assert offer_app(place.settings(), place.console, WANTED) == 0
    assert 'action="http' in (home / PAGE).read_text()
    manifest = json.loads(app_manifest(name="Caseworker", public_url="https://bot.example.org"))
    place.world.state.manifests["c0de"] = {**manifest, "owner": "olga"}
    (home / "caseworker.toml").write_text("slots = 3\n[models]\n")
    assert await take_app(place.settings(), place.console, "c0de") == 0
    assert stat.S_IMODE((home / KEY).stat().st_mode) == 0o600
    made = load_settings({"CASEWORKER_HOME": str(home), "CASEWORKER_GITHUB_API_URL": place.world.state.api_url})
    assert made.slots == 3
    (app,) = place.world.state.apps.values()
    assert app.callback_urls == ["https://bot.example.org/login/github/back"]
    assert made.github_client_secret is not None
    assert (made.github_client_id, made.github_client_secret.get_secret_value()) == (app.client_id, app.client_secret)
    found = await marks(made)
    assert found["github"] == ("ok", "the App caseworker")
    assert found["github installations"][0] == "missing"
    assert "github permissions" not in found
    with pytest.raises(Refused, match="set up already"):
        await take_app(made, place.console, "c0de")


async def test_a_code_that_github_does_not_know_is_refused(place: Place) -> None:
    with pytest.raises(Refused, match="it counts once"):
        await take_app(place.settings(), place.console, "c0de")
    assert not (place.folder / "home" / KEY).exists()


async def test_a_token_is_tried_on_a_repository(place: Place) -> None:
    good = await marks(place.token(), place.ref)
    assert good["github"][1].startswith("a token of olga, fine-grained")
    assert good["github clock"][0] == "ok"
    lacks = "lacking: check runs, for which GitHub offers fine-grained tokens no permission: use an App"
    assert good[str(place.ref)] == ("missing", lacks)  # a private repository
    poor = await marks(place.token({"metadata": "read", "contents": "write"}), place.ref)
    assert poor[str(place.ref)][0] == "missing"
    assert "pull_requests: write (to open and update pull requests)" in poor[str(place.ref)][1]


async def test_reading_a_public_repository_proves_nothing_about_a_token(place: Place) -> None:
    place.shop.is_private = False
    mark, says = (await marks(place.token({"metadata": "read"}), place.ref))[str(place.ref)]
    assert mark == "note"
    assert "everybody may read it" in says


async def test_an_app_that_lacks_something_is_told_what_and_why(place: Place) -> None:
    app, key = place.world.app(place.olga, url="http://127.0.0.1:9/github/webhooks")
    app.permissions = {"metadata": "read", "issues": "write"}
    app.events = ["issues"]
    place.world.installed(app, place.shop)
    place.olga.opens_issue("Something", on=place.shop)
    await place.world.double.webhooks.settled()
    found = await marks(place.settings(github_app_id=str(app.id), github_app_private_key=key))
    assert set(found) == {
        "github clock",
        "github",
        "github permissions",
        "github events",
        "github installations",
        "github webhook",
    }
    assert found["github permissions"][1].startswith("the App lacks contents: write (to read the code")
    assert "issue_comment (what people say)" in found["github events"][1]
    assert found["github installations"] == ("ok", "on olga")
    assert "2 of the last 2 deliveries failed" in found["github webhook"][1]


async def test_a_wrong_token_and_a_wrong_clock_are_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "does not accept the token" in (await marks(place.settings(github_token="github_pat_no")))["github"][1]
    settings = place.token()
    later = (datetime.now(UTC) + timedelta(minutes=5)).timestamp()
    monkeypatch.setattr("caseworker.forges.github.examine.time.time", lambda: later)
    mark, says = (await marks(settings))["github clock"]
    assert mark == "missing"
    assert "ahead of GitHub" in says


async def test_rules_are_written_on_request_and_never_over_others(place: Place) -> None:
    checkout = place.folder / "checkout"
    with pytest.raises(Refused, match="not the top of a git repository"):
        write_to(place.console, checkout)
    (checkout / ".git").mkdir(parents=True)
    assert write_to(place.console, checkout) == 0
    assert (checkout / ".caseworker.toml").read_text() == RULES
    with pytest.raises(Refused, match="is there already"):
        write_to(place.console, checkout)


def test_the_written_rules_are_read_also_with_every_line_switched_on() -> None:
    read_rules(RULES)
    lines = [line.removeprefix("# ") for line in RULES.splitlines()[1:]]
    assert read_rules("\n".join(lines)).approve_plan
