"""Opens sealed payloads for Temporal's web UI, as the remote codec that it can be given.

A permitted client gets everything that the key opens. So the path holds a secret, only pages of the UI's own origin may
read the answers, and a request under another host's name (which a page can have lead here) is refused.
"""

import binascii
import json
import secrets
from typing import Final

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from temporalio.api.common.v1 import Payloads

from caseworker.engine.payload_codec import SealedPayloads

_MOST_BYTES: Final = 16 << 20


def make_codec_app(codec: SealedPayloads, *, origin: str, port: int, secret: str) -> Starlette:
    """`origin`: of the web UI, such as http://127.0.0.1:8233."""
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
    allowed = {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "POST",
        "Access-Control-Allow-Headers": "Content-Type, X-Namespace",
        "Vary": "Origin",
        "Cache-Control": "no-store",
    }

    async def decode(request: Request) -> Response:
        known = secrets.compare_digest(request.path_params["secret"].encode(), secret.encode())
        if not known or request.headers.get("host") not in hosts or request.headers.get("origin") not in (None, origin):
            return Response(status_code=403)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=allowed)
        try:
            sealed = ParseDict(json.loads(await _body(request)), Payloads())
        except (ValueError, ParseError, binascii.Error):
            return Response(status_code=400, headers=allowed)
        shown = Payloads(payloads=[codec.show(payload) for payload in sealed.payloads])
        return JSONResponse(MessageToDict(shown), headers=allowed)

    return Starlette(routes=[Route("/{secret}/decode", decode, methods=["POST", "OPTIONS"])])


async def _body(request: Request) -> bytes:
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > _MOST_BYTES:
            raise ValueError("too long")
    return bytes(found)


def new_secret() -> str:
    return secrets.token_urlsafe(24)
