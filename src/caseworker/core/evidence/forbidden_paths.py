"""The paths that `must_not_do` names as not to be changed, and whether a change kept away from them.

Only what a sentence forbids outright counts: the path is what the verb is about, and nothing follows that would narrow
it. "Don't change the signature of cart.py" forbids something else, which the reviewer judges.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from caseworker.core.base.text import code

_LINE: Final = 2_000
_PATH: Final = 300
_STARS: Final = 8
_SHOWN: Final = 5
_KEPT: Final = 20

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
    """Without what quotes and ends it."""
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
    """A sentence for each line that names a path as not to be changed, where that path was changed."""
    told = []
    for line in must_not_do:
        named = list(dict.fromkeys(_forbidden(line[:_LINE])))
        touched = [path for path in changed_paths if any(_covers(name, path) for name in named)]
        if touched:
            told.append(f"{_listed(touched)} changed, and the analysis says: {' '.join(line.split())}")
    return told


def forbidden_paths(must_not_do: Sequence[str], changed_paths: Sequence[str]) -> list[str]:
    named = {name for line in must_not_do for name in _forbidden(line[:_LINE])}
    return [path for path in changed_paths if any(_covers(name, path) for name in named)]


def in_few(paths: Sequence[str]) -> dict[str, list[str]]:
    """By the names under which they travel with the case: each of the first under its own, and all others under one,
    which is another name as soon as one of them is another path."""
    first, rest = paths[:_KEPT], sorted(paths[_KEPT:])
    found = {path: [path] for path in first}
    if rest:
        digest = hashlib.sha256("\n".join(rest).encode(errors="replace")).hexdigest()[:8]
        found[f"{len(rest)} more, {digest}"] = list(rest)
    return found


def listed(names: Sequence[str]) -> str:
    return ", ".join(code(name) for name in names)


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(code(path) for path in paths[:_SHOWN])
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f"{shown}{more} {'was' if len(paths) == 1 else 'were'}"


def _forbidden(line: str) -> Iterator[str]:
    words = [_word(piece) for piece in _WORD.findall(line.lstrip("-*• "))]
    if any(word.low in _NARROWS for word in words if not word.is_code):
        return
    for at, word in enumerate(words):
        if word.is_code:
            continue
        if (word.low in _CHANGE or word.low in _CHANGES) and _is_forbidden(words, at):
            paths, after = _paths(words, at + 1)
            if _is_all(words, after):
                yield from paths
        elif word.low in ("leave", "keep"):
            paths, after = _paths(words, at + 1)
            if after < len(words) and words[after].low in _ALONE:
                yield from paths
        elif word.low in _CHANGED and _is_all(words, at + 1):
            yield from _subjects(words, at)


def _is_forbidden(words: Sequence[_Word], at: int) -> bool:
    """The line begins with the verb (the list itself says "must not"), or a "not" stands before it."""
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


def _is_all(words: Sequence[_Word], after: int) -> bool:
    """Nothing follows that could narrow what was said: `cart.py signatures`, `cart.py in a way that`."""
    if after >= len(words) or words[after - 1].ends:
        return True
    if words[after].low in _MAY_FOLLOW or words[after].opens:
        return True
    return [word.low for word in words[after : after + 2]] == ["at", "all"]


def _subjects(words: Sequence[_Word], at: int) -> Iterator[str]:
    """`src/api/ must not be changed`: back over the "must not be" to what it is said of."""
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
    """The file itself, anything below the folder, or what the pattern matches. A bare file name: at any depth."""
    name = re.sub(r":\d{1,9}$", "", named).removeprefix("./").lstrip("/").rstrip("/")
    if not name or len(name) > _PATH:
        return False
    if any(sign in name for sign in "*?["):
        return name.count("*") <= _STARS and _matches(name.split("/"), path.split("/"))
    if path == name or path.startswith(f"{name}/"):
        return True
    return _has_ending(name) and not named.endswith("/") and path.endswith(f"/{name}")


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Part by part: a star does not reach over a slash, two stars do. A folder that matches covers what is in it."""
    reached = {0}
    for piece in pattern:
        if piece == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], piece)}
        if not reached:
            return False
    return True
