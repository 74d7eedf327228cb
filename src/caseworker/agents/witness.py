"""What the gateway saw the model say: the tools that it asked for and its words, read from its answers as they pass.

The agent's process reports the same on its output. Its report counts only where it agrees with this.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from caseworker.agents.role_tools import OUTCOME_TOOL


@dataclass(frozen=True, kw_only=True)
class AskedTool:
    name: str
    arguments: dict[str, object]
    """Empty if the model wrote no valid JSON object."""


@dataclass
class Witness:
    """Collects what the model said in all answers of one attempt."""

    asked: dict[str, AskedTool] = field(default_factory=dict)
    """By the call's id, which the provider chose."""
    _words: set[str] = field(default_factory=set)

    def said(self, text: str) -> bool:
        return text.strip() in self._words

    def handed_in(self, outcome: object) -> bool:
        """Whether the model itself handed in exactly this."""
        return any(tool.name == OUTCOME_TOOL and _same(tool.arguments, outcome) for tool in self.asked.values())

    def note(self, block: dict[str, Any]) -> None:  # the edge: the provider's JSON
        match block:
            case {"type": "text", "text": str(text)}:
                self._words.add(text.strip())
            case {"type": "tool_use", "id": str(call), "name": str(name), "input": arguments}:
                given = arguments if isinstance(arguments, dict) else {}
                self.asked.setdefault(call, AskedTool(name=name, arguments=given))


def _same(seen: object, reported: object) -> bool:
    """Equal, except that the agent's program reads a list or an object that the model wrote as a text of JSON."""
    if isinstance(seen, dict) and isinstance(reported, dict):
        return seen.keys() == reported.keys() and all(_same(seen[key], reported[key]) for key in seen)
    if isinstance(seen, list) and isinstance(reported, list):
        return len(seen) == len(reported) and all(map(_same, seen, reported))
    if isinstance(seen, str) and isinstance(reported, list | dict):
        try:
            return bool(json.loads(seen) == reported)
        except (ValueError, RecursionError):
            return False
    return seen == reported


class AnswerReader:
    """Reads the blocks of one answer from its bytes, and gives them to a witness before the agent has them all."""

    def __init__(self, witness: Witness, *, streamed: bool) -> None:
        self._witness = witness
        self._streamed = streamed
        self._pending = b""
        self._blocks: dict[int, dict[str, Any]] = {}
        self._written: dict[int, str] = {}

    def feed(self, chunk: bytes) -> None:
        self._pending += chunk
        if self._streamed:
            *lines, self._pending = self._pending.split(b"\n")
            for line in lines:
                if line.startswith(b"data:"):
                    self._event(_parsed(line[5:]))
        elif self._pending.rstrip().endswith(b"}"):  # it may be complete
            content = _parsed(self._pending).get("content")
            for block in content if isinstance(content, list) else []:
                self._witness.note(block)

    def _event(self, event: dict[str, Any]) -> None:
        match event:
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                self._blocks[index] = block
                self._written[index] = ""
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                part = delta.get("partial_json", delta.get("text", ""))
                self._written[index] = self._written.get(index, "") + str(part)
            case {"type": "content_block_stop", "index": int(index)} if index in self._blocks:
                self._witness.note(_whole(self._blocks.pop(index), self._written.pop(index)))


def _whole(block: dict[str, Any], written: str) -> dict[str, Any]:
    if not written:
        return block
    if block.get("type") == "text":
        return {**block, "text": f"{block.get('text', '')}{written}"}
    return {**block, "input": _parsed(written.encode())}


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
