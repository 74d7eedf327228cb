"""From the plain Markdown that core writes to Slack's own markup. Pure; knows nothing of posting."""

import re
from typing import Final

from caseworker.core.base.text import clip

LONGEST: Final = 40_000
"""Slack cuts a longer text off without a word."""

# Every run is bounded: a line of opening brackets must not cost the square of its length.
_SPECIAL: Final = re.compile(
    r"(?P<fence>`{3,})[^\n`]*\n(?P<block>.*?)\n?(?P=fence)(?!`)"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?P<code>[^\n]{1,1000}?)(?<!`)(?P=ticks)(?!`)"
    r"|\[(?P<label>[^\[\]\n]{1,300})\]\((?P<url>https?://[^\s()<>|]{1,2000})\)"
    r"|(?P<bare>https?://[^\s<>|]+)"
    r"|\*\*(?=\S)(?P<bold>[^*\n]{1,1000})(?<=\S)\*\*"
    r"|^#{1,6}[ \t]+(?P<heading>[^\n]+)$"
    r"|^(?P<indent>[ \t]*)[-*][ \t]+(?=\S)"
    r"|(?<![\w@/.<])@(?P<person>[UW][A-Z0-9]{7,})\b",
    re.DOTALL | re.MULTILINE,
)


def to_mrkdwn(text: str) -> str:
    """What Slack shows as the Markdown was meant. Everything that is not Markdown of ours is escaped, so that no quoted
    text can address a channel; only `@` and a member's id, which core writes to page somebody, becomes a mention."""
    parts, end = [], 0
    for found in _SPECIAL.finditer(text):
        parts += [_escaped(text[end : found.start()]), _converted(found)]
        end = found.end()
    return "".join([*parts, _escaped(text[end:])])


def fitting(text: str) -> str:
    """The same within Slack's limit: of a text that is too long both ends, with a note of what was left out."""
    longest, shown = LONGEST, to_mrkdwn(clip(text, LONGEST))
    while len(shown) > LONGEST:
        longest = longest * 9 // 10
        shown = to_mrkdwn(clip(text, longest))
    return shown


def _converted(found: re.Match[str]) -> str:
    if found["fence"]:
        # Slack knows three backticks only: those inside would end the block.
        block = _escaped(found["block"]).replace("```", "'''")
        return f"```\n{block}\n```"
    if found["ticks"]:
        code = _escaped(found["code"]).strip().replace("`", "'")
        return f"`{code}`"
    if found["label"]:
        return f"<{_escaped(found['url'])}|{_escaped(found['label']).replace('|', '/')}>"
    if found["bare"]:
        return _escaped(found["bare"])
    if found["bold"] or found["heading"]:
        inner = (found["bold"] or found["heading"]).replace("**", "")
        return f"*{to_mrkdwn(inner).strip()}*"
    if found["person"]:
        return f"<@{found['person']}>"
    return f"{found['indent']}• "


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
