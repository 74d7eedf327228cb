"""Text as people meant it: what keyboards and programs put in by themselves is taken out. No meaning is read here."""

import re
import unicodedata
from enum import StrEnum
from typing import Final

_STRAIGHT: Final = str.maketrans("‘’ʼ“”\u00a0", "'''\"\" ")


def plain(text: str) -> str:
    """Straight quotes, and nothing that can't be seen."""
    return "".join(letter for letter in text.translate(_STRAIGHT) if not _is_hidden(letter))


def _is_hidden(letter: str) -> bool:
    return (unicodedata.category(letter) in ("Cf", "Cc") and letter not in "\n\t\r") or "\ufe00" <= letter <= "\ufe0f"


def clip(text: str, limit: int = 4_000) -> str:
    """The text, or its two ends with a note of what was left out."""
    if len(text) <= limit:
        return text
    half = max(0, limit - 40) // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[len(text) - half :]}"


def words_of(name: StrEnum) -> str:
    return name.value.replace("_", " ")


def first_line(text: str) -> str:
    return next((line.strip("# ") for line in text.splitlines() if line.strip("# ")), "")


def printable(text: str) -> str:
    """For a terminal: no control characters but line ends and tabs, so that no text can move the cursor or lie."""
    return "".join(character if character.isprintable() or character in "\n\t" else "�" for character in text)


def code(text: str) -> str:
    """A code span of Markdown that nothing in the text can end."""
    flat = " ".join(text.split())
    longest = max((len(ticks) for ticks in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"
