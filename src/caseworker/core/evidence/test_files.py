"""Finds the tests of a source file, their assertions, and what skips them. Reads lines; does not parse.

A test ends where its indentation ends. In badly indented code this is wrong: there assertions count for the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

_MOST_LINES: Final = 50_000
_LINE_LIMIT: Final = 400
"""Characters of a line that are read, so that no pattern below takes long."""
_SHOWN_CHARACTERS: Final = 120
_MOST_LINES_AHEAD: Final = 40
"""Most lines between a mark, or `@Test`, and its test."""

_LANGUAGES: Final = {
    "py": "python",
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), "script"),
    "go": "go",
    "rs": "rust",
    **dict.fromkeys(("java", "kt", "kts"), "java"),
}
_BY_CONTENT: Final = ("rust", "java")
"""Languages whose tests are marked in the code. In all others the path tells which files are tests."""
_OTHER_CODE: Final = frozenset(
    {"bats", "c", "cc", "cpp", "cs", "dart", "ex", "exs", "php", "rb", "scala", "sh", "swift"}
)
_TEST_FOLDERS: Final = frozenset({"test", "tests", "testing", "__tests__", "spec", "specs", "e2e"})
_TEST_FILE: Final = re.compile(
    r"(?:test_|tests?\.|conftest\.).*|.*(?:_test|_tests|_spec|\.test|\.spec|Tests?|Spec)\.\w+"
)

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
"""A test's name below its first line: after `it(`, or `])('adds', () => {` below a table."""
_NAMELESS: Final = "(a test without a name)"
_GROUPS: Final = frozenset({"describe", "context", "suite"})
_CLASS: Final = re.compile(r"\s*(?:\w+\s+){0,4}(?:class|object|mod)\s+(\w+)")

_CHECK: Final = re.compile(
    r"\bassert(?:\w*\s*\(|\w*!|\s|\.)|\bexpect\w*\s*[(!]|\bexpect\.\w|\brequire\.\w+\(|\bt\.(?:Error|Fatal|Fail)\w*\("
    r"|\.should\b|\bshould_panic\b|\bverify\w*\(|\braises\w*\(|\bwarns\("
)
_VACUOUS: Final = re.compile(
    r"^assert\s{1,4}(?:True|1|not\s{1,4}False|\"[^\"]{1,80}\"|'[^']{1,80}'|(\w{1,80})\s{0,4}==\s{0,4}\1)\s{0,4}(?:,|$)"
    r"|\bassertTrue\(\s{0,4}(?:True|true|1)\s{0,4}[,)]|\bassertFalse\(\s{0,4}(?:False|false|0)\s{0,4}[,)]"
    r"|\bassert(?:Equals?|_eq!)\(\s{0,4}([^,()\s]{1,80}),\s{0,4}\2\s{0,4}[,)]|\bassert!\(\s{0,4}true\s{0,4}[,)]"
    r"|\bexpect\(\s{0,4}(true|1)\s{0,4}\)\.to(?:Be|Equal|BeTruthy|StrictEqual)\("
    r"|\bor\s{1,4}True\b|\|\|\s{0,4}true\b"
)
"""An assertion that can't fail."""
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


@dataclass(frozen=True)
class BodyLine:
    text: str
    indent: int
    checks: bool  # it has an assertion that counts


