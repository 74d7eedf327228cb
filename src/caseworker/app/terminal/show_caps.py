"""`caseworker caps`: the caps of the whole deployment, and how an owner changes them while it runs."""

from collections.abc import Mapping
from typing import Final

from rich.console import Console

from caseworker.app.desk import NoRecords, reading, recording
from caseworker.app.setting_kinds import MOST_CASES
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.local_times import date_and_time
from caseworker.core.base.budget import MICROS, MOST_DOLLARS, dollars
from caseworker.core.base.errors import Refused
from caseworker.core.people.authority import refuse_unless_may_steer
from caseworker.core.people.caps import Cap, CapName
from caseworker.core.people.messages import Standing

_LEAST_DOLLARS: Final = 0.01


async def show_caps(
    settings: Settings,
    console: Console,
    *,
    daily: float | None,
    cases: int | None,
    reset: bool,
    author: str,
    as_json: bool,
) -> int:
    """The person at the terminal counts as the owner of the deployment: they can read its home."""
    if daily is not None and not _LEAST_DOLLARS <= daily <= MOST_DOLLARS:  # also excludes NaN
        raise Refused(
            f"`--daily` is an amount from {_LEAST_DOLLARS} to {MOST_DOLLARS:,} dollars.",
            todo="For example: caseworker caps --daily 200",
        )
    if cases is not None and not 0 < cases <= MOST_CASES:
        raise Refused(
            f"`--cases` is a number from 1 to {MOST_CASES:,}.", todo="For example: caseworker caps --cases 40"
        )
    wanted = {CapName.DAILY_BUDGET: None if daily is None else round(daily * MICROS), CapName.CASES_PER_HOUR: cases}
    changes = {name: value for name, value in wanted.items() if value is not None or reset}
    if changes:
        refuse_unless_may_steer(Standing.OWNER, "raise_caps")
        await _change(settings, changes, author)
    found = await _stored(settings)
    if as_json:
        print_json({name: _for_programs(name, _now(settings, name, found.get(name))) for name in CapName})
        return 0
    for name in CapName:
        value = _now(settings, name, found.get(name))
        shown = dollars(value) if name is CapName.DAILY_BUDGET else str(value)
        cap = found.get(name)
        source = f"set by {cap.set_by}, {date_and_time(cap.set_at)}" if cap is not None else "the setting"
        console.print(f"{name}: {shown} ({source})", markup=False, highlight=False)
    return 0


async def _change(settings: Settings, changes: Mapping[CapName, int | None], author: str) -> None:
    """Sets the caps. Makes the records if there are none, as before the first case."""
    async with recording(settings) as store:
        for name, value in changes.items():
            await store.caps.set(name, value, by=author)


async def _stored(settings: Settings) -> Mapping[CapName, Cap]:
    try:
        async with reading(settings) as store:
            return {cap.name: cap for cap in await store.caps.all()}
    except NoRecords:
        return {}


def _now(settings: Settings, name: CapName, cap: Cap | None) -> int:
    if cap is not None:
        return cap.value
    return settings.daily_micros if name is CapName.DAILY_BUDGET else settings.cases_per_hour


def _for_programs(name: CapName, value: int) -> float:
    return value / MICROS if name is CapName.DAILY_BUDGET else value
