"""Small text functions: clean up typed text, shorten it, and escape it for a terminal or Markdown."""

import re
import unicodedata
from enum import StrEnum
from typing import Final

_EMPTY: Final = re.compile(r"\s{201,}")
_COMMENT: Final = re.compile(r"<!--.*?(?:--!?>|\Z)", re.DOTALL)
_COMMENT_DEPTH: Final = 5
_STRAIGHT_QUOTES: Final = str.maketrans("‘’ʼ“”\u00a0", "'''\"\" ")


def plain(text: str) -> str:
    """The text with straight quotes and without invisible characters, which keyboards and programs add."""
    return "".join(letter for letter in text.translate(_STRAIGHT_QUOTES) if not _is_hidden(letter))


def _is_hidden(letter: str) -> bool:
    return (unicodedata.category(letter) in ("Cf", "Cc") and letter not in "\n\t\r") or "\ufe00" <= letter <= "\ufe0f"


def clip(text: str, limit: int = 4_000) -> str:
    """The text if it is short enough; otherwise its two ends, with a mark of how much was cut between them."""
    if len(text) <= limit:
        return text
    half = max(0, limit - 40) // 2
    return f"{text[:half]}\n[cut: {len(text) - 2 * half:,} characters]\n{text[len(text) - half :]}"


def squeezed(text: str, limit: int) -> str:
    """The text for patterns to read: of bounded length, without long runs of white space."""
    return clip(_EMPTY.sub(lambda run: "\n\n" if "\n" in run[0] else " ", text[: 4 * limit]), limit)


def without_comments(text: str) -> str:
    """Removes HTML comments, also those that appear when one is removed. Comments nested deeper are shown as text, so
    that a text of nested comments can't take time quadratic in its length."""
    for _ in range(_COMMENT_DEPTH):
        without = _COMMENT.sub("", text)
        if without == text:
            return text
        text = without
    return text.replace("<!--", "‹!--")


def words_of(name: StrEnum) -> str:
    return name.value.replace("_", " ")


def first_line(text: str) -> str:
    return next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), "")


def printable(text: str) -> str:
    """The text for a terminal: without control characters except line ends and tabs, so that none moves the cursor."""
    return "".join(character if character.isprintable() or character in "\n\t" else "�" for character in text)


def code(text: str) -> str:
    """A Markdown code span that no backtick in the text can end."""
    flat = " ".join(text.split())
    longest = max((len(ticks) for ticks in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def fenced(text: str) -> str:
    """The text in a code fence that nothing in it can close."""
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"
