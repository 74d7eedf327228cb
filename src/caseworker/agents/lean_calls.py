"""Shortens what the agent's program sends with every model call: its tools' descriptions and its own surroundings.

The program describes its tools for a person at a keyboard: permission prompts, pictures, notebooks, background work.
Half of each first call was that. Only words and optional arguments go; names, required arguments and types stay, and
the program itself checks what comes back. The same call is always shortened in the same way: a provider's cache knows
a prompt again only by equal bytes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from caseworker.agents.role_tools import OUTCOME_TOOL
from caseworker.agents.schemas import shown_schema
from caseworker.agents.upstreams import ModelCall

_TOOLS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "Bash": (
        "Runs a bash command. The working directory stays for the next call, variables don't.",
        {"command": "", "timeout": "Milliseconds: 120000 if not given, at most 600000."},
    ),
    "Read": (
        "Reads a file, or a part of it, by its absolute path, with line numbers: at most 2000 lines. Shows pictures.",
        {"file_path": "", "offset": "First line.", "limit": ""},
    ),
    "Edit": (
        "Replaces a text in a file that was Read in this conversation. `old_string` is exact, without line numbers, "
        "and occurs once, or `replace_all` is true.",
        {"file_path": "Absolute.", "old_string": "", "new_string": "", "replace_all": ""},
    ),
    "Write": (
        "Writes a whole file. One that exists must have been Read in this conversation.",
        {"file_path": "Absolute.", "content": ""},
    ),
}
"""Description of each tool of the program, and the arguments that are offered."""
_UNSENT: Final = frozenset({"$schema", "additionalProperties"})
_OUTCOME: Final = "Hands in the outcome."
_SURROUNDINGS: Final = "# Environment\n"
_KEPT_LINES: Final = re.compile(r"Primary working directory: |Today's date is ")


def lean(call: ModelCall) -> ModelCall:
    """The call as it is sent on. What this does not know stays as it is."""
    document = dict(call.document)
    if isinstance(tools := document.get("tools"), list):
        document["tools"] = [_lean_tool(tool) for tool in tools]
    if isinstance(messages := document.get("messages"), list):
        document["messages"] = [_lean_message(message) for message in messages]
    if document == call.document:
        return call
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return replace(call, document=document, body=body)


def _lean_tool(tool: Any) -> object:  # the edge: the program's JSON
    match tool:
        case {"name": str(name), "input_schema": {"properties": dict(), **schema}} if name in _TOOLS:
            description, arguments = _TOOLS[name]
            properties = tool["input_schema"]["properties"]
            offered = {key: _argument(properties[key], arguments[key]) for key in arguments if key in properties}
            kept = {key: value for key, value in schema.items() if key not in _UNSENT}
            return {**tool, "description": description, "input_schema": {**kept, "properties": offered}}
        case {"name": name, "input_schema": whole} if name == OUTCOME_TOOL:
            return {**tool, "description": _OUTCOME, "input_schema": shown_schema(whole)}
        case _:
            return tool


def _argument(schema: Mapping[str, object], description: str) -> dict[str, object]:
    typed = {"type": schema.get("type", "string")}
    return {**typed, "description": description} if description else typed


def _lean_message(message: Any) -> object:  # as above
    """The program tells about itself in a message of its own role."""
    match message:
        case {"role": "system", "content": list(blocks)}:
            return {**message, "content": [_lean_block(block) for block in blocks]}
        case {"role": "system", "content": str(text)}:
            return {**message, "content": _surroundings(text)}
        case _:
            return message


def _lean_block(block: Any) -> object:  # as above
    match block:
        case {"type": "text", "text": str(text)}:
            return {**block, "text": _surroundings(text)}
        case _:
            return block


def _surroundings(text: str) -> str:
    if not text.startswith(_SURROUNDINGS):
        return text
    kept = [line.removeprefix(" - ") for line in text.splitlines() if _KEPT_LINES.search(line)]
    return "\n".join(kept) if kept else text
