"""Which calls may go to the provider: the agent's own. It decides by what a call holds, not by who sent it.

Everything in the sandbox can reach the gateway's socket, and the provider has tools of its own that fetch, search, run
code and call other servers: through them code could leave, and their fees are in no answer that we count. So what is
not known to be harmless is refused; the names here are those that the pinned agent sends (tried with every model
family), and a few of the same kind.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from caseworker.agents.hidden_text import one_line
from caseworker.agents.upstreams import ModelCall

_FIELDS: Final = frozenset(
    {
        *("model", "messages", "system", "tools", "tool_choice", "max_tokens", "stream", "metadata", "thinking"),
        *("context_management", "output_config", "output_format", "cache_control", "stop_sequences"),
        *("temperature", "top_p", "top_k"),
    }
)
"""Absent on purpose: `mcp_servers`, `container`, `thread` (they reach other machines or keep things there), `fallbacks`
(other models), `speed`, `service_tier`, `inference_geo` (other prices)."""
_SOURCES: Final = ("base64", "text", "content")
"""Where an image or a document may come from: from the call itself. A `url` would be fetched, a `file` is a store."""
_BETAS: Final = re.compile(
    r"(claude-code|interleaved-thinking|context-management|effort|token-counting|per-turn-control"
    r"|mid-conversation-(system|tool-changes)|(redact-)?thinking(-[a-z]+)*|prompt-caching(-[a-z]+)*"
    r"|extended-cache-ttl|structured-outputs|fine-grained-tool-streaming)-[0-9]{4}-?[0-9]{2}-?[0-9]{2}"
)
_NAME_LIMIT: Final = 40
"""Characters of a name in a sentence: it was written inside the sandbox, and the sentence may be read by people."""


def objection(call: ModelCall, model: str) -> str | None:
    """Why this call may not be sent, as a sentence for the agent; None where it may."""
    return next(_objections(call.document, model), None)


def passed_betas(asked: str) -> str:
    """A beta is an offer, not a demand: one that we don't know is left out, and the call goes without it."""
    names = (name.strip() for name in asked.split(","))
    return ",".join(name for name in names if _BETAS.fullmatch(name))


def _objections(document: Mapping[str, object], model: str) -> Iterator[str]:
    asked = document.get("model")
    if not (isinstance(asked, str) and _is_meant(asked, model)):
        yield f"this turn may ask {model} only, not {_named(asked)}"
    for field in document:
        if field not in _FIELDS:
            yield f"a model call may not have `{_named(field)}`: only what the agent itself sends is passed on"
    tools = document.get("tools", [])
    for tool in tools if isinstance(tools, list) else [tools]:
        yield from _objections_to_tool(tool)
    for part in _parts(document):
        yield from _objections_to_part(part)


def _is_meant(asked: str, model: str) -> bool:
    """The agent leaves out the note on the context's size, and says a family's newest model where only it is named."""
    plain = model.removesuffix("[1m]")
    return asked == plain or (plain.isalpha() and asked.startswith(f"claude-{plain}-"))


def _objections_to_tool(tool: object) -> Iterator[str]:
    kind = tool.get("type", "custom") if isinstance(tool, dict) else tool
    if kind != "custom":
        yield f"the tool `{_named(kind)}` would run at the provider: only the agent's own tools may be offered"


def _objections_to_part(part: Mapping[str, object]) -> Iterator[str]:
    match part:
        case {"type": "container_upload"}:
            yield "a model call may not put files into a container"
        case {"source": {"type": kind}} if kind not in _SOURCES:
            yield f"a `{_named(kind)}` is no source for an image or a document: the provider would get it elsewhere"
    if "definition" in part:  # tools can be added in the middle of a conversation, too
        yield from _objections_to_tool(part["definition"])


def _parts(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Every object in the conversation, however deep, but for what the model said to its tools: that is mere data."""
    waiting: list[object] = [document.get("messages"), document.get("system")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield value
            said = "input" if value.get("type") == "tool_use" else None
            waiting.extend(inner for key, inner in value.items() if key != said)


def _named(value: object) -> str:
    return one_line(str(value), _NAME_LIMIT).replace("`", "'")
