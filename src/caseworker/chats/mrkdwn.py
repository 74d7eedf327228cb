"""Converts the plain Markdown that core writes into mrkdwn, Slack's own markup. Pure functions."""

import re
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from caseworker.core.base.text import clip

LONGEST: Final = 40_000
"""Characters. Slack cuts off a longer text without an error."""

# Every repetition is bounded: otherwise a line of opening brackets takes time quadratic in its length.
_SPECIAL: Final = re.compile(
    r"(?<!`)(?P<fence>`{3,20})(?!`)[^\n`]*\n(?P<block>.*?)\n?(?P=fence)(?!`)"
    r"|(?<!`)(?P<ticks>`{1,20})(?!`)(?P<code>[^\n]{1,1000}?)(?<!`)(?P=ticks)(?!`)"
    r"|\[(?P<label>[^\[\]\n]{1,300})\]\((?P<url>https?://[^\s()<>|]{1,2000})\)"
    r"|(?P<bare>https?://[^\s<>|]+)"
    r"|\*\*(?=\S)(?P<bold>[^*\n]{1,1000})(?<=\S)\*\*"
    r"|^#{1,6}[ \t]+(?P<heading>[^\n]+)$"
    r"|^(?P<indent>[ \t]*)[-*][ \t]+(?=\S)"
    r"|(?<![\w@/.<])@(?P<person>[UW][A-Z0-9]{7,})\b",
    re.DOTALL | re.MULTILINE,
)


def to_mrkdwn(text: str, hosts: Collection[str] = ()) -> str:
    """Converts our Markdown and escapes everything else, so that quoted text can't mention a channel.

    Only `@` with a member's id becomes a mention: whoever posts decides who may be called. Only addresses on `hosts`
    become links: an agent may write any address, and a link with a text hides where it leads.
    """
    parts, end = [], 0
    for found in _SPECIAL.finditer(text):
        parts += [_escaped(text[end : found.start()]), _converted(found, hosts)]
        end = found.end()
    return "".join([*parts, _escaped(text[end:])])


def fitting(text: str, hosts: Collection[str] = ()) -> str:
    """Like `to_mrkdwn`, within Slack's limit: of a longer text both ends, with a note of how much was left out."""
    longest = min(len(text), LONGEST)
    shown = to_mrkdwn(clip(text, longest), hosts)
    while len(shown) > LONGEST:
        longest = min(longest * 9 // 10, longest * LONGEST // len(shown))
        shown = to_mrkdwn(clip(text, longest), hosts)
    return shown


def _converted(found: re.Match[str], hosts: Collection[str]) -> str:
    if found["fence"]:
        # In Slack a block always ends at three backticks: those inside would end it early.
        block = _escaped(found["block"]).replace("```", "'''")
        return f"```\n{block}\n```"
    if found["ticks"]:
        code = _escaped(found["code"]).strip().replace("`", "'")
        return f"`{code}`"
    if found["label"]:
        label, url = _escaped(found["label"]).replace("|", "/"), _escaped(found["url"])
        return f"<{url}|{label}>" if _leads_to(found["url"], hosts) else f"{label} (`{url.replace('`', '%60')}`)"
    if found["bare"]:
        url = _escaped(found["bare"])
        return url if _leads_to(found["bare"], hosts) else f"`{url.replace('`', '%60')}`"
    if found["bold"] or found["heading"]:
        inner = (found["bold"] or found["heading"]).replace("**", "")
        return f"*{to_mrkdwn(inner, hosts).strip()}*"
    if found["person"]:
        return f"<@{found['person']}>"
    return f"{found['indent']}• "


def _leads_to(url: str, hosts: Collection[str]) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return any(host == known or host.endswith(f".{known}") for known in hosts)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
