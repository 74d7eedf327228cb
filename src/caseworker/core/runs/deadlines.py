"""Reads how long a session on a pull request may take: `90m`, `2h`, `1d`."""

import re
from typing import Final

_FORM: Final = re.compile(r"(?P<count>[1-9][0-9]{0,4})(?P<unit>[mhd])")
_SECONDS: Final = {"m": 60, "h": 3_600, "d": 86_400}
_MOST: Final = 30 * 86_400
DEADLINE_FORM: Final = "a number with `m`, `h` or `d`, at most 30 days: `90m`, `2h`, `1d`"


def parse_deadline(text: str) -> int | None:
    """In seconds. Null: the text is no such time."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    seconds = int(found["count"]) * _SECONDS[found["unit"]]
    return seconds if seconds <= _MOST else None
