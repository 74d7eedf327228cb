"""Causes that a program names in its output, each with a remedy of its own. The output is hostile input: each pattern
reads a line of limited length once."""

import re
from dataclasses import dataclass
from typing import Final, Literal

Cause = Literal["missing_header", "no_interpreter", "unreachable_host", "not_in_registry", "settings_refused"]
_SAID: Final = 200
_CAUSES: Final[tuple[tuple[Cause, str], ...]] = (
    ("missing_header", r"^.*?\b([\w.+/-]{1,60}\.h(?:pp)?): No such file or directory.*$"),
    ("no_interpreter", r"^.*?No interpreter found for (Python [^\n]{1,60}?) in .*$"),
    ("unreachable_host", r"^.*?(?<![\w.:-])([\w.:-]{1,253}) is allowed but (?:its name can't|can't be reached).*$"),
    ("not_in_registry", r"^.*?[Nn]o matching version found for ([\w@/.^~<>=*-]{1,99}).*$"),
    ("not_in_registry", r"^.*?(?:are no versions of|no matching package named) `?([\w@/.^~<>=*-]{1,99}).*$"),
    ("not_in_registry", r"^.*?Because ([\w.-]{1,100}) was not found in the package registry.*$"),
    ("settings_refused", r"^ERROR: (\S{0,200}): (?:config option |'minversion' requires ).*$"),
)
_COMPILED: Final = tuple((kind, re.compile(pattern, re.MULTILINE)) for kind, pattern in _CAUSES)


@dataclass(frozen=True, kw_only=True)
class FoundCause:
    kind: Cause
    said: str
    missing: str


def cause_of(output: str) -> FoundCause | None:
    """The first cause of the table that the output names."""
    for kind, pattern in _COMPILED:
        if (said := pattern.search(output)) is not None:
            return FoundCause(kind=kind, said=said[0].strip()[:_SAID], missing=said[1].rstrip(".:"))
    return None
