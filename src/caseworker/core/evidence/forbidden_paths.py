"""Finds the paths that `must_not_do` forbids to change, and checks whether a change touches them.

Only an outright ban counts: the path is the object of the verb, and nothing after it restricts the ban. "Don't change
the signature of cart.py" forbids something else, which the reviewer judges.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.path_patterns import pattern_covers
from caseworker.core.base.text import code

_LINE_LIMIT: Final = 2_000
_PATH_LIMIT: Final = 300
_MOST_STARS: Final = 8
_MOST_SHOWN: Final = 5
_MOST_KEPT: Final = 20

_WORD: Final = re.compile(r"`[^`\n]{1,300}`[,.;:!?)]{0,3}|[^\s`]{1,300}")
_CHANGE: Final = frozenset({"modify", "change", "touch", "edit", "alter", "update"})
_CHANGES: Final = frozenset({"changes", "modifications", "edits", "modification", "alterations", "updates"})
_CHANGED: Final = frozenset({"modified", "changed", "touched", "edited", "altered", "updated"})
_OTHER_VERBS: Final = frozenset({"add", "create", "delete", "move", "remove", "rename", "replace", "reformat"})
_NOT: Final = frozenset(
    {"not", "never", "no", "don't", "dont", "doesn't", "mustn't", "shouldn't", "can't", "cannot", "won't", "avoid"}
)
_AFTER_NOT: Final = frozenset({"ever", "make", "making", "any", "to", "be", "and", "or"})
_FILLERS: Final = frozenset(
    {
        "the",
        "a",
        "any",
        "anything",
        "all",
        "of",
        "in",
        "to",
        "on",
        "at",
        "under",
        "below",
        "inside",
        "within",
        "and",
        "or",
    }
    | {
        "file",
        "files",
        "folder",
        "folders",
        "directory",
        "directories",
        "module",
        "path",
        "code",
        "contents",
        "content",
    }
)
_JOINS: Final = frozenset({"and", "or", "nor", "&", ","})
_ALONE: Final = frozenset({"alone", "untouched", "unchanged", "intact", "as"})
_MAY_FOLLOW: Final = frozenset(
    {"and", "or", "because", "since", "as", "itself", "either", "here", "-", "–", "—", "&"}
    | {"file", "files", "folder", "folders", "directory", "directories"}
)
_NARROWS: Final = frozenset(
    {"unless", "except", "besides", "beyond", "outside", "only", "if", "other", "apart", "but", "long"}
)


@dataclass(frozen=True)
class _Word:
    text: str
    """Without quotes and punctuation."""
    low: str
    is_code: bool
    ends: bool
    """A comma or a full stop comes after it."""
    opens: bool
    """It begins with a bracket."""

    @property
    def is_path(self) -> bool:
        if "://" in self.text or ".." in self.text or self.low in _JOINS:
            return False
        return self.is_code or "/" in self.text.strip("/") or self.text.endswith("/") or _has_ending(self.text)


def violated(must_not_do: Sequence[str], changed_paths: Sequence[str]) -> list[str]:
    """A sentence for each line that forbids a path which was changed."""
    told = []
    for line in must_not_do:
        named = list(dict.fromkeys(_forbidden_in(line[:_LINE_LIMIT])))
        touched = [path for path in changed_paths if any(_covers(name, path) for name in named)]
        if touched:
            told.append(f"{_subject_words(touched)} changed, and the analysis says: {' '.join(line.split())}")
    return told


def forbidden_paths(must_not_do: Sequence[str], changed_paths: Sequence[str]) -> list[str]:
    named = {name for line in must_not_do for name in _forbidden_in(line[:_LINE_LIMIT])}
    return [path for path in changed_paths if any(_covers(name, path) for name in named)]


def stored_names(paths: Sequence[str]) -> dict[str, list[str]]:
    """Maps few names, which are stored with the case, to all paths. The first paths have their own names; all others
    share one name, which has a digest so that it changes when one of them changes."""
    first, rest = paths[:_MOST_KEPT], sorted(paths[_MOST_KEPT:])
    found = {path: [path] for path in first}
    if rest:
        digest = hashlib.sha256("\n".join(rest).encode(errors="replace")).hexdigest()[:8]
        found[f"{len(rest)} more, {digest}"] = list(rest)
    return found


def listed(names: Sequence[str]) -> str:
    return ", ".join(code(name) for name in names)


def _subject_words(paths: Sequence[str]) -> str:
    shown = ", ".join(code(path) for path in paths[:_MOST_SHOWN])
    more = f" and {len(paths) - _MOST_SHOWN} more" if len(paths) > _MOST_SHOWN else ""
    return f"{shown}{more} {'was' if len(paths) == 1 else 'were'}"


def _forbidden_in(line: str) -> Iterator[str]:
    words = [_word(piece) for piece in _WORD.findall(line.lstrip("-*• "))]
    if any(word.low in _NARROWS for word in words if not word.is_code):
        return
    for at, word in enumerate(words):
        if word.is_code:
            continue
        if (word.low in _CHANGE or word.low in _CHANGES) and _is_forbidden(words, at):
            paths, after = _paths(words, at + 1)
            if _is_unrestricted(words, after):
                yield from paths
        elif word.low in ("leave", "keep"):
            paths, after = _paths(words, at + 1)
            if after < len(words) and words[after].low in _ALONE:
                yield from paths
        elif word.low in _CHANGED and _is_unrestricted(words, at + 1):
            yield from _paths_before(words, at)


def _is_forbidden(words: Sequence[_Word], at: int) -> bool:
    """Whether the line begins with the verb (the list itself means "must not"), or has a "not" before it."""
    before = at - 1
    while before >= 0 and (words[before].low in _AFTER_NOT or words[before].low in _OTHER_VERBS | _CHANGE):
        before -= 1
    return words[before].low in _NOT if before >= 0 else True


def _paths(words: Sequence[_Word], at: int) -> tuple[list[str], int]:
    """The paths from here on, and where they end."""
    while at < len(words) and not words[at].is_path and words[at].low in _FILLERS | _OTHER_VERBS | _CHANGE:
        if words[at].ends:
            return [], at
        at += 1
    paths: list[str] = []
    while at < len(words):
        if words[at].is_path:
            paths.append(words[at].text)
        elif not (words[at].low in _JOINS and at + 1 < len(words) and words[at + 1].is_path):
            break
        at += 1
    return paths, at


def _is_unrestricted(words: Sequence[_Word], after: int) -> bool:
    """Whether nothing follows that restricts the ban, such as `cart.py signatures` or `cart.py in a way that`."""
    if after >= len(words) or words[after - 1].ends:
        return True
    if words[after].low in _MAY_FOLLOW or words[after].opens:
        return True
    return [word.low for word in words[after : after + 2]] == ["at", "all"]


def _paths_before(words: Sequence[_Word], at: int) -> Iterator[str]:
    """The paths before a verb in the passive: `src/api/ must not be changed`."""
    before = at - 1
    negated = False
    while before >= 0 and words[before].low in _NOT | _AFTER_NOT | {
        "must",
        "should",
        "may",
        "can",
        "is",
        "are",
        "shall",
    }:
        negated = negated or words[before].low in _NOT
        before -= 1
    while negated and before >= 0 and (words[before].is_path or words[before].low in _JOINS):
        if words[before].is_path:
            yield words[before].text
        before -= 1


def _word(piece: str) -> _Word:
    bare = piece.rstrip(",.;:!?)")
    is_code = len(bare) > 2 and bare.startswith("`") and bare.endswith("`")
    text = bare.strip("`" if is_code else "`\"'“”()").replace("’", "'")
    return _Word(text=text, low=text.lower(), is_code=is_code, ends=piece != bare, opens=piece.startswith("("))


def _has_ending(text: str) -> bool:
    name, dot, ending = text.rpartition(".")
    return bool(dot) and bool(name) and 0 < len(ending) <= 8 and ending.isalnum() and not ending.isdigit()


def _covers(named: str, path: str) -> bool:
    """Whether the name means the path: the file, a folder above it, or a pattern. A bare file name: at any depth."""
    name = re.sub(r":\d{1,9}$", "", named).removeprefix("./").lstrip("/").rstrip("/")
    if not name or len(name) > _PATH_LIMIT:
        return False
    if any(sign in name for sign in "*?["):
        return name.count("*") <= _MOST_STARS and pattern_covers(name, path)
    if path == name or path.startswith(f"{name}/"):
        return True
    return _has_ending(name) and not named.endswith("/") and path.endswith(f"/{name}")
