"""`caseworker caps`: what is shown, for people and programs, and what an owner may set."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.settings import Settings
from caseworker.app.terminal.show_caps import show_caps
from caseworker.core.base.errors import Refused


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"home": tmp_path / "home", "daily_budget_usd": 30})


async def typed(
    settings: Settings, *, daily: float | None = None, cases: int | None = None, reset: bool = False
) -> str:
    paper = io.StringIO()
    console = Console(file=paper, width=200)
    await show_caps(settings, console, daily=daily, cases=cases, reset=reset, author="olga", as_json=False)
    return paper.getvalue()


async def test_before_the_first_case_the_settings_are_shown_and_nothing_is_made(settings: Settings) -> None:
    assert await typed(settings) == "daily_budget_usd: $30.00 (the setting)\ncases_per_hour: 20 (the setting)\n"
    assert not settings.home.exists()


async def test_a_cap_may_be_set_before_the_first_case_and_reset(settings: Settings) -> None:
    assert (await typed(settings, daily=12.5)).startswith("daily_budget_usd: $12.50 (set by olga, ")
    assert "$30.00 (the setting)" in await typed(settings, reset=True)


async def test_programs_get_dollars_as_well(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    await show_caps(settings, Console(), daily=12.5, cases=7, reset=False, author="olga", as_json=True)
    assert json.loads(capsys.readouterr().out) == {"daily_budget_usd": 12.5, "cases_per_hour": 7}


@pytest.mark.parametrize("daily", [0, -3, 0.001, 1e30, float("nan"), float("inf")])
async def test_only_amounts_above_zero_are_caps(settings: Settings, daily: float) -> None:
    with pytest.raises(Refused, match=r"`--daily` is an amount from 0\.01 to 1,000,000 dollars"):
        await typed(settings, daily=daily)


@pytest.mark.parametrize("cases", [0, 10**20])
async def test_a_number_of_cases_has_bounds(settings: Settings, cases: int) -> None:
    with pytest.raises(Refused, match="`--cases` is a number from 1 to 1,000,000"):
        await typed(settings, cases=cases)
