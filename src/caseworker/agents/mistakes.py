"""Describes mistakes in a rehearsal script: the turn, step and key, what was found there and what is expected."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from caseworker.agents.scriptfile import Location, Problem
from caseworker.core.outcomes.expected import Expected, both

_NAMED: Final = {"turns": "turn", "questions": "question", "steps": "step"}
_LONGEST: Final = 60


def problems_of(error: ValidationError, expected: Expected, where: Location = ()) -> Iterator[Problem]:
    """The problems of a part that failed its check. `where`: the location of that part in the file.

    A missing key comes before an unknown one, which may be its misspelling.
    """
    for detail in error.errors(include_url=False):
        yield _problem(detail, expected, where)


def place_words(where: Location, document: object) -> str:
    """A location in words, such as `turn 3 (analyst/analyze), step 1, outcome, files, item 2, action`."""
    words: list[str] = []
    for number, part in enumerate(where):
        name = where[number - 1] if number else ""
        if isinstance(part, int):
            if name in _NAMED:
                words.pop()
            words.append(f"{_NAMED.get(str(name), 'item')} {part + 1}")
            if where[:number] == ("turns",):
                words[-1] += _turn_words(document, part)
        else:
            words.append(part)
    return ", ".join(words)


def _turn_words(document: object, index: int) -> str:
    turns = document.get("turns") if isinstance(document, dict) else None
    turn = turns[index] if isinstance(turns, list) and index < len(turns) else None
    if not isinstance(turn, dict) or "role" not in turn or "task" not in turn:
        return ""
    nth = f", nth {turn['nth']}" if "nth" in turn else ""
    return f" ({turn['role']}/{turn['task']}{nth})"


def _problem(detail: ErrorDetails, expected: Expected, where: Location) -> Problem:
    inside = tuple(detail["loc"])
    if detail["type"] == "value_error":
        return Problem(where=(*where, *inside), what=str(detail["ctx"]["error"]))
    if detail["type"] == "missing":
        return Problem(where=(*where, *inside), what=_missing(inside, expected), about_key=True)
    if detail["type"] == "extra_forbidden":
        return Problem(where=(*where, *inside), what=_unknown(inside, expected), about_key=True)
    if inside[-1:] == ("[key]",):
        what = f"the key {found_words(detail['input'])} is not text; put it in quotes"
        return Problem(where=(*where, *inside[:-1]), what=what, about_key=True)
    return Problem(where=(*where, *inside), what=_unfit(detail["input"], expected.at(inside)))


def _missing(inside: Location, expected: Expected) -> str:
    wanted = expected.at(inside)
    return f"the key `{inside[-1]}` is missing" + (f"; it holds {wanted.words()}" if wanted else "")


def _unknown(inside: Location, expected: Expected) -> str:
    around = expected.at(inside[:-1])
    allowed = around.names() if around is not None else []
    if near := difflib.get_close_matches(str(inside[-1]), allowed, n=1):
        return f"unknown key `{inside[-1]}`; did you mean `{near[0]}`?"
    return f"unknown key `{inside[-1]}`" + (f"; expected are {both(allowed)}" if allowed else "")


def _unfit(found: object, expected: Expected | None) -> str:
    if expected is None:
        return f"found {found_words(found)}, which does not fit here"
    words = f"found {found_words(found)}; expected {expected.words()}"
    if near := difflib.get_close_matches(str(found), expected.choices(), n=1):
        return f"{words}; did you mean `{near[0]}`?"
    return words + (_about_quotes(found) if expected.is_text() else "")


def _about_quotes(found: object) -> str:
    if isinstance(found, bool | int | float):
        return " (in quotes it is text)"
    return " (a text with `: ` in it goes in quotes)" if isinstance(found, dict) else ""


def found_words(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            return _text_words(value)
        case dict():
            return f"a mapping with {both([str(key) for key in value][:_LONGEST])}" if value else "an empty mapping"
        case list() | tuple():
            return _list_words(value)
        case _:
            return f"`{value}`"


def _text_words(text: str) -> str:
    if not text.strip():
        return "an empty text"
    line = " ".join(text.split())
    return f'"{line}"' if len(text) <= _LONGEST else f'a text of {len(text):,} characters ("{line[:_LONGEST]}...")'


def _list_words(values: Sequence[object]) -> str:
    return f"a list of {len(values)}" if values else "an empty list"
