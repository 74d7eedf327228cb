"""Makes developers' words fit for a reporter: leaves out sentences that name internals."""

import re
from typing import Final

from caseworker.core.base.text import plain

_LONGEST: Final = 300
_INTERNAL: Final = re.compile(
    r"[`<>_@{}\\]|::|\(\)|://|\w/\w|[\w-]\.[a-z]\w|#\d|![0-9]|\w(?:Error|Exception)\b|\b(?=\w{0,40}\d)[0-9a-f]{7,40}\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[a-z]+[A-Z]\w*|\b[Bb]ug-\w{4}\b",
)
"""Code, members' ids, addresses, paths, file and host names, cases, exceptions, commits, names in code."""
_CONNECTION: Final = re.compile(r"(?:because|since|due to|same as|as|of)\s+", re.IGNORECASE)
"""First words that connect a reason with the command that it followed."""


def reporter_safe(reason: str) -> str:
    """A developer's reason without the sentences that name internals, and without a full stop. May be empty."""
    sentences = re.split(r"(?<=[.!?;])\s+|\n+", plain(reason).strip())
    kept = " ".join(sentence.strip() for sentence in sentences if sentence and not _INTERNAL.search(sentence))
    said = _CONNECTION.sub("", kept, count=1) if _CONNECTION.match(kept) else kept
    short = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1].rstrip()}…"
    return short.rstrip(".; ").replace('"', "'")
