"""Removes hidden characters and comments from people's text, and makes them visible in output and diffs."""

import re
from typing import Final

_COMMENT: Final = re.compile(r"<!--.*?(?:--!?>|\Z)", re.DOTALL)
_HIDDEN: Final = re.compile(
    "["
    "\u00ad"  # soft hyphen
    "\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069"  # zero width, bidi controls
    "\u2060-\u2064\ufeff"  # joiners and invisible operators
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors
    "\U000e0000-\U000e007f"  # tag characters: a whole invisible alphabet
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f"  # control characters, but for tab and line ends
    "]"
)


def cleaned(text: str) -> str:
    """The text as a person sees it on the forge: without HTML comments and hidden characters.

    Hidden characters are removed first: one inside `<!--` would hide the comment from us. Comments are removed until
    none is left: removing one may create another.
    """
    text = _HIDDEN.sub("", text)
    while (without := _COMMENT.sub("", text)) != text:
        text = without
    return text


def revealed(text: str) -> str:
    """Shows hidden characters as `<U+202E>`: whoever reviews a diff must see everything in it."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def one_line(text: str, limit: int = 2_000) -> str:
    line = " ".join(cleaned(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def label(text: str) -> str:
    """A name for use inside a tag, without characters that could end the tag."""
    return re.sub(r"[\"<>]", "'", one_line(text, 100))
