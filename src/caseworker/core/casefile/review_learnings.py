"""Rules that owners gave for later reviews: how they are written, and which apply to a change."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.path_patterns import pattern_covers
from caseworker.core.base.text import code, plain
from caseworker.core.base.untrusted_text import cleaned, one_line
from caseworker.core.casefile.learnings import fingerprint

LONGEST_RULE: Final = 1_000
_MOST_CHARACTERS: Final = 6_000
"""Limit of all offered rules together: they are in the prompt of a review."""
_LITERAL: Final = re.compile(r"\s*bot:remember\b[:,]?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_PATH_OPTION: Final = re.compile(r"--path(?:\s+|=)(?:\"(?P<quoted>[^\"\n]+)\"|(?P<bare>\S+))\s*")
_GLOB: Final = re.compile(r"[\w.*?@+/ -]{1,200}")


class Scope(StrEnum):
    REPOSITORY = "repository"
    PATHS = "paths"


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True)

    scope: Scope
    glob: str = ""
    """Which paths it is about. Empty: the whole repository."""
    text: str


class Rule(_Rule):
    """What is to be remembered, before it is stored."""


class Provenance(BaseModel):
    """Who said it, and where. From the forge, never from a text."""

    model_config = ConfigDict(frozen=True)
    author: str
    source: str
    """The address of the comment."""


class ReviewLearning(_Rule):
    id: int
    repository: RepositoryId
    author: str
    source: str
    at: datetime


class RememberAnswer(BaseModel):
    """A model's reading of an owner's words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["rule", "none"] = Field(description="`none`: there is nothing to remember in it.")
    text: Annotated[str, Field(max_length=LONGEST_RULE)] = Field(description="The rule, copied from the comment.")
    glob: Annotated[str, Field(max_length=200)] = Field(
        default="", description="The paths it is about, as `src/api/**`. Empty: the whole repository."
    )


def parse_remember(text: str) -> Rule | str | None:
    """Reads `bot:remember [--path GLOB] text`. A string: what is wrong with it. Null: it is no such command."""
    found = _LITERAL.fullmatch(plain(text))
    return None if found is None else parse_rule(found["rest"])


def parse_rule(rest: str) -> Rule | str:
    """Reads what follows the command."""
    option = _PATH_OPTION.match(rest.strip())
    glob = (option["quoted"] or option["bare"]) if option else ""
    words = one_line(rest.strip()[option.end() :] if option else rest, LONGEST_RULE + 1)
    if not words:
        return "There is nothing to remember. Write `bot:remember --path src/api/** what reviews should know`."
    if len(words) > LONGEST_RULE:
        return f"This is too long to remember: at most {LONGEST_RULE:,} characters. Write it shorter."
    if glob and not is_glob(glob):
        return "The path is no pattern inside the repository. Write it as `src/api/**` or `*.sql`."
    return Rule(scope=Scope.PATHS if glob else Scope.REPOSITORY, glob=glob, text=words)


def checked_rule(answer: RememberAnswer, comment: str) -> Rule | None:
    """The rule in the owner's own words: a model may choose among them, not add any. Null: there is none."""
    if answer.kind == "none":
        return None
    said = " ".join(cleaned(comment).split())
    words = one_line(answer.text, LONGEST_RULE)
    text = words if words and words.casefold() in said.casefold() else one_line(comment, LONGEST_RULE)
    glob = answer.glob.strip()
    usable = bool(glob) and is_glob(glob) and glob not in ("*", "**")
    return Rule(scope=Scope.PATHS if usable else Scope.REPOSITORY, glob=glob if usable else "", text=text)


def is_glob(pattern: str) -> bool:
    """Whether it is a pattern of paths inside a repository."""
    parts = pattern.split("/")
    return _GLOB.fullmatch(pattern) is not None and ".." not in parts and not pattern.startswith(("/", "-"))


def digest_of(rule: _Rule) -> str:
    """Equal for the same words about the same paths, however they are spaced."""
    return fingerprint(rule.glob, rule.text)


def matching(learnings: Iterable[ReviewLearning], changed: Sequence[str]) -> list[ReviewLearning]:
    """Those that apply to a change of these paths: first those about paths, then newest first."""
    found = [one for one in learnings if not one.glob or any(matches(one.glob, path) for path in changed)]
    return sorted(found, key=lambda one: (bool(one.glob), one.at, one.id), reverse=True)


def review_rules(learnings: Iterable[ReviewLearning], changed: Sequence[str]) -> list[str]:
    """The lines for the prompt of a review of these paths."""
    return offered_rules(matching(learnings, changed))


def used_rules(
    learnings: Iterable[ReviewLearning], changed: Sequence[str], used: Iterable[int]
) -> list[ReviewLearning]:
    """Those of the given numbers that apply to a change of these paths: a model can't claim others."""
    numbers = set(used)
    return [one for one in matching(learnings, changed) if one.id in numbers]


def offered_rules(learnings: Sequence[ReviewLearning]) -> list[str]:
    """A line per rule for the prompt of a review, by number. One that does not fit is skipped for shorter ones."""
    lines: list[str] = []
    left = _MOST_CHARACTERS
    for one in learnings:
        line = f"{one.id}. {_where(one)}{one_line(one.text)} ({one_line(one.author, 100)}, {one.at:%Y-%m-%d})"
        if len(line) < left:
            lines.append(line)
            left -= len(line) + 1
    return lines


def learnings_used(used: Iterable[ReviewLearning]) -> str:
    """The end of a review: the rules that it followed, with where they are from. Empty: none."""
    lines = [f"- {_where(one)}{one_line(one.text)} ({_said_by(one)})" for one in used]
    return "\n".join(["**Learnings used**", "", *lines]) if lines else ""


def remembered(rule: Rule) -> str:
    """The reply to whoever said it."""
    where = f"reviews that touch `{rule.glob}`" if rule.glob else "reviews in this repository"
    return f"Remembered for {where}: {rule.text}"


def matches(glob: str, path: str) -> bool:
    """As in `.gitignore`: a pattern without a slash matches a name anywhere, and a folder everything in it."""
    pattern = glob.removeprefix("./").rstrip("/")
    return pattern_covers(pattern if "/" in pattern else f"**/{pattern}", path)


def _said_by(one: ReviewLearning) -> str:
    """A source is an address that can be opened, or the forge's own name of the comment."""
    author = one_line(one.author, 100)
    return f"[{author}]({one.source})" if one.source.startswith("https://") else f"{author}, {code(one.source)}"


def _where(one: ReviewLearning) -> str:
    return f"`{one.glob}`: " if one.glob else ""
