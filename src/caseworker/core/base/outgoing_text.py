"""Makes text safe to post on a forge: no mentions, no closing references, no images, no secrets.

Applies to whole texts, also where quoted words are mixed with ours: `Ours` has the mentions and references that are
allowed. Markers by which we find our own comments are added afterwards, so that quoted text can't forge one."""

import re
from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.markdown_code import code_parts
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.text import without_comments

COMMENT_LIMIT: Final = 65_536
"""Characters of a comment or a description on GitHub."""
_BREAK: Final = "\u200b"
"""A space without width: the text looks the same, and means nothing to the forge."""

_NOTE_ROOM: Final = 40
"""Characters of `[cut: 12,345 characters]`, with its line ends."""

_MENTION: Final = re.compile(r"(?<![A-Za-z0-9])@(?=[A-Za-z0-9])(?P<name>[A-Za-z0-9-]{1,39}(?:/[A-Za-z0-9_.-]{1,100})?)")
_REFERENCE: Final = (
    r"(?P<reference>(?:[\w.-]{1,100}/[\w.-]{1,100})?\#\d{1,12}|GH-\d{1,12}"
    r"|https?://[^\s/]{1,200}/[\w.-]{1,100}/[\w.-]{1,100}/(?:issues|pull)/\d{1,12})"
)
_CLOSING: Final = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<first>c|f|r)(?P<rest>lose[sd]?|ix(?:e[sd])?|esolve[sd]?)(?P<between>\s*+:?\s*+\W{{0,3}}){_REFERENCE}",
    re.IGNORECASE,
)
_PLAIN_TAG: Final = re.compile(r"</?(?:details|summary|sub|sup|kbd|br)>")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE: Final = re.compile(r"!(?=\[)")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move a terminal's cursor or change the order of letters. Not among them: line ends and tabs."""
_MARKER: Final = re.compile(r"[\w:.#/@!+ -]+")


class Ours(BaseModel):
    """The mentions and closing references that are allowed in a text. All others are escaped."""

    model_config = ConfigDict(frozen=True)

    mentions: frozenset[str] = frozenset()
    """Logins, or `organisation/team`, without the @."""
    closes: frozenset[str] = frozenset()
    """References that a merge may close, as they are written: `#42`."""


NOTHING: Final = Ours()


def outgoing(text: str, redactor: Redactor, *, ours: Ours = NOTHING, limit: int = COMMENT_LIMIT, more: str = "") -> str:
    """The Markdown text as it may leave. `more`: where the whole of it is, if it is too long: an address."""
    text = without_comments(redactor.text(_without_controls(text)))
    parts = (part if is_code else _plain(part, ours) for is_code, part in code_parts(text))
    return shortened(_open_closings("".join(parts), ours), limit, more)


def outgoing_line(text: str, redactor: Redactor, *, ours: Ours = NOTHING, limit: int = 256) -> str:
    """One line of plain text: a title, or the name of something."""
    line = " ".join(outgoing_message(text, redactor, ours=ours).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def outgoing_message(text: str, redactor: Redactor, *, ours: Ours = NOTHING) -> str:
    """Plain text such as a commit message. There is no code in it: a forge reads every word."""
    return _open_closings(_calling_nobody(redactor.text(_without_controls(text)), ours), ours)


def marked(text: str, marker: str, limit: int = COMMENT_LIMIT) -> str:
    """The text with a hidden marker of ours as its first line. Only the first line counts as a marker."""
    if _MARKER.fullmatch(marker) is None or "--" in marker:
        raise ValueError(f"{marker!r} can't be a marker")
    first = f"<!-- {marker} -->\n"
    return first + shortened(text, limit - len(first), "")


def marker_of(body: str) -> str:
    """The marker of a comment of ours. Empty: it has none. The caller checks who wrote the comment."""
    found = re.match(r"<!-- ([^\n]+) -->(?:\r?\n|\Z)", body)
    return found[1] if found else ""


def shortened(text: str, limit: int, more: str) -> str:
    """The beginning of a text that is too long, with a note of how much is missing and where it is."""
    if len(text) <= limit:
        return text
    where = f" The whole text: {more}" if more else ""
    room = max(0, limit - len(where) - _NOTE_ROOM)
    kept = text[:room]
    while (beyond := len(closed := _with_code_closed(kept)) - room) > 0 and kept:
        kept = kept[:-beyond]
    return f"{closed}\n\n[cut: {len(text) - len(kept):,} characters]{where}"


def _plain(text: str, ours: Ours) -> str:
    text = _IMAGE.sub("image: ", _calling_nobody(text, ours))
    return "".join(_escaped(text))


def _escaped(text: str) -> Iterator[str]:
    """The text with its HTML shown instead of applied, but for a few tags that only lay out."""
    at = 0
    for found in _TAG.finditer(text):
        yield text[at : found.start()]
        yield "<" if _PLAIN_TAG.match(text, found.start()) else "&lt;"
        at = found.end()
    yield text[at:]


def _calling_nobody(text: str, ours: Ours) -> str:
    allowed = {name.casefold() for name in ours.mentions}

    def mention(found: re.Match[str]) -> str:
        return found[0] if found["name"].casefold() in allowed else f"@{_BREAK}{found['name']}"

    return _MENTION.sub(mention, text)


def _open_closings(text: str, ours: Ours) -> str:
    """Also in code: a squashed commit has the description as plain text."""

    def closing(found: re.Match[str]) -> str:
        if found["reference"] in ours.closes:
            return found[0]
        return f"{found['first']}{_BREAK}{found['rest']}{found['between']}{found['reference']}"

    return _CLOSING.sub(closing, text)


def _without_controls(text: str) -> str:
    """Before secrets are looked for: one of these characters inside a secret would hide it."""
    return _CONTROL.sub("", text)


def _with_code_closed(text: str) -> str:
    """Closes a code block that the cut has left open: the note after it must not be code."""
    open_fence = ""
    for line in text.splitlines():
        found = re.match(r"(`{3,}|~{3,})", line)
        if found is None:
            continue
        if not open_fence:
            open_fence = found[1]
        elif found[1].startswith(open_fence) and not line.strip("`~ \t"):
            open_fence = ""
    return f"{text}\n{open_fence}" if open_fence else text
