"""Rewrites a call of the agent's program for a server that speaks the Messages API and is not Anthropic's.

The program sends what only Anthropic's newest API knows: messages of the role `system`, thinking, effort, context
management, marks for the cache. Several servers refuse a call with any of them. A call for a Claude model is left as it
is: whoever serves one, such as a company's proxy, understands all of it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from caseworker.agents.upstreams import ModelCall

_FIELDS: Final = (
    *("model", "messages", "system", "tools", "tool_choice", "max_tokens", "stream"),
    *("stop_sequences", "temperature", "top_p", "top_k"),
)
_THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})
_OF_A_TOOL: Final = ("name", "description", "input_schema")


def needs_plain_calls(model: str) -> bool:
    return "claude" not in model.lower()


def plain(call: ModelCall) -> ModelCall:
    document: dict[str, Any] = {name: call.document[name] for name in _FIELDS if name in call.document}
    if isinstance(system := document.get("system"), list):
        document["system"] = "\n\n".join(_texts(system))
    if isinstance(tools := document.get("tools"), list):
        document["tools"] = [{name: tool[name] for name in _OF_A_TOOL if name in tool} for tool in tools]
    document["messages"] = _in_turns(document.get("messages", []))
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    headers = {name: value for name, value in call.headers.items() if name != "anthropic-beta"}
    return replace(call, query="", headers=headers, document=document, body=body)


def _in_turns(messages: list[Any]) -> list[dict[str, object]]:
    """Messages of user and assistant in turns. What the program says in between is said by the user."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.get("role") == "assistant" else "user"
        blocks = list(_blocks(message.get("content", [])))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(content: object) -> Iterator[dict[str, object]]:
    if isinstance(content, str):
        yield {"type": "text", "text": content}
        return
    for block in content if isinstance(content, list) else []:
        if block.get("type") not in _THOUGHTS:
            yield {name: _without_marks(value) for name, value in block.items() if name != "cache_control"}


def _without_marks(value: object) -> object:
    """The result of a tool has blocks of its own."""
    if isinstance(value, list):
        return [_without_marks(item) for item in value]
    if isinstance(value, Mapping) and "type" in value:
        return {name: inner for name, inner in value.items() if name != "cache_control"}
    return value


def _texts(blocks: list[Any]) -> Iterator[str]:
    yield from (block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str))
