"""What a command works with: the store, and a bell that the host hears. Imports no Temporal client, to start fast."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caseworker.app.processes.find_host import ensure_host, renewed_host, start_host
from caseworker.app.processes.host_bell import HostBell
from caseworker.app.settings import Settings, make_home
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.kinds import KINDS
from caseworker.engine.host import HostPlace
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.ports import Doorbell, Store, StoredAny
from caseworker.store.store import open_store

_SHOWN: Final = 6
"""How many cases are named where a name means several."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    settings: Settings
    store: Store
    conversation: Conversation
    new_cases: NewCases

    async def keep_host(self, *, again: str = "The same command takes it up again.") -> None:
        """Start the host again if it was killed or ended: a person who watches a case wants it to go on."""
        if not self.settings.is_embedded:
            return
        place = HostPlace(self.settings.home)
        if place.stopped.exists():
            raise Refused("The host was stopped; the case waits.", todo=again)
        place.touch()
        await asyncio.to_thread(start_host, self.settings)


async def find_case(store: Store, name: str) -> StoredAny:
    """Find a case by its id, or by the end of it where that is unique: `shop/3`, `3`, `7f3k`."""
    for case in (CaseId(name), *(kind.id_from(name) for kind in KINDS.values())):
        found = None if case is None else await store.cases.find(case)
        if found is not None:
            return found
    known = await store.cases.all()
    near = [other for other in known if KINDS[other.kind].is_called(other.case.id, name)]
    near = near or [other for other in known if _is_called_in_any_case(other, name)]
    if len(near) == 1:
        return near[0]
    if here := await _in_this_folder(store, near):
        return here
    if near:
        first = [typed(other.case.id) for other in near[:_SHOWN]]
        more = f" and {len(near) - _SHOWN} more" if len(near) > _SHOWN else ""
        raise Refused(
            f"`{name}` names {len(near)} cases: {', '.join(first)}{more}.",
            todo=f"Write the whole id, as in `caseworker show {first[0]}`, or go into the folder of its repository.",
        )
    raise Refused(f"There is no case `{name}`.", todo="`caseworker cases` lists what there is.")


def _is_called_in_any_case(other: StoredAny, name: str) -> bool:
    """`SHOP/3` for `shop/3`, where nothing is called exactly so."""
    kind, low = KINDS[other.kind], CaseId(other.case.id.lower())
    return low in (name.lower(), kind.id_from(name.lower())) or kind.is_called(low, name.lower())


async def _in_this_folder(store: Store, near: list[StoredAny]) -> StoredAny | None:
    """The only one of these cases whose repository is the one that the person stands in."""
    here = []
    for other in near:
        place = await store.repositories.ref(other.repository) if other.repository else None
        if isinstance(place, LocalRepository) and Path.cwd().is_relative_to(place.path):
            here.append(other)
    return here[0] if len(here) == 1 else None


class NoRecords(Refused):
    """No case was ever opened in this home."""


@asynccontextmanager
async def reading(settings: Settings) -> AsyncIterator[Store]:
    """Open the records only. Starts nothing, and creates nothing where there are no records."""
    if not settings.database_url and not (settings.home / "caseworker.db").exists():
        raise NoRecords("There are no cases yet.", todo="`caseworker demo`, `run` or `report` opens the first one.")
    async with _opened(settings) as store:
        yield store


@asynccontextmanager
async def recording(settings: Settings) -> AsyncIterator[Store]:
    """Open the records, and make them where there are none. Starts nothing."""
    make_home(settings)
    async with _opened(settings) as store:
        yield store


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Store]:
    store = await open_store(settings.database)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def at_desk(settings: Settings, *, any_host: bool = False) -> AsyncIterator[Desk]:
    """Open the records and make sure that a worker runs: the host of this home, started if needed, or the cluster's own
    workers. `any_host`: accept a host with other settings while it runs a turn: enough to watch or to send a message,
    but not to open a case."""
    async with recording(settings) as store:
        doorbell: Doorbell = await _doorbell(settings, store, any_host=any_host)
        yield Desk(
            settings=settings,
            store=store,
            conversation=Conversation(store=store, doorbell=doorbell),
            new_cases=NewCases(store=store, doorbell=doorbell),
        )


async def _doorbell(settings: Settings, store: Store, *, any_host: bool) -> Doorbell:
    if settings.is_embedded:
        return HostBell(await (renewed_host if any_host else ensure_host)(settings, store))
    from caseworker.app.bell import cluster_address, make_doorbell  # heavy: only where a cluster is spoken to
    from caseworker.engine.client import connect

    return make_doorbell(await connect(cluster_address(settings)), store)
