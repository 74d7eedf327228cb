"""Completes the name of a case in the shell: the ids of open cases, as they are typed."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from caseworker.app.settings import Settings

_SECONDS: Final = 2.0
"""After this time the shell gets nothing: a person who presses TAB must not wait for a database."""


def complete_case(incomplete: str) -> list[str]:
    """Whatever goes wrong ends the program without a word: see `main`."""
    import asyncio

    from caseworker.app.load_settings import load_settings

    return asyncio.run(_open_cases(load_settings(), incomplete))


async def _open_cases(settings: "Settings", incomplete: str) -> list[str]:
    import asyncio

    from caseworker.app.desk import reading
    from caseworker.core.base.ids import typed

    async with asyncio.timeout(_SECONDS), reading(settings) as store:
        names = [typed(case) for case in await store.cases.unfinished()]
    return [name for name in names if name.startswith(incomplete)]
