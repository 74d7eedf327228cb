"""Which tests a source file holds, what each checks, and what keeps it from running. Read line by line, not parsed.

A test reaches as far as its lines are indented. That is wrong for badly laid out code: there its assertions count for
the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

_MOST_LINES: Final = 50_000
_LINE: Final = 400
"""Characters of a line that are read: no pattern below can take long over them."""
_SHOWN: Final = 120
_AHEAD: Final = 40
"""Lines from a mark, or from `@Test`, to the test it belongs to."""

_LANGUAGES: Final = {
    "py": "python",
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), "script"),
    "go": "go",
    "rs": "rust",
    **dict.fromkeys(("java", "kt", "kts"), "java"),
}
_BY_CONTENT: Final = ("rust", "java")
"""Tests are marked as such wherever they are; elsewhere the path tells."""
_OTHER_CODE: Final = frozenset(
    {"bats", "c", "cc", "cpp", "cs", "dart", "ex", "exs", "php", "rb", "scala", "sh", "swift"}
)
_FOLDERS: Final = frozenset({"test", "tests", "testing", "__tests__", "spec", "specs", "e2e"})
_FILE: Final = re.compile(r"(?:test_|tests?\.|conftest\.).*|.*(?:_test|_tests|_spec|\.test|\.spec|Tests?|Spec)\.\w+")

_START: Final = {
    "python": re.compile(r"\s*(?:async\s+)?def\s+(?P<name>test\w*)\s*\("),
    "script": re.compile(r"\s*[xf]?(?P<call>it|test|specify|describe|context|suite)(?:\.\w{1,20}){0,3}\s*[(`]"),
    "go": re.compile(r"func\s+(?P<name>(?:Test|Fuzz|Example)\w*)\s*\("),
    "rust": re.compile(r"(?:^|.*\s)fn\s+(?P<name>\w+)\s*[(<]"),
    "java": re.compile(r".*\b(?:void|fun)\s+(?P<name>`[^`]{1,200}`|\w+)\s*\("),
}
_MARKED_AS_TEST: Final = {
    "rust": re.compile(r"\s*#\[(?:\w+::){0,3}(?:test|rstest|test_case)\b"),
    "java": re.compile(r".*@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b"),
}
_QUOTED: Final = re.compile(r"""["'`]([^"'`]{1,200})""")
_NAMED_LATER: Final = re.compile(r"""(?:[\])}]{1,3}\s?\()?["'`]([^"'`]{1,200})""")
"""`it(` and its name on the next line; or `])('adds', () => {` below a table."""
_NAMELESS: Final = "(a test without a name)"
_GROUPS: Final = frozenset({"describe", "context", "suite"})
_CLASS: Final = re.compile(r"\s*(?:\w+\s+){0,4}(?:class|object|mod)\s+(\w+)")

_CHECK: Final = re.compile(
    r"\bassert(?:\w*\s*\(|\w*!|\s|\.)|\bexpect\w*\s*[(!]|\bexpect\.\w|\brequire\.\w+\(|\bt\.(?:Error|Fatal|Fail)\w*\("
    r"|\.should\b|\bshould_panic\b|\bverify\w*\(|\braises\w*\(|\bwarns\("
)
_SKIP: Final = {
    "python": re.compile(
        r"(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b"
        r"|pytest\.(?:skip|xfail|importorskip)\s*\(|\bskipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b"
    ),
    "script": re.compile(
        r"\b(?:it|test|specify|describe|context|suite)(?:\.\w{1,20}){0,3}\.(?:skip|only|todo|fixme|failing)\b"
        r"|\b(?:xit|xtest|xspecify|xdescribe|xcontext|fit|fdescribe|fcontext)\s*\(|\bthis\.skip\(|\.only\("
    ),
    "go": re.compile(r"\b\w{1,20}\.Skip(?:f|Now)?\s*\("),
    "rust": re.compile(r"#\[\s*ignore\b|#\[cfg_attr\(.*\bignore\b"),
    "java": re.compile(r"@(?:Disabled\w*|Ignore)\b|\bassume(?:True|False|That)\s*\("),
}


@dataclass(frozen=True, kw_only=True)
class ReadTest:
    path: str
    name: str
    checks: int
    """Lines with an assertion."""
    body: tuple[str, ...]
    """Its lines but the one with its name: what tells that it was only renamed."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Something that keeps a test, or all the others, from running or from counting."""

    owner: str
    """The test or class. Empty: the file."""
    text: str


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    tests: tuple[ReadTest, ...] = ()
    marks: tuple[Mark, ...] = ()
    loose_checks: int = 0
    """Lines with an assertion that is in no test."""


def language_of(path: str) -> str | None:
    """Null: it holds no tests, or none that we can read."""
    language = _LANGUAGES.get(_ending(path))
    return language if language in _BY_CONTENT or is_in_a_test_place(path) else None


def is_in_a_test_place(path: str) -> bool:
    return is_named_like_a_test(path) or not _FOLDERS.isdisjoint(PurePosixPath(path).parts[:-1])


def is_named_like_a_test(path: str) -> bool:
    known = _ending(path) in _LANGUAGES or _ending(path) in _OTHER_CODE
    return known and _FILE.fullmatch(PurePosixPath(path).name[-200:]) is not None


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lstrip(".").lower()


def read_tests(path: str, text: str) -> ReadFile:
    language = language_of(path)
    return ReadFile() if language is None else _Reader(path, language).read(text)


@dataclass(kw_only=True)
class _Open:
    """A test, or a group of tests, that is being read. A group's own assertions are nobody's."""

    name: str
    indent: int
    is_group: bool
    holds_tests: bool = False
    checks: int = 0
    body: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self, path: str, language: str) -> None:
        self._path = path
        self._language = language
        self._opened: list[_Open] = []
        self._at_work: list[_Open] = []
        """Innermost last."""
        self._marks: list[Mark] = []
        self._waiting: list[tuple[int, str]] = []
        """Marks above the test they belong to, with their line."""
        self._announced: int | None = None
        """The line of a `#[test]` or `@Test` whose function has not come yet."""
        self._loose = 0

    def read(self, text: str) -> ReadFile:
        for number, line, told in _code_lines(text, self._language):
            if told:
                self._hear(number, line)
        self._settle_marks("")
        tests = [
            ReadTest(path=self._path, name=test.name or _NAMELESS, checks=test.checks, body=tuple(test.body))
            for test in self._opened
            if not (test.is_group and test.holds_tests)
        ]
        return ReadFile(tests=tuple(tests), marks=tuple(self._marks), loose_checks=self._loose)

    def _hear(self, number: int, line: str) -> None:
        said = line.strip()
        indent = len(line) - len(line.lstrip())
        if self._waiting and number - self._waiting[0][0] > _AHEAD:
            self._settle_marks("")
        while self._at_work and _is_over(self._at_work[-1], indent, said):
            closing = said[0] in ")]}" and indent == self._at_work[-1].indent
            self._at_work.pop()
            if closing:
                return
        started = self._start(number, line, indent)
        self._look_for_marks(number, said, started)
        self._count(said, started)

    def _start(self, number: int, line: str, indent: int) -> bool:
        """Whether a test, or a group of them, begins on this line."""
        found = self._named(number, line)
        if found is None:
            grouped = _CLASS.match(line)
            if grouped and self._waiting:
                self._settle_marks(grouped[1])
            return False
        name, is_group = found
        for outer in self._at_work:
            outer.holds_tests = True
        test = _Open(name=name, indent=indent, is_group=is_group)
        self._settle_marks(name)
        self._opened.append(test)
        self._at_work.append(test)
        return True

    def _named(self, number: int, line: str) -> tuple[str, bool] | None:
        announces = _MARKED_AS_TEST.get(self._language)
        if announces is not None:
            if announces.match(line):
                self._announced = number
            if self._announced is None or number - self._announced > _AHEAD:
                return None
        found = _START[self._language].match(line)
        if found is None:
            return None
        self._announced = None
        if self._language != "script":
            return found["name"].strip("`"), False
        quoted = _QUOTED.search(line, found.end() - 1)
        return quoted[1] if quoted else "", found["call"] in _GROUPS

    def _look_for_marks(self, number: int, said: str, started: bool) -> None:
        skip = _SKIP[self._language].search(said)
        if skip is None:
            return
        text = said if said.startswith(("@", "#[")) else skip[0].rstrip("(` ")
        if started or (self._at_work and not said.startswith(("@", "#["))):
            self._marks.append(Mark(owner=self._at_work[-1].name, text=text[:_SHOWN]))
        elif said.startswith(("@", "#[")):
            self._waiting.append((number, text[:_SHOWN]))
        else:
            self._marks.append(Mark(owner="", text=said[:_SHOWN]))

    def _settle_marks(self, owner: str) -> None:
        self._marks += [Mark(owner=owner, text=text) for _, text in self._waiting]
        self._waiting = []

    def _count(self, said: str, started: bool) -> None:
        checks = _CHECK.search(said) is not None
        test = self._at_work[-1] if self._at_work else None
        if test is None:
            self._loose += checks
            return
        if test.is_group:
            self._loose += checks
        else:
            test.checks += checks
        later = None if started or test.name else _NAMED_LATER.match(said)
        if later is not None:
            test.name = later[1]
        elif not started:
            test.body.append(said)


