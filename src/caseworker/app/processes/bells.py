"""The bell of a long-running process beside the host: it signals Temporal directly, wherever the host is."""

import asyncio

import structlog

from caseworker.app.bell import cluster_address, embedded_address, make_doorbell
from caseworker.app.processes.host_bell import HostBell
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.commands import MessageKind
from caseworker.engine.client import connect
from caseworker.engine.host import HostFile, HostPlace
from caseworker.ports import Doorbell, Store

log = structlog.get_logger()

_CONNECT_SECONDS = 3.0


class EmbeddedBell:
    """Rings at the host of this home. A replaced host listens on other ports and is found again. While there is none,
    no bell rings; the next host looks into the inbox when it starts."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
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
                client = await connect(embedded_address(self._settings, host.target), timeout=_CONNECT_SECONDS)
                self._known = (host.target, make_doorbell(client, self._store))
            return self._known[1]


class ClusterBell:
    """Rings at a cluster. It connects when it is first rung, so that messages are accepted while Temporal is away."""

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
