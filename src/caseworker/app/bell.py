"""Makes the bell that wakes cases, and the address of Temporal's server."""

from collections import OrderedDict
from pathlib import Path

from temporalio.client import Client

from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.engine.client import Start, TemporalDoorbell
from caseworker.engine.payload_keys import keys_of
from caseworker.engine.temporal_address import Address
from caseworker.ports import Store

_KNOWN_STARTS = 5_000


def make_doorbell(client: Client, store: Store) -> TemporalDoorbell:
    known: OrderedDict[CaseId, Start] = OrderedDict()

    async def start_of(case: CaseId) -> Start:
        """Read a case's kind and policy once, since they don't change; the least recently rung cases are dropped."""
        if case not in known:
            stored = await store.cases.find(case)
            if stored is None:
                raise Refused(f"There is no case {case} in the records.")
            known[case] = Start(kind=stored.kind, policy=stored.policy)
            if len(known) > _KNOWN_STARTS:
                known.popitem(last=False)
        known.move_to_end(case)
        return known[case]

    return TemporalDoorbell(client, start_of)


def cluster_address(settings: Settings) -> Address:
    key = settings.temporal_api_key
    return Address(
        target=settings.temporal_address,
        namespace=settings.temporal_namespace,
        tls=settings.temporal_tls or key is not None,
        api_key=key.get_secret_value() if key else None,
        client_certificate=_contents(settings.temporal_client_cert),
        client_key=_contents(settings.temporal_client_key),
        keys=payload_keys(settings),
    )


def embedded_address(settings: Settings, target: str) -> Address:
    return Address(target=target, keys=payload_keys(settings))


def payload_keys(settings: Settings) -> tuple[bytes, ...]:
    given = settings.temporal_keys
    return keys_of(settings.home, given.get_secret_value() if given else "")


def _contents(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise Refused(
            f"{path} can't be read: {error.strerror}.", todo="Correct the temporal_client_* settings."
        ) from error
