"""Decides which model calls may go to the provider: those that the agent's program itself makes.

Only the agent's own process may call (`http_server.OneCaller`); still, a call is judged by its content. The provider
has tools of its own that fetch, search, run code and call other servers: code could leave through them, and their fees
are in no answer that we count. So we refuse everything that is not known to be harmless. The names here are those that
the pinned version of the agent's program sends (tried with every model family), and a few of the same kind.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from caseworker.agents.upstreams import ModelCall
from caseworker.core.base.untrusted_text import one_line

_FIELDS: Final = frozenset(
    {
        *("model", "messages", "system", "tools", "tool_choice", "max_tokens", "stream", "metadata", "thinking"),
        *("context_management", "output_config", "output_format", "cache_control", "stop_sequences"),
        *("temperature", "top_p", "top_k"),
    }
)
"""Left out on purpose: `mcp_servers`, `container`, `thread` (they reach other machines or store data there),
`fallbacks` (other models), `speed`, `service_tier`, `inference_geo` (other prices)."""
MOST_TOKENS: Final = 128_000
"""The longest answer that a call may ask for. No model of the price list writes more."""
_SOURCES: Final = ("base64", "text", "content")
"""Sources of an image or document inside the call itself. The provider would fetch a `url`, or read a stored `file`."""
_BETAS: Final = re.compile(
    r"(claude-code|interleaved-thinking|context-management|effort|token-counting|per-turn-control"
    r"|mid-conversation-(system|tool-changes)|(redact-)?thinking(-[a-z]+)*|prompt-caching(-[a-z]+)*"
    r"|extended-cache-ttl|structured-outputs|fine-grained-tool-streaming)-[0-9]{4}-?[0-9]{2}-?[0-9]{2}"
)
_NAME_LIMIT: Final = 40
"""Characters of a quoted name: the sandbox chose the name, and people may read the sentence."""


def objection(call: ModelCall, model: str) -> str | None:
    """Why this call may not be sent, as a sentence for the agent; None if it may."""
    return next(_objections(call.document, model, counts_only=call.path.endswith("/count_tokens")), None)


def passed_betas(asked: str) -> str:
    """The beta features to pass on. Unknown ones are left out, not refused: a call works without them."""
    names = (name.strip() for name in asked.split(","))
    return ",".join(name for name in names if _BETAS.fullmatch(name))


def _objections(document: Mapping[str, object], model: str, *, counts_only: bool) -> Iterator[str]:
    most = document.get("max_tokens")
    if not (counts_only and most is None) and not (type(most) is int and 1 <= most <= MOST_TOKENS):
        yield f"`max_tokens` must be a whole number from 1 to {MOST_TOKENS:,}: what a call may cost is reserved by it"
    asked = document.get("model")
    if not (isinstance(asked, str) and _is_model(asked, model)):
        yield f"this turn may ask {model} only, not {_quoted(asked)}"
    for field in document:
        if field not in _FIELDS:
            yield f"a model call may not have `{_quoted(field)}`: only what the agent itself sends is passed on"
    tools = document.get("tools", [])
    for tool in tools if isinstance(tools, list) else [tools]:
        yield from _objections_to_tool(tool)
    for part in _parts(document):
        yield from _objections_to_part(part)


def _is_model(asked: str, model: str) -> bool:
    """Whether `asked` is the turn's model, as the agent's program names it.

    It leaves out the suffix for the context size; for a family (`opus`), it names the family's newest model.
    """
    plain = model.removesuffix("[1m]")
    return asked == plain or (plain.isalpha() and asked.startswith(f"claude-{plain}-"))


def _objections_to_tool(tool: object) -> Iterator[str]:
    kind = tool.get("type", "custom") if isinstance(tool, dict) else tool
    if kind != "custom":
        yield f"the tool `{_quoted(kind)}` would run at the provider: only the agent's own tools may be offered"


def _objections_to_part(part: Mapping[str, object]) -> Iterator[str]:
    match part:
        case {"type": "container_upload"}:
            yield "a model call may not put files into a container"
        case {"source": {"type": kind}} if kind not in _SOURCES:
            yield f"a `{_quoted(kind)}` is no source for an image or a document: the provider would get it elsewhere"
    if "definition" in part:  # a tool that is added in the middle of a conversation
        yield from _objections_to_tool(part["definition"])


def _parts(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Every object in the conversation, at any depth, except the inputs of tool calls, which are plain data."""
    waiting: list[object] = [document.get("messages"), document.get("system")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield value
            skipped = "input" if value.get("type") == "tool_use" else None
            waiting.extend(inner for key, inner in value.items() if key != skipped)


def _quoted(value: object) -> str:
    return one_line(str(value), _NAME_LIMIT).replace("`", "'")
