"""The HTTP route for GitHub's webhooks: checks the signature over the raw body, commits the delivery, then answers.

GitHub does not repeat a delivery by itself: what was not acknowledged is found by reconciliation.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from caseworker.chats.request_body import read_body
from caseworker.core.base.errors import Refused, Transient
from caseworker.intake.github_door import GitHubDoor

log = structlog.get_logger()

PATH: Final = "/github/webhooks"
LARGEST: Final = 25 * 1024 * 1024
"""Bytes of a body: GitHub sends none that is larger."""
MOST_SECRETS: Final = 2
_LONGEST_NAME: Final = 200


class Webhook:
    """Up to two secrets are valid at a time, so that one can be replaced without losing a delivery."""

    def __init__(self, *, door: GitHubDoor, secrets: Sequence[str]) -> None:
        usable = [secret for secret in secrets if secret]
        if not usable:
            raise Refused(
                "GitHub's webhooks can't be told from forged ones without a secret.",
                todo="Set github_webhook_secrets to the secret that you gave GitHub.",
            )
        if len(usable) > MOST_SECRETS:
            raise Refused(
                f"There are {len(usable)} webhook secrets; {MOST_SECRETS} can be valid at a time.",
                todo="Keep the new one and the one before it.",
            )
        self._door = door
        self._secrets = [secret.encode() for secret in usable]
        self.forged = 0
        """Requests that were refused because of their signature."""

    @property
    def route(self) -> Route:
        return Route(PATH, self.receive, methods=["POST"])

    async def receive(self, request: Request) -> Response:
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > LARGEST:
            return _answer(413, "That is too long.")
        try:
            body = await read_body(request, most=LARGEST)
        except ClientDisconnect:
            return _answer(400, "The body did not arrive whole.")
        if body is None:
            return _answer(413, "That is too long.")
        if not self.is_signed(body, request.headers.get("x-hub-signature-256", "")):
            self.forged += 1
            log.warning("webhook refused: its signature is missing or wrong", forged=self.forged, size=len(body))
            return _answer(401, "The signature is missing or wrong.")
        guid, event = request.headers.get("x-github-delivery", ""), request.headers.get("x-github-event", "")
        if not guid or not event or len(guid) > _LONGEST_NAME or len(event) > _LONGEST_NAME:
            return _answer(400, "X-GitHub-Delivery or X-GitHub-Event is missing.")
        return await self._take(guid, event, body)

    async def _take(self, guid: str, event: str, body: bytes) -> Response:
        try:
            new = await self._door.take(guid, event, body, source="webhook")
        except Transient as error:
            log.warning("webhook not taken: reconciliation has to find it", guid=guid, error=str(error))
            return _answer(503, "It could not be stored.")
        if event == "ping":
            return _answer(200, "pong")
        return _answer(202, "Taken." if new else "It is here already.")

    def is_signed(self, body: bytes, signature: str) -> bool:
        """Compares with every secret, in constant time."""
        given = signature.encode("ascii", "replace")
        right = [b"sha256=" + hmac.new(one, body, hashlib.sha256).hexdigest().encode() for one in self._secrets]
        return sum(hmac.compare_digest(given, wanted) for wanted in right) > 0


def _answer(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status_code=status)
