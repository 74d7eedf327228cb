"""The HTTP side of the gateway: reads a call, writes the API's error answers, and runs a server in our process."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from caseworker.agents.admission import passed_betas
from caseworker.agents.upstreams import ModelCall

BODY_LIMIT: Final = 32_000_000
"""Bytes of a request, so that an agent can't fill the worker's memory. The provider has the same limit."""


async def read_call(
    request: Request, path: Literal["/v1/messages", "/v1/messages/count_tokens"]
) -> ModelCall | Response:
    """The call, or an error answer if the request is not a valid call."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT:
            return error_answer(413, "request_too_large", f"a request has at most {BODY_LIMIT} bytes")
    try:
        document = json.loads(body.decode(), object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return error_answer(400, "invalid_request_error", "the request's body is not a plain JSON object")
    headers = _passed_on(request.headers)
    return ModelCall(path=path, query=request.url.query, headers=headers, body=bytes(body), document=document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses duplicate keys: we check the parsed body but pass on the bytes, so both must mean the same."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    passed = {
        "anthropic-version": headers.get("anthropic-version", ""),
        "anthropic-beta": passed_betas(headers.get("anthropic-beta", "")),
    }
    return {name: value for name, value in passed.items() if value}


def error_answer(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"type": "error", "error": {"type": kind, "message": message}}, status_code=status)


def refusal(reason: str) -> Response:
    """An answer that the agent's program takes as final. Tried: it retries after 400, 401, 404, 422, 429 and 5xx."""
    return error_answer(403, "permission_error", reason)


def failure(reason: str) -> Response:
    """The answer when the provider can't be reached: the agent's program retries a few times by itself."""
    return error_answer(502, "api_error", reason)


def broken_off(reason: str) -> bytes:
    """An error event, as the API sends it after a stream has begun."""
    event = {"type": "error", "error": {"type": "api_error", "message": reason}}
    return f"event: error\ndata: {json.dumps(event)}\n\n".encode()


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Does nothing: signals belong to the process that embeds this server."""
        yield


def embedded_server(app: Starlette) -> uvicorn.Server:
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none", server_header=False)
    # Given to the constructor, this would switch off the access log of every other server in the process.
    config.access_log = False
    return _Server(config)
