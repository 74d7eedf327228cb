"""`caseworker ship`, `review` and `resolve` on our own GitHub: what a dry run says, and what is refused."""

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.run_pull import SessionRequest, preview_session, run_session
from caseworker.core.base.errors import Refused
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.github_double.acts.repository_acts import protect
from caseworker.github_double.entities.protection import ReviewRule
from caseworker.store.store import open_store
from tests.app.pull_desk import begin_at
from tests.edges.github_shop import Shop, opened_shop
from tests.edges.test_github_probe import proposed


class Place:
    def __init__(self, shop: Shop, folder: Path) -> None:
        self.shop = shop
        self.paper = io.StringIO()
        known = {"home": folder / "home", "github_api_url": shop.state.api_url}
        self.settings = Settings.model_validate({**known, "github_token": shop.token_of("olga").value})

    async def dry_run(
        self, name: str, work: PullWork = "ship", *, deadline: str | None = None, as_json: bool = False
    ) -> int:
        request = SessionRequest(pull_request=name, work=work, deadline=deadline)
        return await preview_session(request, self.settings, Console(file=self.paper, width=200), as_json=as_json)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with opened_shop(tmp_path) as shop:
        yield Place(shop, tmp_path)


async def test_a_dry_run_of_ship_says_that_it_would_wait_and_writes_nothing(place: Place) -> None:
    pull = proposed(place.shop)
    rule = ReviewRule(approvals=1)
    protect(place.shop.state, place.shop.people["olga"], place.shop.repository, "main", checks=["ci"], reviews=rule)
    assert await place.dry_run(f"acme/shop#{pull.number}") == 0
    said = place.paper.getvalue()
    assert "Not ready: required checks may still begin until" in said
    assert said.endswith("\nNext: waiting. It waits: pending checks. Costs nothing.\n")
    assert not place.settings.home.exists()


async def test_a_dry_run_of_review_names_the_turn_and_its_price(place: Place) -> None:
    pull = proposed(place.shop)
    await place.dry_run(f"acme/shop#{pull.number}", "review")
    assert place.paper.getvalue().endswith("\nNext: reviewing. The tech lead reads the change. Costs at most $5.00.\n")


async def test_a_dry_run_as_json_has_the_verdict_and_the_act(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    pull = proposed(place.shop)
    await place.dry_run(f"acme/shop!{pull.number}", "review", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["version"], found["work"], found["readiness"]["outcome"]) == (1, "review", "not_ready")
    assert found["act"] == {
        "state": "reviewing",
        "reason": "The tech lead reads the change.",
        "end": None,
        "is_turn": True,
        "most_micros": 5_000_000,
    }


@pytest.mark.parametrize(
    ("name", "deadline", "says"),
    [
        ("acme/shop#{number}", "soon", "soon is no deadline for ship"),
        ("acme/shop#99", None, "GitHub has no pull request 99 there"),
        ("shop", None, "shop names no pull request"),
        ("acme/shop#{issue}", None, "is an issue, not a pull request. `caseworker run --issue http"),
    ],
)
async def test_what_can_not_begin_is_refused(place: Place, name: str, deadline: str | None, says: str) -> None:
    named = name.format(number=proposed(place.shop).number, issue=place.shop.issue().number)
    with pytest.raises(Refused, match=says):
        await place.dry_run(named, deadline=deadline)


async def test_without_a_model_nothing_is_begun(place: Place) -> None:
    request = SessionRequest(pull_request=f"acme/shop#{proposed(place.shop).number}", work="ship")
    with pytest.raises(Refused, match="no key and no rehearsal"):
        await run_session(request, place.settings, Console(file=place.paper), as_json=False)
    assert not place.settings.home.exists()


async def test_a_script_for_a_case_that_was_begun_without_it_is_refused(place: Place) -> None:
    pull = proposed(place.shop)
    place.settings.home.mkdir()
    store = await open_store(place.settings.database)
    await begin_at(store, place.shop.ref, pull.number, "ship", state=PullState.ENDED, end=SessionEnd.ABORTED)
    await store.close()
    request = SessionRequest(pull_request=f"acme/shop#{pull.number}", work="ship", rehearsal="turns: []")
    with pytest.raises(Refused, match="was begun with the real model, and keeps that: `--rehearse` is for a new case"):
        await run_session(request, place.settings, Console(file=place.paper), as_json=False)
