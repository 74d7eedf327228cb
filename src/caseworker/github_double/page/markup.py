"""HTML that escapes everything by construction, and Markdown as GitHub shows it."""

import re
from html import escape
from typing import Final

from markdown_it import MarkdownIt

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_TOUCHED_UP: Final = re.compile(
    r"<[^>]*>|&lt;(?P<plain>/?(?:details|summary|sub|sup|kbd|br))&gt;|(?<![\w/@.])@(?P<login>[A-Za-z0-9][A-Za-z0-9-]*)"
)
"""Tags of the rendered text, which stay as they are, harmless tags that were escaped, and mentions."""
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])


class Html(str):
    """Text that is HTML already. Only this module makes it from anything but other HTML."""

    __slots__ = ()


Child = str | int | None
"""A string is escaped unless it is `Html`; None is nothing."""


def tag(element: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """An element. `class_` and `for_` stand for the words that Python keeps to itself; `data_x` for `data-x`."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if element in ("input", "meta", "link", "br", "circle"):
        return Html(f"<{element}{written}>")
    return Html(f"<{element}{written}>{join(*children)}</{element}>")


def join(*children: Child) -> Html:
    return Html("".join(_text(child) for child in children))


def _text(child: Child) -> str:
    if child is None:
        return ""
    return child if isinstance(child, Html) else escape(str(child))


def _attribute(key: str, value: str | int | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def markdown(text: str | None) -> Html:
    """Rendered Markdown. HTML comments are hidden, a few harmless tags are kept, all other HTML is shown as text."""
    shown = _MARKDOWN.render(_COMMENT.sub("", text or ""))
    return Html(f'<div class="markdown">{_TOUCHED_UP.sub(_touch_up, shown)}</div>')


def _touch_up(found: re.Match[str]) -> str:
    if found["plain"]:
        return f"<{found['plain']}>"
    return f"<strong>@{found['login']}</strong>" if found["login"] else found[0]
