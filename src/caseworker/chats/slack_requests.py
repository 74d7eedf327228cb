"""Reads a request that claims to be Slack's: bounded in size and time, and checked before anybody parses it."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Final

from slack_sdk.signature import SignatureVerifier
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from caseworker.chats.request_body import read_body

LARGEST: Final = 1_000_000
"""Bytes of a request: a limit is needed because it is read before its signature is checked. Slack's are far smaller."""
READ_SECONDS: Final = 10.0
"""Slack waits three seconds for an answer: a sender that takes longer is not Slack."""


@dataclass(frozen=True)
class NotTaken:
    status: int
    why: str


async def read_signed(
    request: Request, verifier: SignatureVerifier, *, seconds: float = READ_SECONDS
) -> Request | NotTaken:
    """The request with its whole body, which is a JSON object that Slack has signed; or why it is refused."""
    announced = request.headers.get("content-length", "0")
    if not _is_number(announced, digits=12):
        return NotTaken(400, "That is no length.")
    if int(announced) > LARGEST:
        return NotTaken(413, "That is too long.")
    try:
        async with asyncio.timeout(seconds):
            body = await read_body(request, most=LARGEST)
    except TimeoutError:
        return NotTaken(408, "That took too long.")
    except ClientDisconnect:
        return NotTaken(400, "The body did not arrive whole.")
    if body is None:
        return NotTaken(413, "That is too long.")
    if not _is_text(body):  # the library would raise
        return NotTaken(400, "That is no JSON object.")
    if not _is_signed(request, verifier, body):
        return NotTaken(401, "That is not Slack's.")
    if not _is_envelope(body):
        return NotTaken(400, "That is no JSON object.")
    return _with_body(request, body)


def _is_signed(request: Request, verifier: SignatureVerifier, body: bytes) -> bool:
    """Headers are checked before the library reads them: it raises on what is no number or not ASCII."""
    at, signature = (request.headers.get(f"x-slack-{name}", "") for name in ("request-timestamp", "signature"))
    if not _is_number(at, digits=12) or not signature.isascii() or abs(time.time() - int(at)) > 300:
        return False
    return bool(verifier.is_valid(body, at, signature))


def _is_number(text: str, *, digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= digits


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_envelope(body: bytes) -> bool:
    """Whether it is a JSON object whose parts are what the library takes them for: it raises on others."""
    try:
        envelope = json.loads(body.decode())
    except (ValueError, RecursionError):
        return False
    if not isinstance(envelope, dict):
        return False
    event, owners = envelope.get("event", {}), envelope.get("authorizations") or []
    is_event = isinstance(event, dict) and isinstance(event.get("type", ""), str)
    return is_event and isinstance(owners, list) and all(isinstance(one, dict) for one in owners)


def _with_body(request: Request, body: bytes) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(request.scope, receive)
