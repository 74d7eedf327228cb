"""Decides whom a post may call: people of the case, and nobody else whom an agent or a quoted text names."""

import re
from collections.abc import Collection
from typing import Final

_MEMBER: Final = re.compile(r"@(?P<name>[UW][A-Z0-9]{7,40})\b")
_BREAK: Final = "\u200b"


def only_calling(text: str, known: Collection[str]) -> str:
    """The text in which `@` before a chat member's id calls that member only if they are `known` in the case."""
    return _MEMBER.sub(lambda found: found[0] if found["name"] in known else f"@{_BREAK}{found['name']}", text)
