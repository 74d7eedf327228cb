"""Splits an assertion into what it is about and the values that it asks for. Reads tokens; knows no language.

A value counts only where it is expected: beside a comparison, or given to a function that asserts, to a list or to a
constructor. What is given to the code under test, or indexes it, belongs to what the assertion is about.
"""

import re
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<value>[rbfuRBFU]{0,2}(?:\"(?:[^\"\\]|\\.){0,400}\"|'(?:[^'\\]|\\.){0,400}'|`[^`]{0,400}`)"
    r"|(?<![\w.])-?\d[\w.]{0,60}|(?<=[(\s])/(?:[^/\\\n]|\\.){1,200}/[a-z]{0,4}(?=[,)]))"
    r"|(?P<name>[A-Za-z_$][\w$]{0,80}(?:(?:\.|::)[A-Za-z_$][\w$]{0,80}){0,8}(?:!(?=[(\[]))?)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<gap>\s{1,20})|(?P<other>[^\n])"
)
_WHOLE: Final = re.compile(r"nlineSnapshot\(|\bassert_(?:\w{1,20}_)?snapshot!\([^\n]{1,200}@")
"""The beginning of a snapshot. All that follows it is one value."""
_CONSTANT: Final = re.compile(
    r"true|false|null|nil|undefined|NaN|[A-Z]\w*(?:(?:\.|::)\w+)*|\w+(?:(?:\.|::)\w+)*(?:\.|::)[A-Z]\w*"
)
_NAME: Final = re.compile(r"(?!(?:True|False|None|true|false|null|nil|undefined|NaN)$)[A-Za-z_]")
_ASSERTS: Final = re.compile(
    r"assert\w*!?|to(?:[A-Z]\w*)?|is[A-Z]\w*|has[A-Z]\w*|contains\w*|equals?|eql|eq|be|includes?|members|length(?:Of)?"
    r"|throws?|raises\w*|warns|match\w*|starts_?[wW]ith|ends_?[wW]ith|HasPrefix|HasSuffix|param"
)
"""Functions that are given what is expected."""
_OF_A_LIBRARY: Final = re.compile(
    r"(?:assert|require)(?:\.|::)\w+|t\.(?:is|equals?|deepEquals?|same|strictSame|like|regex)"
)
_SUBJECT: Final = re.compile(r"assert_?[tT]hat|assert_\w{0,20}snapshot!")
_MAKES: Final = re.compile(r"[A-Z]\w*|date|datetime|timedelta|set|frozenset|tuple|list|dict|bytes|vec!|compile")
_NEARLY: Final = re.compile(r"\b(?:pytest\.)?approx\((?P<value>[^(),\n]{1,200})[^()\n]{0,200}\)")
_ERRORS: Final = re.compile(r"raises|warns|throw", re.I)
_OF_ONE: Final = re.compile(r"true|false|none|null|nil|noerror|assert!", re.I)
"""Asserts something of one value: a text after it is a message."""
_FILLERS: Final = frozenset(
    {*("self", "t", "assert", "require", "expect", "not", "is", "in", "and", "or", "with", "await", "return", "as")}
    | {"pytest", "np", "testing", "mock", "deep", "resolves", "rejects", "strict", "new"}
)
_IN_VALUES: Final = ",:=-+*&|"
_RAW_STRING: Final = re.compile(r"[rbu]{1,2}#{0,4}\"|\"#{1,4}")
_STRING: Final = re.compile(r"\"(?P<double>(?:[^\"\\]|\\.){0,400})\"|'(?P<single>(?:[^'\\]|\\.){0,400})'")


@dataclass(frozen=True)
class Asked:
    about: str
    """The assertion without its values."""
    values: tuple[str, ...]
    names_subject: bool

    def differs_in_values_from(self, other: "Asked") -> bool:
        """Whether both are about the same, and ask for different values."""
        if self.about != other.about or self.values == other.values:
            return False
        pairs = [*zip(self.values, other.values, strict=True)]
        if all(as_said(one) == as_said(two) for one, two in pairs):
            return False
        return self.names_subject or any(_NAME.match(one) for one, two in pairs if one == two)


@dataclass
class _Frame:
    """A bracket that is not closed yet."""

    word: str  # of the function that is called; empty: none is
    begin: int  # where it begins in the text, with that word
    parts: int  # how many there were before
    values: int
    takes: bool  # what is in it is expected
    makes: bool  # it is a value itself if there are only values in it
    argument: int = 0
    plain: bool = True


def asked(text: str) -> Asked:
    text = without_tolerance(text)
    whole = _WHOLE.search(text)
    if whole is not None:
        return Asked(text[: whole.end()], (text[whole.end() :],), names_subject=True)
    given = text.rfind("; ") if " := " in text else 0  # Go: `got := add(1, 2); got != 3`
    reader = _Reader(text)
    reader.parts.append(text[:given])
    for token in _TOKEN.finditer(text, given):
        if not reader.read(token):
            break
    return Asked("".join(reader.parts), tuple(reader.values), reader.names_subject)


