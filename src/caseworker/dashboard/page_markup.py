"""Templates and how values are written: times, money, sizes, text of agents. Everything is escaped by default."""

from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

import caseworker
from caseworker.core.base.budget import dollars
from caseworker.core.base.ids import noun
from caseworker.core.base.text import printable
from caseworker.core.telling.money import money_words, short_money_words
from caseworker.dashboard.addresses import case_path, case_slug
from caseworker.dashboard.diagrams import columns, state_diagram

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}).enable(
    ["table", "strikethrough"]
)
_MARKDOWN.disable("image")
_STATIC: Final = files("caseworker.dashboard") / "static"
_TURNS: Final = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"))
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("caseworker.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        moment=moment,
        money=dollars,
        cost=money_words,
        short_cost=short_money_words,
        span=span,
        prose=prose,
        plain=plain_text,
        line=line,
        case_path=case_path,
        slug=case_slug,
        noun=noun,
        words=lambda name: str(name).replace("_", " "),
    )
    made.globals.update(
        static=static_path,
        version=caseworker.__version__,
        state_diagram=state_diagram,
        columns=columns,
        now=lambda: datetime.now(UTC),
    )
    return made


def page(template: str, **values: Any) -> str:
    return environment().get_template(template).render(**values)


@cache
def static_bytes(name: str) -> bytes:
    return (_STATIC / name).read_bytes()


@cache
def static_path(name: str) -> str:
    """With a hash of the file, so that it can be kept for ever."""
    return f"/static/{name}?{sha256(static_bytes(name)).hexdigest()[:12]}"


def moment(at: datetime | None) -> Markup:
    """A time for people and for the script, which rewrites it as "3 min ago" and keeps it current."""
    if at is None:
        return Markup("")
    at = at.astimezone(UTC)
    shown = f"{at:%H:%M}" if at.date() == datetime.now(UTC).date() else f"{at:%b} {at.day}, {at:%H:%M}"
    # Nothing here is escaped, since none of it is text of people: a case page has hundreds of times.
    return Markup(
        f'<time datetime="{at.isoformat(timespec="seconds")}" title="{at:%Y-%m-%d %H:%M:%S} UTC">{shown}</time>'
    )


def span(seconds: float) -> str:
    """A duration in its two largest units: `2 h 10 min`."""
    whole = round(seconds)
    if whole < 1:
        return f"{round(seconds * 1000)} ms"
    units = (("d", _DAY), ("h", _HOUR), ("min", 60), ("s", 1))
    parts = []
    for name, size in units:
        number, whole = divmod(whole, size)
        if number:
            parts.append(f"{number} {name}")
        elif parts:
            break
    return " ".join(parts[:2])


def plain_text(text: str) -> str:
    """Text of others for a page: without control characters, and without marks that turn the reading direction."""
    if text.isascii() and text.isprintable():
        return text
    return printable(text.translate(_TURNS))


def line(text: str) -> Markup:
    """One line of ours that quotes others: what stands between backticks is code, between two stars bold."""
    parts = plain_text(text).split("`")
    if len(parts) % 2 == 0:
        return _bold("`".join(parts))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else _bold(part) for place, part in enumerate(parts)
    )


def _bold(text: str) -> Markup:
    parts = text.split("**")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<b>{}</b>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def prose(text: str) -> Markup:
    """Markdown of agents and people. HTML in it is shown as text; images are not loaded."""
    rendered = _MARKDOWN.render(plain_text(text))
    return Markup('<div class="prose">{}</div>').format(Markup(rendered))
