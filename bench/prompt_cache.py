"""A provider's prompt cache, in small: what of a request was a prefix of an earlier one, and so costs a tenth.

As the Messages API documents it: tools, then system, then messages; a prefix is kept where a block is marked with
`cache_control`, per model, and is found again only if every block before it is the same.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

BYTES_PER_TOKEN: Final = 4
_LEAST_TOKENS: Final = 1_024
"""A shorter prefix is not kept."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The bytes of one request by what they cost."""

    read: int
    """Found in the cache."""
    written: int
    """New, and kept for later requests."""
    plain: int
    """After the last mark: neither."""

    def as_usage(self) -> dict[str, int]:
        return {
            "input_tokens": self.plain // BYTES_PER_TOKEN,
            "cache_creation_input_tokens": self.written // BYTES_PER_TOKEN,
            "cache_read_input_tokens": self.read // BYTES_PER_TOKEN,
        }


@dataclass
class PromptCache:
    kept: set[tuple[str, str]] = field(default_factory=set)
    """(model, hash of the blocks up to a mark)."""

    def take(self, request: Mapping[str, Any]) -> Parts:
        model, digest = str(request["model"]), hashlib.sha256()
        size = read = marked = 0
        new: set[tuple[str, str]] = set()
        for block, mark in _blocks(request):
            data = json.dumps(block, ensure_ascii=False, sort_keys=True).encode()
            digest.update(data)
            size += len(data)
            if mark and size >= _LEAST_TOKENS * BYTES_PER_TOKEN:
                marked = size
                new.add((model, digest.hexdigest()))
            if (model, digest.hexdigest()) in self.kept:
                read = size
        self.kept |= new
        written = max(0, marked - read)
        return Parts(read=read, written=written, plain=size - read - written)


def _blocks(request: Mapping[str, Any]) -> Iterator[tuple[object, bool]]:
    """Each block without its mark, and whether it has one."""
    for tool in request.get("tools", []):
        yield _split(tool)
    yield from _contents(request.get("system", []))
    for message in request["messages"]:
        yield {"role": message["role"]}, False
        yield from _contents(message["content"])


def _contents(content: object) -> Iterator[tuple[object, bool]]:
    if isinstance(content, list):
        yield from (_split(block) for block in content)
    else:
        yield {"type": "text", "text": content}, False


def _split(block: dict[str, object]) -> tuple[object, bool]:
    return {name: value for name, value in block.items() if name != "cache_control"}, "cache_control" in block
