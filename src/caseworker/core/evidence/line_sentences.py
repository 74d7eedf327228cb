"""The sentence that tells people what one line of a change does."""

from typing import Final

from caseworker.core.base.text import code

_SHOWN: Final = 120


def line_sentence(path: str, number: int, does: str, text: str) -> str:
    """For example: `shop.py`, line 4, ends the run of the tests: `os._exit(0)`."""
    return f"{code(path)}, line {number}, {does}: {code(text.strip()[:_SHOWN])}."
