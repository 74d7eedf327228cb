"""The bell of a process that lives long beside the host: straight to Temporal, wherever the host is at the moment."""

import asyncio

import structlog

from caseworker.app.bell import cluster_address, make_doorbell
from caseworker.app.processes.host_bell import HostBell
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.commands import MessageKind
from caseworker.engine.client import Address, connect
from caseworker.engine.host import HostFile, HostPlace
from caseworker.ports import Doorbell, Store

log = structlog.get_logger()

_CONNECT_SECONDS = 3.0


class EmbeddedBell:
    """A host that was replaced listens on other ports: it is looked for anew. While there is none, nobody is rung; the
    next one looks into the inbox when it starts."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._place = HostPlace(settings.home)
        self._store = store
        self._known: tuple[str, Doorbell] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        host = await asyncio.to_thread(self._place.running)
        if host is None:
            raise Transient("No host runs at the moment.")
        try:
            await (await self._direct(host)).ring(case, message, kind)
        except Transient as error:
            log.warning("bell not rung at Temporal; the host is told to look", case=case, error=str(error))
            self._known = None
            await HostBell(host).ring(case, message, kind)

    async def _direct(self, host: HostFile) -> Doorbell:
        async with self._one_at_a_time:
            if self._known is None or self._known[0] != host.target:
                client = await connect(Address(target=host.target), timeout=_CONNECT_SECONDS)
                self._known = (host.target, make_doorbell(client, self._store))
            return self._known[1]


class ClusterBell:
    """Connects when it is first rung: what people say is taken while Temporal is away, too."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._address = cluster_address(settings)
        self._store = store
        self._known: Doorbell | None = None
        self._one_at_a_time = asyncio.Lock()

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        async with self._one_at_a_time:
            if self._known is None:
                client = await connect(self._address, timeout=_CONNECT_SECONDS)
                self._known = make_doorbell(client, self._store)
        await self._known.ring(case, message, kind)
