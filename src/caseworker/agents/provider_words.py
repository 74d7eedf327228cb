"""What a model's provider says when it refuses a call: its own words, cleaned, and whether the key is to blame."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from caseworker.agents.upstreams import BrokenOff, ModelAnswer
from caseworker.core.base.text import code, printable

NO_KEY: Final = (
    "there is no key for the model. Set ANTHROPIC_API_KEY, or `anthropic_api_key` in caseworker.toml; `caseworker "
    "doctor` tries it"
)
_BODY: Final = 64_000
"""Bytes of an error that are read."""
_WORDS: Final = 300
_REFUSED: Final = (401, 403)
_NO_CREDIT: Final = "credit balance"


async def read_refusal(answer: ModelAnswer) -> tuple[str, ModelAnswer]:
    """The provider's words, and the answer with its body unread. Only for an answer that is an error."""
    body = bytearray()
    try:
        async with aclosing(answer.body) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > _BODY:
                    break
    except BrokenOff:
        pass  # what came until then is enough
    return _words(bytes(body)), replace(answer, body=_again(bytes(body)))


def is_about_key(status: int, words: str) -> bool:
    """Whether only a person can help: another key, or money for it."""
    return status in _REFUSED or (status == 400 and _NO_CREDIT in words.lower())


def refused_key(status: int, words: str) -> str:
    said = f": {code(words)}" if words else ""
    return (
        f"the model's provider refuses the key ({status}){said}. Correct ANTHROPIC_API_KEY, or `anthropic_api_key` in "
        "caseworker.toml"
    )


def _words(body: bytes) -> str:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    error = document.get("error") if isinstance(document, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return " ".join(printable(message).split())[:_WORDS] if isinstance(message, str) else ""


async def _again(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body
