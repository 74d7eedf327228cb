"""Collects all the text of a Slack message: its text, and what is only in its blocks and attachments. Parsing only.

Blocks come in many undocumented shapes, and an unknown one must not lose the message: so they are walked, not
validated.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

_MARKUP: Final = re.compile(r"<(?P<kind>[#!]?)(?P<target>[^<>@|][^<>|]*)(?:\|(?P<label>[^<>]*))?>")
_INLINE: Final = frozenset({"text", "link", "user", "usergroup", "channel", "emoji", "broadcast", "date", "color"})
_DEEPEST: Final = 20
_LONGEST: Final = 64_000
_MOST_LINES: Final = 500
"""Lines of blocks and attachments. Each is looked for in the text, so their number bounds the work."""


def text_of(message: Mapping[str, object]) -> str:
    """The text, then each line of blocks and attachments that it lacks: a phone number or a link may be in a block
    only."""
    text = readable(string(message, "text")[:_LONGEST]).strip()
    lines, known = [text] if text else [], f" {_words(text)} "
    for line in islice(_extra_lines(message), _MOST_LINES):
        if len(known) > _LONGEST:
            break
        words = _words(line)
        if words and f" {words} " not in known:
            lines.append(line.strip())
            known += f"{words} "
    return "\n".join(lines)


def _extra_lines(message: Mapping[str, object]) -> Iterator[str]:
    for block in _list(message, "blocks"):
        yield from _lines(block)
    for attachment in _list(message, "attachments"):
        fields = _mapping(attachment)
        if not _is_preview(fields):
            yield from _attachment_lines(fields)


def _is_preview(attachment: Mapping[str, object]) -> bool:
    """Whether Slack made the attachment from a link, and no person wrote it. A forwarded message is no preview."""
    return bool(attachment.get("from_url")) and not (attachment.get("is_share") or attachment.get("is_msg_unfurl"))


def _attachment_lines(attachment: Mapping[str, object]) -> Iterator[str]:
    said = [readable(string(attachment, name)) for name in ("pretext", "title", "title_link", "text")]
    for field in map(_mapping, _list(attachment, "fields")):
        said.append(f"{readable(string(field, 'title'))}: {readable(string(field, 'value'))}".strip(": "))
    for block in _list(attachment, "blocks"):
        said += _lines(block)
    yield from filter(None, said)
    if not any(said):
        yield readable(string(attachment, "fallback"))


def _lines(node: object, depth: int = 0) -> Iterator[str]:
    """Every line of text in a block or a part of one."""
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return
    part, deeper = node, depth + 1
    children = _list(part, "elements")
    if any(string(_mapping(child), "type") in _INLINE for child in children):
        yield "".join(map(_inline, children))
    else:
        for child in children:
            yield from _lines(child, deeper)
    for name in ("text", "title", "description", "label", "alt_text", "url"):
        value = part.get(name)
        if isinstance(value, str):
            yield readable(value)
        elif isinstance(value, Mapping):
            yield from _lines(value, deeper)
    for child in [*_list(part, "fields"), *_list(part, "rows")]:
        yield from _row(child, deeper) if isinstance(child, list) else _lines(child, deeper)
    yield from _lines(part.get("accessory"), deeper)


def _row(cells: list[object], depth: int) -> Iterator[str]:
    yield " | ".join(" ".join(_lines(cell, depth)) for cell in cells)


def _inline(node: object) -> str:
    part = _mapping(node)
    match string(part, "type"):
        case "link":
            url, label = string(part, "url"), string(part, "text")
            return _link(url, label)
        case "user":
            return f"<@{string(part, 'user_id')}>"
        case "usergroup":
            return f"@{string(part, 'usergroup_id')}"
        case "channel":
            return f"#{string(part, 'channel_id')}"
        case "emoji":
            return f":{string(part, 'name')}:"
        case "broadcast":
            return f"@{string(part, 'range')}"
        case "date":
            return string(part, "fallback")
        case "color":
            return string(part, "value")
        case _:
            return string(part, "text")


def readable(text: str) -> str:
    """Show Slack's links and escapes as a person sees them. Mentions of people stay as they are: `<@U123>`."""
    unlinked = _MARKUP.sub(lambda found: _shown(found["kind"], found["target"], found["label"] or ""), text)
    return unlinked.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _shown(kind: str, target: str, label: str) -> str:
    if kind == "":
        return _link(target, label)
    if kind == "#":
        return f"#{label or target}"
    command, _, argument = target.partition("^")
    if command == "date":
        return label or argument
    return label if label.startswith("@") else f"@{label or argument or command}"


def _link(url: str, label: str) -> str:
    bare = re.sub(r"^(mailto|tel):", "", url)
    if not label or label in (url, bare) or re.sub(r"^https?://", "", url).rstrip("/") == label.rstrip("/"):
        return bare
    return f"{label} ({bare})"


def _words(text: str) -> str:
    """Only the words: emphasis and line ends differ between text and blocks."""
    return " ".join(re.sub(r"[\W_]+", " ", text).casefold().split())


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _list(part: Mapping[str, object], name: str) -> list[object]:
    value = part.get(name)
    return value if isinstance(value, list) else []


def string(part: Mapping[str, object], name: str) -> str:
    value = part.get(name)
    return value if isinstance(value, str) else ""