def _is_over(test: _Open, indent: int, said: str) -> bool:
    """Lines at its own depth end it, but for those that go on with its head: `):`, `])('adds', () => {`, `{`."""
    if indent > test.indent:
        return False
    goes_on = said == "{" or (said[0] in ")]}" and said[-1] in "{([:,")
    return indent < test.indent or not goes_on


def _code_lines(text: str, language: str) -> Iterator[tuple[int, str, bool]]:
    """Number, line, and whether it says something: not a comment, nor inside of a text over several lines."""
    comment = "#" if language == "python" else "//"
    until = ""
    for number, whole in enumerate(text.split("\n", _MOST_LINES)[:_MOST_LINES]):
        line = whole[:_LINE].expandtabs(4).rstrip()
        said = line.strip()
        if until:
            if until in whole:
                until = ""
            yield number, line, False
        elif not said or said.startswith(comment):
            yield number, line, False
        else:
            until = _opens(whole, said, language)
            # A comment says nothing; the line on which a long text begins may.
            yield number, line, not said.startswith(("/*", '"""', "'''"))


def _opens(whole: str, said: str, language: str) -> str:
    """What ends the comment or text that goes on after this line."""
    if language != "python":
        return "*/" if said.startswith("/*") and "*/" not in whole else ""
    for quotes in ('"""', "'''"):
        if whole.count(quotes) % 2:
            return quotes
    return ""
