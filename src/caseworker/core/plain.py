"""Text as people meant it: what keyboards and programs put in by themselves is taken out. No meaning is read here."""

import unicodedata
from typing import Final

_STRAIGHT: Final = str.maketrans("‘’ʼ“”\u00a0", "'''\"\" ")


def plain(text: str) -> str:
    """Straight quotes, and nothing that can't be seen."""
    return "".join(letter for letter in text.translate(_STRAIGHT) if not _is_hidden(letter))


def _is_hidden(letter: str) -> bool:
    return (unicodedata.category(letter) in ("Cf", "Cc") and letter not in "\n\t\r") or "\ufe00" <= letter <= "\ufe0f"
