"""Answers of a rehearsed model in the provider's own form: a message in one piece or as a stream, or an error."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Final

from caseworker.agents.rehearsal import ScriptedError
from caseworker.agents.upstreams import EVENTS, JSON, ModelAnswer, ModelCall

_BYTES_PER_TOKEN: Final = 4
_ERRORS: Final[dict[ScriptedError, tuple[int, str, str]]] = {
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "rate_limited": (429, "rate_limit_error", "This request would exceed the rate limit"),
    "server_error": (500, "api_error", "Internal server error"),
    "refused": (403, "permission_error", "The request was refused"),
}

Block = dict[str, object]


def _message(call: ModelCall, name: str, content: list[Block], usage: Mapping[str, int]) -> dict[str, object]:
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": content,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": len(json.dumps(content)) // _BYTES_PER_TOKEN},
    }


def whole_answer(status: int, document: Mapping[str, object]) -> ModelAnswer:
    async def body() -> AsyncGenerator[bytes, None]:
        yield json.dumps(document).encode()

    return ModelAnswer(status=status, headers=JSON, body=body())


def error_answer(error: ScriptedError) -> ModelAnswer:
    status, kind, text = _ERRORS[error]
    return whole_answer(status, {"type": "error", "error": {"type": kind, "message": text}})


def message_answer(
    call: ModelCall, name: str, content: list[Block], usage: Mapping[str, int] | None = None
) -> ModelAnswer:
    """With a name of its own: equal ones would be merged into one message by the agent. `usage`: of the input; by
    default nothing is cached."""
    message = _message(call, name, content, usage or {"input_tokens": tokens_in(call)})
    if not call.streamed:
        return whole_answer(200, message)
    return ModelAnswer(status=200, headers=EVENTS, body=_events(message))


def tokens_in(call: ModelCall) -> int:
    return len(call.body) // _BYTES_PER_TOKEN


async def _events(message: dict[str, object]) -> AsyncGenerator[bytes, None]:
    content, usage = message["content"], message["usage"]
    assert isinstance(content, list)
    assert isinstance(usage, dict)
    yield _event(
        "message_start", message={**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    )
    for index, block in enumerate(content):
        if block["type"] == "text":
            start: Block = {"type": "text", "text": ""}
            delta: Block = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage=usage)
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
