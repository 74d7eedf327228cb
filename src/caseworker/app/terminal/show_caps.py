"""`caseworker caps`: the caps of the whole deployment, and how an owner changes them while it runs."""

from rich.console import Console

from caseworker.app.desk import reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.core.base.budget import MICROS, dollars
from caseworker.core.base.errors import Refused
from caseworker.core.people.authority import refuse_unless_may_steer
from caseworker.core.people.caps import Cap, CapName
from caseworker.core.people.messages import Standing
from caseworker.ports import Store


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
    """Whoever types this is the owner of the deployment: they can read its home."""
    if (daily is not None and daily < 0) or (cases is not None and cases < 1):
        raise Refused("A cap is a number above zero.", todo="For example: caseworker caps --daily 200 --cases 40")
    changes = {
        CapName.DAILY_BUDGET: None if daily is None else round(daily * MICROS),
        CapName.CASES_PER_HOUR: cases,
    }
    async with reading(settings) as store:
        if reset or any(value is not None for value in changes.values()):
            refuse_unless_may_steer(Standing.OWNER, "raise_caps")
            await _change(store, changes, author, reset=reset)
        found = {cap.name: cap for cap in await store.caps.all()}
    if as_json:
        print_json({name: _now(settings, name, found.get(name)) for name in CapName})
        return 0
    for name in CapName:
        value = _now(settings, name, found.get(name))
        shown = dollars(value) if name is CapName.DAILY_BUDGET else str(value)
        cap = found.get(name)
        source = f"set by {cap.set_by}, {cap.set_at:%Y-%m-%d %H:%M} UTC" if cap is not None else "the setting"
        console.print(f"{name}: {shown} ({source})", markup=False, highlight=False)
    return 0


async def _change(store: Store, changes: dict[CapName, int | None], author: str, *, reset: bool) -> None:
    for name, value in changes.items():
        if value is not None or reset:
            await store.caps.set(name, value, by=author)


def _now(settings: Settings, name: CapName, cap: Cap | None) -> int:
    if cap is not None:
        return cap.value
    return settings.daily_micros if name is CapName.DAILY_BUDGET else settings.cases_per_hour
