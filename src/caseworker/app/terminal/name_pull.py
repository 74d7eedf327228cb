"""Finds the pull request that a person names, in every form that commands take."""

import re
from typing import Final

from caseworker.app.desk import find_case, reading
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import ApiAddress
from caseworker.forges.github.issue_links import parse_pull_link
from caseworker.ports import StoredPull

_SHORT: Final = re.compile(r"(?P<repository>[\w.-]+)?(?:(?<!/)!|(?:(?<=\w)/|^)pull/)(?P<number>[1-9][0-9]{0,17})")


def check_pull_name(name: str) -> None:
    """`Refused` if the text can't be a pull request's."""
    if _SHORT.fullmatch(name) is None:
        parse_pull_link(name)


async def named_pull(settings: Settings, name: str, address: ApiAddress) -> tuple[RemoteRepository, int]:
    """A short name, `!57` or `shop!57`, is that of a case. `Refused` if the name means none, or several."""
    short = _SHORT.fullmatch(name)
    if short is None:
        link = parse_pull_link(name)
        return link.on(address), link.number
    async with reading(settings) as store:
        stored = await find_case(store, f"{short['repository'] or ''}!{short['number']}")
        assert isinstance(stored, StoredPull), "only their ids have this mark"
        ref = await store.repositories.ref(stored.repository)
    if not isinstance(ref, RemoteRepository):
        raise Refused(f"{stored.case.id} is not on GitHub.")
    return ref, stored.number
