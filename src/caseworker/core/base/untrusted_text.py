"""Text from people and programs on its way into a prompt: cleaned, cut with a visible mark, fenced and labelled.

The only way for such text into a prompt. `cleaned` is for prose, `revealed` for output and diffs."""

import re
from typing import Final

from caseworker.core.base.text import clip, without_comments

_TERMINAL: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    # window titles, hidden links
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_ENDS: Final = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_HIDDEN: Final = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, but for tab and line ends
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero width, bidi controls, invisible operators
    "\ufe00-\ufe0f\U000e0000-\U000e0fff"  # variation selectors, and tags: a whole invisible alphabet
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # annotations, shorthand and music controls
    "\ud800-\udfff"  # halves of characters, which nothing can show
    "]"
)
_TARGET: Final = r"\(\s*(?P<url><[^<>\n]*>|[^\s()<>]+)(?:\s+(?P<title>\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?\s*\)"
_IMAGE: Final = re.compile(rf"!\[(?P<words>[^\[\]\n]*)\]{_TARGET}")
_TITLED_LINK: Final = re.compile(rf"(?<!!)\[(?P<words>[^\[\]\n]*)\](?=\([^()\n]*\s[\"'(]){_TARGET}")
_IMAGE_TAG: Final = re.compile(r"<img\b(?P<attributes>[^<>]*)>?", re.IGNORECASE)
_DEFINITION: Final = re.compile(r"^ {0,3}\[(?P<name>[^\[\]\n]+)\]:[ \t]*(?P<rest>\S[^\n]*)$", re.MULTILINE)
_RESERVED_TAG: Final = re.compile(
    r"<(?=[\s/]{0,20}(?:antml:|system-reminder|quoted-[0-9a-f]|local-command|task-notification|command-(?:name|message|args)"
    r"|(?:system|human|assistant|thinking|function_calls|function_results|invoke|tool_use|tool_result)[\s/>]))",
    re.IGNORECASE,
)
"""Tags by which an agent's program, a model's vendor or we ourselves mark who is speaking. In foreign text they are
shown with another bracket, and mark nothing."""
_ROUNDS: Final = 5
"""How often a text is cleaned again because cleaning has made something new. Bounded: each round reads the whole."""


def cleaned(text: str) -> str:
    """The text as people see it on the forge, with what only a program would see removed or named.

    Hidden characters are removed first: one inside `<!--` would hide the comment from us. Comments are removed until
    none is left: removing one may create another.
    """
    text = _HIDDEN.sub("", _LINE_ENDS.sub("\n", _without_terminal_codes(text)))
    text = without_comments(text)
    for _ in range(_ROUNDS):
        visible = _with_visible_data(text)
        if visible == text:
            break
        text = visible
    return _RESERVED_TAG.sub("‹", text)


def revealed(text: str) -> str:
    """Shows hidden characters as `<U+202E>`: a reviewer of a diff must see everything in it."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", _RESERVED_TAG.sub("‹", text))


def cleaned_value(value: object) -> object:
    """A JSON value with every string in it cleaned, including the keys of objects."""
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, list):
        return [cleaned_value(item) for item in value]
    if isinstance(value, dict):
        return {cleaned(str(key)): cleaned_value(item) for key, item in value.items()}
    return value


def one_line(text: str, limit: int = 2_000) -> str:
    line = " ".join(cleaned(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def label(text: str) -> str:
    """A name for use inside a tag, without characters that could end the tag."""
    return re.sub(r"[\"<>]", "'", one_line(text, 100))


class Fence:
    """Tags around quoted text. The nonce is random, and is taken out of the text: nothing in it ends the quote."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._tag = f"quoted-{nonce}"

    def around(self, text: str, *, what: str, source: str) -> str:
        """The quoted text. `source`: who wrote it, with their standing: `ann, owner`. The caller has cleaned it."""
        if not text.strip():
            return ""
        what, source, text = (self._without_nonce(one) for one in (label(what), label(source), text.strip()))
        return f'<{self._tag} what="{what}" from="{source}">\n{text}\n</{self._tag}>'

    def quote(self, text: str, *, what: str, source: str, limit: int) -> str:
        """Cleans the text, cuts it to `limit` characters with a mark, and fences it."""
        return self.around(clip(cleaned(text), limit), what=what, source=source)

    def _without_nonce(self, text: str) -> str:
        while self._nonce in text:  # again, if removing one has made another
            text = text.replace(self._nonce, "")
        return text


def _without_terminal_codes(text: str) -> str:
    """Removes terminal codes, also those that appear when others are removed, up to a number of rounds."""
    for _ in range(_ROUNDS):
        without = _TERMINAL.sub("", text)
        if without == text:
            break
        text = without
    return text


def _with_visible_data(text: str) -> str:
    """Names what a rendered page does not show: addresses and texts of images, titles of links, definitions."""
    text = _IMAGE.sub(lambda found: f"[image: {_shown(found)}]", text)
    text = _IMAGE_TAG.sub(lambda found: f"[image:{found['attributes'].rstrip('/ ')}]", text)
    text = _TITLED_LINK.sub(lambda found: f"[link: {_shown(found)}]", text)
    return _DEFINITION.sub(lambda found: f"[not shown on the page: {found['name']}: {found['rest']}]", text)


def _shown(found: re.Match[str]) -> str:
    title = f", title {found['title']}" if found["title"] else ""
    return f"{found['words']}, {found['url']}{title}".removeprefix(", ")
