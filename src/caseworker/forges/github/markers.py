"""Hidden markers in what we write, by which we find it again after an unknown result. Does no I/O."""

import re
from typing import Final
from urllib.parse import quote

_MARKER: Final = re.compile(r"<!-- caseworker:[^\s>]+ -->")


def marker(key: str) -> str:
    """The same for the same key. A comment of HTML can't contain `--`."""
    return f"<!-- caseworker:{quote(key, safe='/#!@:').replace('--', '-%2D')} -->"


def marked(text: str, key: str) -> str:
    return f"{text.rstrip()}\n\n{marker(key)}"


def marker_in(text: str) -> str:
    """The marker that a text of ours ends with, or an empty string."""
    found = _MARKER.findall(text)
    return found[-1] if found and text.rstrip().endswith(found[-1]) else ""


def has_marker(text: str | None, key: str) -> bool:
    """Whether a text ends with our marker. A quoted marker elsewhere in it does not count."""
    return (text or "").rstrip().endswith(marker(key))
