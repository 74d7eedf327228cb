"""`caseworker ready` on our own GitHub: what it prints, and what it ends with."""

import io
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.show_readiness import show_readiness
from caseworker.core.pull.case import PullState
from caseworker.core.pull.own_check import SETTLE
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.protection import ReviewRule
from caseworker.github_double.entities.repository import PullRequest
from caseworker.store.store import open_store
from tests.app.pull_desk import begin_at
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.test_github_probe import proposed


class Place:
    def __init__(self, shop: Shop, folder: Path) -> None:
        self.shop, self.folder = shop, folder
        self.paper = io.StringIO()
        self.token = shop.token_of("olga").value

    async def ready(self, name: str, *, as_json: bool = False, token: str | None = None) -> int:
        known = {"home": self.folder / "home", "github_api_url": self.shop.state.api_url}
        held = self.token if token is None else token
        settings = Settings.model_validate({**known, **({"github_token": held} if held else {})})
        return await show_readiness(settings, Console(file=self.paper, width=200), name, as_json=as_json)

    async def has_a_session(self, pull: PullRequest, **known: object) -> None:
        """A session on this pull request is on the record here."""
        (self.folder / "home").mkdir()
        store = await open_store(Settings.model_validate({"home": self.folder / "home"}).database)
        await begin_at(store, self.shop.ref, pull.number, "ship", **known)
        await store.close()


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with opened_shop(tmp_path) as shop:
        yield Place(shop, tmp_path)


async def test_reasons_are_printed_and_the_exit_code_is_one(place: Place) -> None:
    pull = proposed(place.shop)
    rule = ReviewRule(approvals=1)
    protect(place.shop.state, place.shop.people["olga"], place.shop.repository, "main", checks=["ci"], reviews=rule)
    assert await place.ready(f"acme/shop#{pull.number}") == 1
    until = place.shop.state.now() + SETTLE
    assert (
        place.paper.getvalue()
        == f"""\
acme/shop#{pull.number}  Fix
Not ready: required checks may still begin until {until:%H:%M} UTC, and 1 more.

required checks may still begin until {until:%H:%M} UTC (pending_checks)
  must move:  CI
  seen:       ci: required, not reported yet
  what helps: Wait. If a check stays queued, look whether its runner is there.

a review is required (review_required)
  must move:  a reviewer with write access
  seen:       0 of 1 approvals
  what helps: Review the pull request, or ask somebody to.
"""
    )


async def test_json_has_every_reason(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    pull = proposed(place.shop)
    assert await place.ready(f"acme/shop#{pull.number}", as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["version"], found["outcome"], found["ready"], found["leading"]) == (
        1,
        "not_ready",
        False,
        "pending_checks",
    )
    assert [one["kind"] for one in found["reasons"]] == ["pending_checks"]
    assert found["head"] == pull.head.sha


@pytest.mark.parametrize("name", ["acme/shop#{}", "acme/shop/pull/{}", "acme/shop!{}", "shop!{}", "!{}", "pull/{}"])
async def test_a_push_on_record_is_waited_for_however_the_pull_request_is_named(place: Place, name: str) -> None:
    pull, now = proposed(place.shop), datetime.now(UTC)
    head = pull.head.sha
    await place.has_a_session(pull, head=head, baseline=head, pushed=(head,), pushed_at=now, head_seen_at=now)
    assert await place.ready(name.format(pull.number)) == 1
    assert "review_barrier" in place.paper.getvalue()


async def test_a_push_after_the_session_ended_is_no_takeover(place: Place) -> None:
    pull = proposed(place.shop)
    await place.has_a_session(pull, state=PullState.ENDED, head="a" * 40, baseline="a" * 40)
    assert await place.ready(f"acme/shop#{pull.number}") == 1
    assert "human_took_over" not in place.paper.getvalue()


@pytest.mark.parametrize(
    ("name", "token", "says"),
    [
        ("acme/shop#99", None, "GitHub has no pull request 99 there"),
        ("acme/shop#2", "", "GitHub is not set up. Set CASEWORKER_GITHUB_TOKEN"),
        ("acme/shop#2", "wrong", "GitHub does not accept the token"),
        ("shop", None, "shop names no pull request. Write OWNER/REPO/pull/57"),
    ],
)
async def test_what_cannot_be_judged_ends_with_two(place: Place, name: str, token: str | None, says: str) -> None:
    assert await place.ready(name, token=token) == 2
    assert says in place.paper.getvalue()
