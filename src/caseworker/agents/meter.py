"""Reads the token usage of a model call from its answer while the bytes pass through. Keeps no text of the answer."""

import json
from typing import Any

from caseworker.core.base.budget import Usage

_BYTES_PER_TOKEN = 4


class Meter:
    """Gets the bytes of an answer as they come. `usage` is what was seen so far, also if the answer broke off."""

    def __init__(self, *, streamed: bool, request_bytes: int) -> None:
        self.began = False
        """Whether any part of the model's answer was seen. Before that `usage` means nothing."""
        self.error: str | None = None
        """The kind of error with which the provider ended a stream after it had begun."""
        self.streamed = streamed
        self._request_bytes = request_bytes
        self._pending = b""
        self._usage = Usage()
        self._written = 0
        """Bytes of the answer's text: a stream that breaks off has not given the number of tokens yet."""

    @property
    def usage(self) -> Usage:
        """The usage that the provider reports. Missing numbers are guessed from the bytes, so that no answer counts as
        free."""
        seen = self._usage
        written = max(seen.output_tokens, self._written // _BYTES_PER_TOKEN)
        asked = seen.input_tokens
        if self.began and not (
            asked or seen.cache_read_tokens or seen.cache_write_tokens or seen.long_cache_write_tokens
        ):
            asked = self._request_bytes // _BYTES_PER_TOKEN
        return seen.model_copy(update={"output_tokens": written, "input_tokens": asked})

    def feed(self, chunk: bytes) -> None:
        self._pending += chunk
        if not self.streamed:
            return
        *lines, self._pending = self._pending.split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._event(_parsed(line[5:]))

    def end(self) -> None:
        """Call it at the end: an answer that is not streamed is read only then."""
        if not self.streamed:
            answer = _parsed(self._pending)
            self.began = bool(answer)
            self._written = len(json.dumps(answer.get("content", "")))
            self._note(answer.get("usage"))

    def _event(self, event: dict[str, Any]) -> None:  # the edge: the provider's JSON
        self.began = self.began or event.get("type") in ("message_start", "content_block_delta", "message_delta")
        match event:
            case {"type": "error", "error": {"type": str(kind)}}:
                self.error = kind
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                self._note(usage)
            case {"type": "message_delta", "usage": dict(usage)}:
                self._note(usage)
            case {"type": "content_block_delta", "delta": dict(delta)}:
                self._written += sum(len(str(value)) for key, value in delta.items() if key != "type")

    def _note(self, usage: object) -> None:
        """Takes over the numbers of an event. Each is the total so far; a missing field keeps its value."""
        if not isinstance(usage, dict):
            return
        seen = {
            "input_tokens": usage.get("input_tokens"),
            "output_tokens": usage.get("output_tokens"),
            "cache_read_tokens": usage.get("cache_read_input_tokens"),
            **_written_to_caches(usage),
        }
        self._usage = self._usage.model_copy(update={k: v for k, v in seen.items() if isinstance(v, int) and v >= 0})
        if isinstance(told := usage.get("output_tokens"), int) and told > 1:
            self._written = 0  # the true number is known now; a stream begins with 1, whatever follows


def _written_to_caches(usage: dict[str, Any]) -> dict[str, object]:
    """Tokens written to the five-minute and the one-hour cache. The provider gives the sum and its parts."""
    match usage:
        case {"cache_creation": {"ephemeral_1h_input_tokens": int(long)}, "cache_creation_input_tokens": int(total)}:
            return {"cache_write_tokens": max(0, total - long), "long_cache_write_tokens": long}
        case _:
            return {"cache_write_tokens": usage.get("cache_creation_input_tokens")}


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
