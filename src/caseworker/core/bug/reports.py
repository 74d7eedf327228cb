"""Reads a report without a model: its severity, services, title, and whether it has anything to start from.

The patterns are in `report_patterns`."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Service, Severity
from caseworker.core.base.text import plain, squeezed
from caseworker.core.bug.report_patterns import BY_WORDS, EXPLICIT, STARTING_POINTS
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import SPOKEN, Message, Standing

TITLE_LIMIT: Final = 120
READ_LIMIT: Final = 64_000
"""Characters of a report in which words are looked for. Of a longer one both ends are read."""
UNTITLED: Final = "a report without words"


class Reading(BaseModel):
    model_config = ConfigDict(frozen=True)

    severity: Severity
    services: tuple[str, ...]
    """In the order in which the report mentions them."""
    owners: tuple[str, ...]
    vague: bool
    found: tuple[str, ...]
    """The starting points that the report has."""


def reported(said: Sequence[Message]) -> str:
    """All that the reporter has said so far: each message as last edited, without deleted ones. A second message or an
    edit may name what the first did not."""
    words: dict[str, str] = {}
    for message in said:
        name = message.refers_to or message.reference or f"message {message.id}"
        if message.standing is not Standing.REPORTER:
            continue
        if message.kind is MessageKind.DELETION:
            words.pop(name, None)
        elif message.kind in SPOKEN:
            words[name] = message.text
    return "\n".join(words.values())


def read_report(text: str, services: Mapping[str, Service]) -> Reading:
    said = plain(squeezed(text, READ_LIMIT))
    found = tuple(name for name, pattern in STARTING_POINTS.items() if pattern.search(said))
    named = _services_in(said, services)
    owners = dict.fromkeys(owner for name in named for owner in services[name].owners)
    return Reading(severity=_severity(said), services=named, owners=tuple(owners), vague=not found, found=found)


def _severity(said: str) -> Severity:
    """An explicit severity wins, then the most severe match. Without either it is P2."""
    explicit = EXPLICIT.findall(said)
    if explicit:
        return Severity(f"P{min(explicit)}")
    return next((severity for severity, words in BY_WORDS.items() if words.search(said)), Severity.P2)


def _services_in(said: str, services: Mapping[str, Service]) -> tuple[str, ...]:
    places = {}
    for name, service in services.items():
        found = [place for word in (name, *service.aliases) if (place := _place_of(word, said)) is not None]
        if found:
            places[name] = min(found)
    return tuple(sorted(places, key=lambda name: places[name]))


def _place_of(name: str, said: str) -> int | None:
    """Where the name is in the text, as whole words. `checkout-api` also matches `checkout api` and `checkout_api`."""
    words = [re.escape(word) for word in re.split(r"[-_\s]+", name) if word]
    if not words:
        return None
    written = r"[-_\s]+".join(words)
    found = re.search(rf"(?<!\w)(?<!\w-){written}(?!-?\w)", said, re.IGNORECASE)
    return found.start() if found else None


_GREETING: Final = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))"
    r"(?: (?:all|there|team|everyone|everybody|folks|guys|caseworker|together))*",
    re.IGNORECASE,
)


def title_of(text: str) -> str:
    """The first line that is more than a greeting, without the surface's markup."""
    for line in plain(squeezed(text, READ_LIMIT)).splitlines():
        title = _clean(line[:2_000])
        if re.search(r"\w", title) and not _GREETING.fullmatch(re.sub(r"\W+", " ", title).strip()):
            return _short(title)
    return UNTITLED


def _clean(line: str) -> str:
    line = re.sub(r"<[@!][^<>|]*>|<[@!][^<>|]*\|[^<>]*>|@caseworker\b[:,]?", " ", line)
    line = re.sub(r"<#[^<>|]*\|([^<>]*)>", r"#\1", line)
    line = re.sub(r"<([^<>|\s:]+:[^<>|\s]*)\|([^<>]*)>", r"\2", line)
    line = re.sub(r"<([a-z]+:[^<>|\s]*)>", r"\1", line)
    line = re.sub(
        r"(?<![\w*_~`])([*_~`]{1,3})(?![*_~`])(?=\S)([^*~`]{1,500}?)(?<=\S)\1(?![\w*_~`])", r"\2", html.unescape(line)
    )
    line = re.sub(r"^\s*(?:[#>*•-]+\s|```\w*)|(?<!\w):[a-z][a-z0-9_+-]*:(?!\w)", " ", line)
    return " ".join(line.split()).strip(" ,:;-")


def _short(title: str) -> str:
    if len(title) <= TITLE_LIMIT:
        return title
    cut = title[: TITLE_LIMIT - 1]
    at_a_word = cut.rsplit(" ", 1)[0] if " " in cut[TITLE_LIMIT // 2 :] else cut
    return f"{at_a_word.rstrip(' ,:;-')}…"