def is_written_out(value: str) -> bool:
    """Whether it is one literal value, and nothing is computed for it."""
    return asked(f"assert subject == {value}") == Asked("assert subject == \0", (value,), names_subject=True)


def without_tolerance(text: str) -> str:
    return _NEARLY.sub(r"\g<value>", text)


class _Reader:
    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        self.values: list[str] = []
        self.names_subject = False
        self._text = text
        self._open: list[_Frame] = []
        self._before = ""
        """The token before this one, if no gap is between them."""

    def read(self, token: re.Match[str]) -> bool:
        """False: the rest is a message."""
        said, kind = token[0], token.lastgroup
        if kind == "open":
            self._begin(said, token.start())
        elif kind == "close":
            self._end(said, token.end())
        elif kind == "value" or (kind == "name" and self._is_constant(token)):
            self._value(said)
        elif said == "," and not self._open and self._text.startswith("assert "):
            return False
        else:
            self._other(said, kind, token.end())
        self._before = "" if kind == "gap" else said
        return True

    def _is_constant(self, token: re.Match[str]) -> bool:
        after = self._text[token.end() : token.end() + 1]
        return after not in ("(", "[", "{", ":", "=") and _CONSTANT.fullmatch(token[0]) is not None

    def _takes(self) -> bool:
        return not self._open or self._open[-1].takes

    def _value(self, said: str) -> None:
        if not self._takes():
            self.parts.append(said)
        elif self._is_message(said):
            self.parts.append("\1")
        else:
            self.parts.append("\0")
            self.values.append(said)

    def _is_message(self, said: str) -> bool:
        frame = self._open[-1] if self._open else None
        if frame is None or said[-1:] not in "\"'`" or not _asserts(frame.word):
            return False
        first = 1 if _OF_ONE.search(frame.word) else 2
        return frame.argument >= first + (frame.word.startswith(("assert.", "require.")))

    def _begin(self, said: str, at: int) -> None:
        called = self._before if self._before[:1].isalpha() or self._before[:1] in ("_", "$") else ""
        is_index = said == "[" and (bool(called) or self._before in (")", "]")) and not called.endswith("!")
        word = called if said == "(" or called.endswith("!") else ""
        asserts = not word or _asserts(word)
        makes = not is_index and (not word or _MAKES.fullmatch(_last(word)) is not None)
        is_call_of_call = said == "(" and self._before in (")", "]")
        takes = self._takes() and not is_index and not is_call_of_call and (asserts or makes)
        named = 1 if word and makes else 0
        frame = _Frame(word, at - len(word) * named, len(self.parts) - named, len(self.values), takes, makes)
        self._open.append(frame)
        self.parts.append(said)

    def _end(self, said: str, at: int) -> None:
        self.parts.append(said)
        if not self._open:
            return
        frame = self._open.pop()
        is_asked = self._text[at : at + 1] == "."  # `Cart(1).total`
        if frame.makes and frame.takes and self._takes() and (frame.plain or is_asked):
            del self.parts[frame.parts :], self.values[frame.values :]
            made = self._text[frame.begin : at]
            if is_asked:
                self.parts.append(made)
            else:
                self._value(made)
        elif self._open:
            self._open[-1].plain = False

    def _other(self, said: str, kind: str | None, end: int) -> None:
        self.parts.append(said)
        if self._open and said == ",":
            self._open[-1].argument += 1
        is_key = kind == "name" and self._text[end : end + 1] in (":", "=") and self._text[end : end + 2] != "=="
        makes_next = kind == "name" and self._text[end : end + 1] in ("(", "[") and _MAKES.fullmatch(_last(said))
        if self._open and not (kind == "gap" or is_key or makes_next or said in _IN_VALUES):
            self._open[-1].plain = False
        if kind == "name" and not makes_next:
            words = [word for word in re.split(r"\.|::", said) if word not in _FILLERS]
            about = [word for word in words if not _ASSERTS.fullmatch(word) or _ERRORS.search(word)]
            self.names_subject = self.names_subject or bool(about)


def as_said(value: str) -> str:
    """The same for texts that are only quoted in another way."""
    return _STRING.sub(_content, _RAW_STRING.sub('"', value))


def _content(found: re.Match[str]) -> str:
    content = found["double"] if found["single"] is None else found["single"]
    return '"' + content.replace('\\"', '"').replace("\\'", "'") + '"'


def _asserts(word: str) -> bool:
    is_known = _ASSERTS.fullmatch(_last(word)) or _OF_A_LIBRARY.fullmatch(word)
    return is_known is not None and not _SUBJECT.fullmatch(_last(word))


def _last(word: str) -> str:
    return re.split(r"\.|::", word)[-1]
