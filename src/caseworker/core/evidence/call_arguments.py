"""What a call in a line of a test is given. Reads brackets and commas; knows no language."""

import re
from typing import Final

_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.){0,300}\"|'(?:[^'\\]|\\.){0,300}'|`[^`]{0,300}`")
_DEEPER, _HIGHER = "([{", ")]}"


def arguments(text: str, at: int) -> tuple[list[str], int]:
    """The arguments of the call whose bracket was opened right before this place, and where that is closed. If it is
    not, the line ends before."""
    said = _QUOTED.sub(lambda found: "_" * len(found[0]), text)
    found, begin, depth = [], at, 0
    for place in range(at, len(said)):
        letter = said[place]
        if not depth and letter in (",", *_HIGHER):
            found.append(text[begin:place].strip())
            begin = place + 1
            if letter != ",":
                return [one for one in found if one], place
        depth += (letter in _DEEPER) - (letter in _HIGHER)
    return [], len(text)
