"""Sends webhooks: signed, logged, one after the other, with faults on demand."""

import asyncio
import hashlib
import hmac
import json
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import httpx

from caseworker.github_double.acts.account_acts import installation_repositories
from caseworker.github_double.entities.accounts import Installation
from caseworker.github_double.entities.hook_records import Delivery, Hook
from caseworker.github_double.faults import Faults
from caseworker.github_double.state import Event, GitHub, Json

_ALWAYS_TOLD = {"installation", "installation_repositories", "ping"}
"""Events that an App gets without asking."""
_PATIENCE = 10.0
"""Seconds that GitHub waits for an answer."""
_MOST_BYTES = 25_000_000


@dataclass(frozen=True, kw_only=True)
class Parcel:
    hook: Hook
    delivery: Delivery
    copies: int = 1
    delay: float = 0.0


class Webhooks:
    """Listens to the state and delivers. `settled` waits until nothing is on its way."""

    def __init__(self, github: GitHub, faults: Faults) -> None:
        self._github = github
        self._faults = faults
        self._waiting: deque[Parcel] = deque()
        self._held: Parcel | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._worker: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._client: httpx.AsyncClient | None = None
        github.listeners.append(self._hear)

    async def start(self) -> None:
        self._client = httpx.AsyncClient(timeout=_PATIENCE, trust_env=False)
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        self._github.listeners.remove(self._hear)
        running = [*self._tasks, *([self._worker] if self._worker else [])]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def settled(self) -> None:
        """Returns when all deliveries were tried, also the delayed ones."""
        while self._waiting or self._tasks or self._held:
            if self._held is not None and not self._waiting:
                self._release()
            self._changed.clear()
            await self._changed.wait()

    # --- from event to parcel

    def _hear(self, event: Event) -> None:
        for hook, installation in self._addressees(event):
            self._post(hook, self._delivery(hook, event, installation), event)
        self._changed.set()

    def _addressees(self, event: Event) -> Iterator[tuple[Hook, Installation | None]]:
        if event.hook is not None:
            yield event.hook, None
            return
        if event.repository is not None:
            for hook in event.repository.records.hooks:
                if _wants(hook, event):
                    yield hook, None
        for installation in list(self._github.installations.values()):
            own = installation.app.hook
            if own is not None and _wants(own, event) and self._concerns(installation, event):
                yield own, installation
        gone = event.installation
        if gone is not None and gone.id not in self._github.installations and gone.app.hook is not None:
            yield gone.app.hook, gone

    def _concerns(self, installation: Installation, event: Event) -> bool:
        if event.installation is not None:
            return event.installation is installation
        reachable = installation_repositories(self._github, installation)
        return installation.suspended_at is None and event.repository in reachable

    def _delivery(self, hook: Hook, event: Event, installation: Installation | None) -> Delivery:
        body: Json = dict(event.body)
        if installation is not None and event.name != "installation":
            body["installation"] = {"id": installation.id, "node_id": f"MDIz{installation.id}"}
        payload = json.dumps(body).encode()
        guid = event.guid or str(uuid4())
        delivery = Delivery(
            id=self._github.new_key("HD").id,
            guid=guid,
            event=event.name,
            action=event.action,
            delivered_at=self._github.now(),
            is_redelivery=event.guid is not None,
            installation_id=installation.id if installation else None,
            repository_id=event.repository.id if event.repository else None,
            payload=payload,
            headers=_headers(hook, event, guid, payload),
        )
        hook.deliveries.append(delivery)
        return delivery

    def _post(self, hook: Hook, delivery: Delivery, event: Event) -> None:
        fault = self._faults.take_delivery(event.name, event.full_name)
        if fault is None:
            self._waiting.append(Parcel(hook=hook, delivery=delivery))
            self._release()
        elif fault.kind == "dropped" or len(delivery.payload) > _MOST_BYTES:
            delivery.status, delivery.status_code = "failed to connect to host", 502
        elif fault.kind == "swapped":
            self._release()
            self._held = Parcel(hook=hook, delivery=delivery)
        else:
            copies = 2 if fault.kind == "duplicated" else 1
            self._waiting.append(Parcel(hook=hook, delivery=delivery, copies=copies, delay=fault.seconds))

    def _release(self) -> None:
        """A swapped delivery goes after the next one."""
        if self._held is not None:
            self._waiting.append(self._held)
            self._held = None
            self._changed.set()

    # --- from parcel to answer

    async def _work(self) -> None:
        while True:
            if not self._waiting:
                self._changed.clear()
                await self._changed.wait()
                continue
            parcel = self._waiting[0]
            if parcel.delay:
                task = asyncio.create_task(self._send_later(parcel))
                self._tasks.add(task)
                task.add_done_callback(self._done)
            else:
                await self._send(parcel)
            self._waiting.popleft()
            self._changed.set()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._changed.set()

    async def _send_later(self, parcel: Parcel) -> None:
        await asyncio.sleep(parcel.delay)
        await self._send(parcel)

    async def _send(self, parcel: Parcel) -> None:
        assert self._client is not None
        delivery, hook = parcel.delivery, parcel.hook
        if not hook.is_active:
            return
        for _ in range(parcel.copies):
            began = time.monotonic()
            try:
                answer = await self._client.post(hook.url, content=delivery.payload, headers=delivery.headers)
            except httpx.TimeoutException:
                delivery.status, delivery.status_code = "timed out", 504
            except (httpx.HTTPError, httpx.InvalidURL):
                delivery.status, delivery.status_code = "failed to connect to host", 502
            else:
                delivery.status_code, delivery.answer = answer.status_code, answer.text
                delivery.status = "OK" if answer.is_success else f"Invalid HTTP Response: {answer.status_code}"
                delivery.answer_headers = dict(answer.headers)
            delivery.duration = time.monotonic() - began


def sign(secret: str, payload: bytes) -> str:
    """The value of `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest()


def _wants(hook: Hook, event: Event) -> bool:
    if not hook.url:
        return False
    return "*" in hook.events or event.name in hook.events or (hook.is_of_app and event.name in _ALWAYS_TOLD)


def _headers(hook: Hook, event: Event, guid: str, payload: bytes) -> dict[str, str]:
    headers = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/double",
        "X-GitHub-Delivery": guid,
        "X-GitHub-Event": event.name,
        "X-GitHub-Hook-ID": str(hook.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration" if hook.is_of_app else "repository",
    }
    if hook.secret:
        headers["X-Hub-Signature"] = "sha1=" + hmac.new(hook.secret.encode(), payload, hashlib.sha1).hexdigest()
        headers["X-Hub-Signature-256"] = sign(hook.secret, payload)
    return headers
