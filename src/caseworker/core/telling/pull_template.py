"""Puts the text of a pull request into the repository's own template: its headings stay, our words go under them."""

import re
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_UNFILLED: Final = "_Caseworker has nothing to say about this._"

_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "what": ("what", "description", "summary", "changes", "change", "overview", "proposed", "details"),
    "why": ("why", "motivation", "context", "issue", "issues", "related", "background", "problem", "fixes"),
    "evidence": ("evidence", "test", "tests", "tested", "testing", "verification", "verified", "qa"),
    "review": ("review", "reviewer", "reviewers", "risk", "risks"),
}
"""For each heading of ours: the words of a template's heading that ask for the same."""


@dataclass(frozen=True, kw_only=True)
class _Section:
    heading: str
    """Whole, with its #. Empty: the text before the first heading."""
    text: str

    @property
    def words(self) -> list[str]:
        return re.findall(r"\w+", self.heading.lower())


def fill_template(template: str, body: str) -> str:
    """The template's instructions (HTML comments) are left out, its check boxes stay as they are."""
    asked = _sections(_COMMENT.sub("", template))
    if not any(section.heading or section.text for section in asked):
        return body
    ours = _sections(body)
    placed: set[int] = set()
    parts = []
    for section in asked:
        number = _match(section, ours, placed)
        own = ours[number].text if number is not None else ""
        if number is not None:
            placed.add(number)
        text = "\n\n".join(filter(None, [own, section.text]))
        if section.heading and not text:
            text = _UNFILLED
        parts += [section.heading, text]
    opening = [one.text for number, one in enumerate(ours) if not one.heading and number not in placed]
    rest = [
        part
        for number, one in enumerate(ours)
        if one.heading and number not in placed
        for part in (one.heading, one.text)
    ]
    return "\n\n".join(part for part in [*opening, *parts, *rest] if part)


def _match(asked: _Section, ours: list[_Section], placed: set[int]) -> int | None:
    """The first of our sections that this heading asks for."""
    for number, one in enumerate(ours):
        names = [_WORDS.get(word, (word,)) for word in one.words]
        if number not in placed and any(word in name for name in names for word in asked.words):
            return number
    return None


def _sections(text: str) -> list[_Section]:
    found: list[_Section] = []
    heading, lines, fence = "", list[str](), ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        if not fence and _HEADING.match(line):
            found.append(_Section(heading=heading, text="\n".join(lines).strip()))
            heading, lines = line.strip(), []
        else:
            lines.append(line)
    found.append(_Section(heading=heading, text="\n".join(lines).strip()))
    return [one for one in found if one.heading or one.text]