@dataclass(frozen=True, kw_only=True)
class ReadTest:
    path: str
    name: str
    checks: int
    """Lines with an assertion."""
    lines: tuple[BodyLine, ...]  # but the one with its name

    @property
    def body(self) -> tuple[str, ...]:
        """What tells that it was only renamed."""
        return tuple(line.text for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Code that skips a test, lets it fail, or (`only`) skips all others."""

    owner: str
    """The test or class that it applies to. Empty: the file."""
    text: str


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    tests: tuple[ReadTest, ...] = ()
    marks: tuple[Mark, ...] = ()
    loose_checks: int = 0
    """Lines with an assertion outside of tests."""


def language_of(path: str) -> str | None:
    """The language to read tests in. Null: the file has no tests, or none that we can read."""
    language = _LANGUAGES.get(_ending(path))
    return language if language in _BY_CONTENT or is_in_a_test_place(path) else None


def is_in_a_test_place(path: str) -> bool:
    return is_named_like_a_test(path) or not _TEST_FOLDERS.isdisjoint(PurePosixPath(path).parts[:-1])


def is_unreadable_test(path: str) -> bool:
    """Whether it is a test in a language that we can't read."""
    return is_in_a_test_place(path) and _ending(path) in _OTHER_CODE


def is_named_like_a_test(path: str) -> bool:
    known = _ending(path) in _LANGUAGES or _ending(path) in _OTHER_CODE
    return known and _TEST_FILE.fullmatch(PurePosixPath(path).name[-200:]) is not None


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lstrip(".").lower()


def read_tests(path: str, text: str) -> ReadFile:
    language = language_of(path)
    return ReadFile() if language is None else _Reader(path, language).read(text)


@dataclass(kw_only=True)
class _OpenTest:
    """A test or group of tests whose end was not read yet. A group's own assertions belong to no test."""

    name: str
    indent: int
    is_group: bool
    holds_tests: bool = False
    checks: int = 0
    lines: list[BodyLine] = field(default_factory=list)


class _Reader:
    def __init__(self, path: str, language: str) -> None:
        self._path = path
        self._language = language
        self._found: list[_OpenTest] = []
        self._open: list[_OpenTest] = []
        """The tests and groups around the current line, innermost last."""
        self._marks: list[Mark] = []
        self._pending_marks: list[tuple[int, str]] = []
        """Marks whose test was not read yet, with their line numbers."""
        self._test_marker_line: int | None = None
        """The line of a `#[test]` or `@Test` whose function was not read yet."""
        self._loose_checks = 0

    def read(self, text: str) -> ReadFile:
        for number, line, is_code in _code_lines(text, self._language):
            if is_code:
                self._read_line(number, line)
        self._assign_marks("")
        tests = [
            ReadTest(path=self._path, name=test.name or _NAMELESS, checks=test.checks, lines=tuple(test.lines))
            for test in self._found
            if not (test.is_group and test.holds_tests)
        ]
        return ReadFile(tests=tuple(tests), marks=tuple(self._marks), loose_checks=self._loose_checks)

    def _read_line(self, number: int, line: str) -> None:
        said = line.strip()
        indent = len(line) - len(line.lstrip())
        if self._pending_marks and number - self._pending_marks[0][0] > _MOST_LINES_AHEAD:
            self._assign_marks("")
        while self._open and _has_ended(self._open[-1], indent, said):
            closing = said[0] in ")]}" and indent == self._open[-1].indent
            self._open.pop()
            if closing:
                return
        started = self._start(number, line, indent)
        self._look_for_marks(number, said, started)
        self._count(said, indent, started)

    def _start(self, number: int, line: str, indent: int) -> bool:
        """Opens the test or group that begins on this line. False: none does."""
        found = self._test_on(number, line)
        if found is None:
            grouped = _CLASS.match(line)
            if grouped and self._pending_marks:
                self._assign_marks(grouped[1])
            return False
        name, is_group = found
        for outer in self._open:
            outer.holds_tests = True
        test = _OpenTest(name=name, indent=indent, is_group=is_group)
        self._assign_marks(name)
        self._found.append(test)
        self._open.append(test)
        return True

    def _test_on(self, number: int, line: str) -> tuple[str, bool] | None:
        marker = _MARKED_AS_TEST.get(self._language)
        if marker is not None:
            if marker.match(line):
                self._test_marker_line = number
            if self._test_marker_line is None or number - self._test_marker_line > _MOST_LINES_AHEAD:
                return None
        found = _START[self._language].match(line)
        if found is None:
            return None
        self._test_marker_line = None
        if self._language != "script":
            return found["name"].strip("`"), False
        quoted = _QUOTED.search(line, found.end() - 1)
        return quoted[1] if quoted else "", found["call"] in _GROUPS

    def _look_for_marks(self, number: int, said: str, started: bool) -> None:
        skip = _SKIP[self._language].search(said)
        if skip is None:
            return
        text = said if said.startswith(("@", "#[")) else skip[0].rstrip("(` ")
        if started or (self._open and not said.startswith(("@", "#["))):
            self._marks.append(Mark(owner=self._open[-1].name, text=text[:_SHOWN_CHARACTERS]))
        elif said.startswith(("@", "#[")):
            self._pending_marks.append((number, text[:_SHOWN_CHARACTERS]))
        else:
            self._marks.append(Mark(owner="", text=said[:_SHOWN_CHARACTERS]))

    def _assign_marks(self, owner: str) -> None:
        self._marks += [Mark(owner=owner, text=text) for _, text in self._pending_marks]
        self._pending_marks = []

    def _count(self, said: str, indent: int, started: bool) -> None:
        checks = _CHECK.search(said) is not None and _VACUOUS.search(said) is None
        test = self._open[-1] if self._open else None
        if test is None:
            self._loose_checks += checks
            return
        if test.is_group:
            self._loose_checks += checks
        else:
            test.checks += checks
        later = None if started or test.name else _NAMED_LATER.match(said)
        if later is not None:
            test.name = later[1]
        elif not started:
            test.lines.append(BodyLine(said, indent, checks))


def _has_ended(test: _OpenTest, indent: int, said: str) -> bool:
    """Whether a line at its own depth ends it. Lines that continue its head don't: `):`, `])('adds', () => {`, `{`."""
    if indent > test.indent:
        return False
    goes_on = said == "{" or (said[0] in ")]}" and said[-1] in "{([:,")
    return indent < test.indent or not goes_on


def _code_lines(text: str, language: str) -> Iterator[tuple[int, str, bool]]:
    """Each line with its number, and whether it is code: not a comment or part of a multi-line string."""
    comment = "#" if language == "python" else "//"
    until = ""
    for number, whole in enumerate(text.split("\n", _MOST_LINES)[:_MOST_LINES]):
        line = whole[:_LINE_LIMIT].expandtabs(4).rstrip()
        said = line.strip()
        if until:
            if until in whole:
                until = ""
            yield number, line, False
        elif not said or said.startswith(comment):
            yield number, line, False
        else:
            until = _unclosed(whole, said, language)
            # A comment is no code; the line on which a multi-line string begins may be.
            yield number, line, not said.startswith(("/*", '"""', "'''"))


def _unclosed(whole: str, said: str, language: str) -> str:
    """What ends the comment or string that is still open after this line. Empty: none is open."""
    if language != "python":
        return "*/" if said.startswith("/*") and "*/" not in whole else ""
    for quotes in ('"""', "'''"):
        if whole.count(quotes) % 2:
            return quotes
    return ""
