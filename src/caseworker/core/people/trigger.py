"""Finds in a comment what it asks Caseworker to run: a literal command, or a mention in free words. No model.

Code blocks, code spans and quotes are left out first: there a person shows a command, or repeats another's."""

import re
from collections.abc import Set
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import plain
from caseworker.core.people.phrases import HIDDEN

PHRASE: Final = "@caseworker"
LABEL_PREFIX: Final = "bot:"

_FENCE: Final = re.compile(r" {0,3}(?P<ticks>`{3,}|~{3,})")
_SPAN: Final = re.compile(r"(?<!`)(?P<ticks>`{1,20})(?!`).{1,2000}?(?<!`)(?P=ticks)(?!`)")
_BULLETS: Final = re.compile(r"(?: {0,8}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?=\S))*")
_BLOCK: Final = re.compile(r" {0,3}<(?P<tag>pre|code|blockquote|details)\b", re.IGNORECASE)
_OPTION: Final = re.compile(r"--(?P<name>[a-z][a-z-]{0,30})(?:=|[ \t]+)(?P<value>[^\s-]\S*)")
_FLAG: Final = re.compile(r"--(?P<name>[a-z][a-z-]{0,30})(?=\s|$)")
_COURTESY: Final = re.compile(r"(?:[\s.!,:]|\b(?:please|pls|thanks|thank you|now|this|it)\b)*", re.IGNORECASE)


class Option(BaseModel):
    """An option of a literal command: `--deadline 2h`. A flag has an empty value."""

    model_config = ConfigDict(frozen=True)

    name: str
    value: str = ""


class LiteralCommand(BaseModel):
    """A command in its fixed form: `bot:ship --deadline 2h`, or `@caseworker plan`."""

    model_config = ConfigDict(frozen=True)

    verb: str
    """As it was written, in lower case. It need not be a workflow that exists."""
    options: tuple[Option, ...] = ()
    text: str = ""
    """The words after the options, up to the end of the comment. Only `bot:` commands have any."""

    def option(self, name: str) -> str | None:
        return next((option.value for option in self.options if option.name == name), None)


class Mention(BaseModel):
    """The trigger phrase in free words: what they ask for has to be classified."""

    model_config = ConfigDict(frozen=True)

    text: str
    """The whole comment, as it was written."""


Trigger = LiteralCommand | Mention


def read_trigger(text: str, *, verbs: Set[str], phrase: str = PHRASE) -> Trigger | None:
    """The first literal command; without one, a mention. Null: the comment is not for us.

    After `bot:` any verb counts, so that a wrong one can be refused. After the phrase only the known `verbs` do, and
    only if nothing but options and courtesies follow: other words are for the classifier to read."""
    lines = visible_lines(text)
    for number, line in enumerate(lines):
        command = _after_label(lines, number) or _after_phrase(line, verbs, phrase)
        if command is not None:
            return command
    mentioned = re.compile(rf"(?<![\w/@-]){re.escape(phrase)}(?![\w-])", re.IGNORECASE)
    return Mention(text=text) if any(mentioned.search(line) for line in lines) else None


def visible_lines(text: str) -> list[str]:
    """The lines that the author says: without code, quotes and HTML comments, which a reader does not see as theirs."""
    lines: list[str] = []
    fence, is_listed, block = "", False, ""
    for line in HIDDEN.sub("", plain(text)).splitlines():
        bullets = _BULLETS.match(line)
        item = line[bullets.end() :] if bullets else line
        if fence:
            end = line.lstrip() if is_listed else line  # in a list, code is indented
            found = _FENCE.match(end)
            closes = found is not None and found["ticks"].startswith(fence) and not end[found.end() :].strip()
            fence = "" if closes else fence
        elif block:
            block = "" if f"</{block}" in line.lower() else block
        elif (found := _FENCE.match(item)) is not None:
            fence, is_listed = found["ticks"], item != line
        elif (opened := _BLOCK.match(item)) is not None:
            tag = opened["tag"].lower()
            block = "" if f"</{tag}" in line.lower() else tag
        elif not line.startswith(("    ", "\t")) and not item.lstrip().startswith(">"):
            lines.append(_SPAN.sub(" ", line))
    return lines


def _after_label(lines: list[str], number: int) -> LiteralCommand | None:
    found = re.match(r" {0,3}bot:(?P<verb>[a-z][a-z-]{0,40})(?=\s|$)(?P<rest>.*)", lines[number], re.IGNORECASE)
    if found is None:
        return None
    following = lines[number + 1 :]
    options, words = _options(found["rest"])
    return LiteralCommand(verb=found["verb"].lower(), options=options, text="\n".join([words, *following]).strip())


def _after_phrase(line: str, verbs: Set[str], phrase: str) -> LiteralCommand | None:
    start = re.match(rf" {{0,3}}{re.escape(phrase)}(?![\w-])[\s,:]*(?P<verb>[a-z][a-z-]*)", line, re.IGNORECASE)
    if start is None or start["verb"].lower() not in verbs:
        return None
    options, words = _options(line[start.end() :])
    if _COURTESY.fullmatch(words) is None:
        return None
    return LiteralCommand(verb=start["verb"].lower(), options=options)


def _options(text: str) -> tuple[tuple[Option, ...], str]:
    """The options at the beginning of a text, and the words after them."""
    options: list[Option] = []
    rest = text.strip()
    while (found := _OPTION.match(rest) or _FLAG.match(rest)) is not None:
        options.append(Option(name=found["name"], value=found.groupdict().get("value") or ""))
        rest = rest[found.end() :].lstrip()
    return tuple(options), rest
