"""Hidden text: taken out of what people wrote, made visible in what programs and diffs say."""

import re
from typing import Final

_COMMENT: Final = re.compile(r"<!--.*?(?:--!?>|\Z)", re.DOTALL)
_HIDDEN: Final = re.compile(
    "["
    "\u00ad"  # soft hyphen
    "\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069"  # zero width, bidi controls
    "\u2060-\u2064\ufeff"  # joiners and invisible operators
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors
    "\U000e0000-\U000e007f"  # tags: a whole hidden alphabet
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f"  # control characters, but for tab and line ends
    "]"
)


def cleaned(text: str) -> str:
    """What a person sees of it on the forge: no HTML comments, no hidden characters.

    Characters first, since one inside `<!--` would hide the comment from us; and again, since taking a comment out of
    the middle may leave another.
    """
    text = _HIDDEN.sub("", text)
    while (without := _COMMENT.sub("", text)) != text:
        text = without
    return text


def revealed(text: str) -> str:
    """Everything is kept, hidden characters as `<U+202E>`: who reviews a diff must see what is in it."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def one_line(text: str, limit: int = 2_000) -> str:
    line = " ".join(cleaned(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def label(text: str) -> str:
    """A name inside a tag: nothing in it that could end the tag early."""
    return re.sub(r"[\"<>]", "'", one_line(text, 100))
