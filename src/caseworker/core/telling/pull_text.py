"""The title and opening paragraph of a pull request as the pm words them, and the checks that they have to pass."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.casefile.model import CaseFile

MOST_TITLE: Final = 72
MOST_OPENING: Final = 1_200
_MOST_LINES: Final = 20

_UNWANTED: Final = {
    "a mention": re.compile(r"(?<![\w`])@\w"),
    "the number of an issue": re.compile(r"#\d|\bGH-\d", re.IGNORECASE),
    "a link": re.compile(r"https?:|www\.|\]\(|\]\[", re.IGNORECASE),
    "a signature": re.compile(r"co-authored-by|signed-off-by|generated (?:with|by)", re.IGNORECASE),
    "characters that nobody sees": re.compile(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
    ),
    "markup": re.compile(r"[<>]|^[^\S\n]*+(?:#|```|---|===)", re.MULTILINE),
}
"""What only code may write. A number could close another issue; a mention or a link could call people."""


class PullText(BaseModel):
    """Empty fields: the program uses its own words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[str, Field(max_length=400)] = Field(description="At most 72 characters, in the imperative.")
    opening: Annotated[str, Field(max_length=4_000)] = Field(description="One paragraph: what was wrong, what changes.")


OWN_WORDS: Final = PullText(title="", opening="")


def unfit(text: PullText) -> str:
    """What is wrong with a pm's text. Empty: it can be used as it is."""
    title, opening = text.title.strip(), text.opening.strip()
    if not title or not opening:
        return "it is empty"
    if "\n" in title or len(title) > MOST_TITLE:
        return f"its title is not one line of at most {MOST_TITLE} characters"
    if "\n\n" in opening or len(opening) > MOST_OPENING:
        return f"its opening is not one paragraph of at most {MOST_OPENING} characters"
    found = [what for what, pattern in _UNWANTED.items() if pattern.search(title) or pattern.search(opening)]
    return f"it has {found[0]}" if found else ""


def facts_for_text(file: CaseFile, *, changed: list[str], red_first: bool) -> str:
    """The evidence that the pm words: nothing that the program has not seen or a role has not handed in."""
    lines = [
        f"Summary of the change, by its developer: {file.writer.summary}",
        *(f"Was to be done: {line}" for line in file.analysis.must_do[:_MOST_LINES]),
        *(f"Changed file: {path}" for path in changed[:_MOST_LINES]),
        "A new test failed before the change and passes with it." if red_first else "No new test was seen to fail.",
        *(f"The review found good: {line}" for line in file.review.findings.good[:_MOST_LINES]),
    ]
    return "\n".join(lines)
