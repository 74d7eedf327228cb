"""The provider's API over HTTP, or a server with the same API. The only place where the key is used."""

from collections.abc import AsyncGenerator
from typing import Final

import httpx

from caseworker.agents.upstreams import BrokenOff, ModelAnswer, ModelCall, Unreachable
from caseworker.agents.upstreams.plain_calls import needs_plain_calls, plain

DEFAULT_BASE_URL: Final = "https://api.anthropic.com"
_PASSED_BACK: Final = ("content-type", "retry-after", "request-id", "x-should-retry")
_TIMEOUT: Final = httpx.Timeout(connect=10, read=600, write=60, pool=10)
"""A model may think for minutes before its first byte; a connection is made within seconds or not at all."""
_NOT_CONNECTED: Final = (
    *(httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout),
    *(httpx.UnsupportedProtocol, httpx.InvalidURL),
)
"""Errors raised before the first byte of a request is sent. After any other error the call may have arrived."""


class AnthropicUpstream:
    rehearsed = False

    def __init__(self, *, key: str, base_url: str = DEFAULT_BASE_URL) -> None:
        self._base_url = base_url.rstrip("/")
        # trust_env=False: a proxy or .netrc setting of the worker must not silently redirect requests with the key.
        # A company's proxy is set as the base URL.
        self._client = httpx.AsyncClient(timeout=_TIMEOUT, headers={"x-api-key": key}, trust_env=False)

    async def send(self, call: ModelCall) -> ModelAnswer:
        if self._base_url != DEFAULT_BASE_URL and needs_plain_calls(call.model):
            call = plain(call)
        url = f"{self._base_url}{call.path}" + (f"?{call.query}" if call.query else "")
        headers = {"content-type": "application/json", **call.headers}
        try:
            request = self._client.build_request("POST", url, content=call.body, headers=headers)
            response = await self._client.send(request, stream=True)
        except _NOT_CONNECTED as error:
            raise Unreachable(f"{self._base_url} can't be reached ({type(error).__name__})") from error
        except httpx.HTTPError as error:
            raise BrokenOff(f"{self._base_url} did not answer ({type(error).__name__})") from error
        passed = {name: response.headers[name] for name in _PASSED_BACK if name in response.headers}
        return ModelAnswer(status=response.status_code, headers=passed, body=_bytes_of(response))

    async def close(self) -> None:
        await self._client.aclose()


async def _bytes_of(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    try:
        async for chunk in response.aiter_bytes():
            yield chunk
    except httpx.HTTPError as error:
        raise BrokenOff(f"the answer broke off ({type(error).__name__})") from error
    finally:
        await response.aclose()
