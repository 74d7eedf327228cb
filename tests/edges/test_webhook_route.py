"""The webhook route on a real store: only signed bodies are stored, each once, and none makes it fail."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from starlette.applications import Starlette

from caseworker.core.base.errors import Refused, Transient
from caseworker.intake import github_webhook
from caseworker.intake.github_door import GitHubDoor
from caseworker.intake.github_webhook import PATH, Webhook
from caseworker.ports.deliveries import NewDelivery
from caseworker.store.store import Store
from tests.intake.github_examples import recorded_bodies

OLD, NEW = "the secret until Monday", "the secret from Monday on"


class Sender:
    """Sends webhooks as GitHub does."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.woken = 0
        self.hook = Webhook(door=GitHubDoor(store=store, on_new=self.wake), secrets=[NEW, OLD])
        transport = httpx.ASGITransport(app=Starlette(routes=[self.hook.route]))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://here")

    def wake(self) -> None:
        self.woken += 1

    async def send(
        self, body: bytes, *, event: str = "issues", guid: str = "", secret: str = NEW, signature: str | None = None
    ) -> int:
        signed = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"x-github-event": event, "x-github-delivery": guid or str(uuid4())}
        headers["x-hub-signature-256"] = signed if signature is None else signature
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        answer = await self.client.post(PATH, content=body, headers=raw)
        return answer.status_code

    async def stored(self) -> list[tuple[str, str]]:
        return [(one.event, one.outcome.kind) for one in reversed(await self.store.deliveries.list(limit=1000))]


@pytest.fixture
async def sender(store: Store) -> AsyncIterator[Sender]:
    sender = Sender(store)
    yield sender
    await sender.client.aclose()


def labeled(label: str = "bot:triage") -> bytes:
    body = next(body for name, body in recorded_bodies() if name == "issues" and body["action"] == "labeled")
    return json.dumps(body | {"label": {"name": label}}).encode()


async def test_a_signed_delivery_is_stored_before_it_is_acknowledged(sender: Sender) -> None:
    assert await sender.send(labeled(), guid="g-1") == 202
    [delivery] = await sender.store.deliveries.list()
    assert (delivery.guid, delivery.event, delivery.action) == ("g-1", "issues", "labeled")
    assert (delivery.repository, delivery.number, delivery.actor) == ("Codertocat/Hello-World", 1, "Codertocat")
    assert sender.woken == 1


async def test_both_live_secrets_are_valid(sender: Sender) -> None:
    assert [await sender.send(labeled(), secret=secret) for secret in (OLD, NEW)] == [202, 202]


@pytest.mark.parametrize("signature", ["", "sha256=", "sha1=00", "sha256=" + "0" * 64, "sha256=\xe9"])
async def test_unsigned_and_wrongly_signed_bodies_are_refused_and_counted(sender: Sender, signature: str) -> None:
    assert await sender.send(labeled(), signature=signature) == 401
    assert await sender.send(labeled(), secret="another") == 401
    assert await sender.stored() == []
    assert sender.hook.forged == 2


async def test_the_signature_is_over_the_raw_body(sender: Sender) -> None:
    body = labeled()
    signed = "sha256=" + hmac.new(NEW.encode(), body, hashlib.sha256).hexdigest()
    assert await sender.send(json.dumps(json.loads(body), indent=1).encode(), signature=signed) == 401


async def test_a_repeated_delivery_is_acknowledged_and_recorded_as_a_duplicate(sender: Sender) -> None:
    assert [await sender.send(labeled(), guid="g-1") for _ in range(2)] == [202, 202]
    assert await sender.stored() == [("issues", "received"), ("issues", "duplicate")]
    assert sender.woken == 1


async def test_a_body_above_the_limit_is_refused(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github_webhook, "LARGEST", 1_000)
    assert await sender.send(b" " * 1_001) == 413

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b" " * 400

    assert (await sender.client.post(PATH, content=parts())).status_code == 413
    assert await sender.stored() == []


@pytest.mark.parametrize("body", [b"", b"payload=%7B%7D", b"[1]", b"\xff\xfe", b'{"action": "labeled"}', b"[" * 9_000])
async def test_a_signed_body_that_does_not_fit_is_stored_as_unreadable(sender: Sender, body: bytes) -> None:
    assert await sender.send(body) == 202
    assert await sender.stored() == [("issues", "unreadable")]
    assert sender.woken == 0


async def test_a_ping_is_answered(sender: Sender) -> None:
    assert await sender.send(b'{"zen": "Design for failure."}', event="ping") == 200
    assert await sender.stored() == [("ping", "ignored")]


async def test_headers_without_a_guid_or_an_event_are_a_bad_request(sender: Sender) -> None:
    assert await sender.send(labeled(), event="") == 400
    assert await sender.stored() == []


async def test_all_recorded_bodies_are_taken(sender: Sender) -> None:
    recorded = recorded_bodies()
    answers = {await sender.send(json.dumps(body).encode(), event=name) for name, body in recorded}
    assert answers == {200, 202}
    kinds = [kind for _, kind in await sender.stored()]
    assert len(kinds) == 329
    assert set(kinds) == {"received", "ignored"}


async def test_a_database_that_is_away_is_told_so_that_nothing_counts_as_taken(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: NewDelivery) -> bool:
        raise Transient("The database is away.")

    monkeypatch.setattr(sender.store.deliveries, "put", away)
    assert await sender.send(labeled()) == 503


@pytest.mark.parametrize("secrets", [[], [""], ["a", "b", "c"]])
def test_one_or_two_secrets_are_needed(secrets: list[str]) -> None:
    with pytest.raises(Refused, match="secret"):
        Webhook(door=GitHubDoor(store=None), secrets=secrets)  # type: ignore[arg-type]  # never asked
