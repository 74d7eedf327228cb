"""Finds the tests of a source file, their assertions, and what skips them. Reads lines; does not parse.

A test ends where its indentation ends. In badly indented code this is wrong: there assertions count for the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from caseworker.core.evidence.assigned_values import assigned_values
from caseworker.core.evidence.code_lines import code_lines
from caseworker.core.evidence.test_places import is_in_a_test_place, language_of
from caseworker.core.evidence.test_syntax import (
    CHECK,
    CLASS,
    CURRIED,
    GROUPS,
    HELPER,
    MARKED_AS_TEST,
    NAMED_LATER,
    ON_OTHER_SYSTEMS,
    QUOTED,
    SKIP,
    START,
    USUAL,
    VACUOUS,
)

_SHOWN_CHARACTERS: Final = 120
_MOST_LINES_AHEAD: Final = 40
"""Most lines between a mark, or `@Test`, and its test."""
_NAMELESS: Final = "(a test without a name)"


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
    opening: BodyLine | None = None
    """The assertion on the line with its name."""
    ahead: tuple[str, ...] = ()
    """The lines of its decorators or attributes."""
    head: str = ""
    """The line with its name."""
    handed_over: int = 0
    """The assertions in functions that it calls, beyond one for each call."""
    constants: Mapping[str, str] = field(default_factory=dict, compare=False)
    """What its file assigns outside of tests and other functions."""

    @property
    def body(self) -> tuple[str, ...]:
        """The texts of its lines. A test with the same ones and another name was only renamed."""
        return tuple(line.text for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Code that skips a test, lets it fail, or (`only`) skips all others."""

    owner: str
    """The test or class that it applies to. Empty: the file."""
    text: str
    is_usual: bool = False
    """Whether a new test may have it for an honest reason."""


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    tests: tuple[ReadTest, ...] = ()
    helpers: tuple[ReadTest, ...] = ()
    """Other functions in a place for tests, which tests may call."""
    marks: tuple[Mark, ...] = ()
    loose_checks: int = 0
    """Lines with an assertion outside of tests."""


def read_tests(path: str, text: str) -> ReadFile:
    language = language_of(path)
    return ReadFile() if language is None else _Reader(path, language).read(text)


@dataclass(kw_only=True)
class _OpenTest:
    """A test or group of tests whose end was not read yet. A group's own assertions belong to no test."""

    name: str
    indent: int
    is_group: bool = False
    is_helper: bool = False
    holds_tests: bool = False
    checks: int = 0
    opening: BodyLine | None = None
    ahead: tuple[str, ...] = ()
    head: str = ""
    lines: list[BodyLine] = field(default_factory=list)


class _Reader:
    def __init__(self, path: str, language: str) -> None:
        self._path = path
        self._language = language
        self._found: list[_OpenTest] = []
        self._open: list[_OpenTest] = []
        """The tests and groups around the current line, innermost last."""
        self._marks: list[Mark] = []
        self._has_helpers = is_in_a_test_place(path)
        self._ahead: list[str] = []
        """The lines of decorators whose function was not read yet."""
        self._pending_marks: list[tuple[int, str]] = []
        """Marks whose test was not read yet, with their line numbers."""
        self._test_marker_line: int | None = None
        """The line of a `#[test]` or `@Test` whose function was not read yet."""
        self._loose_checks = 0
        self._loose_lines: list[str] = []

    def read(self, text: str) -> ReadFile:
        for number, line, is_code in code_lines(text, self._language):
            if is_code:
                self._read_line(number, line)
        self._assign_marks("")
        kept = [one for one in self._found if not (one.holds_tests and (one.is_group or one.is_helper))]
        constants = assigned_values(self._loose_lines)
        tests = tuple(self._as_read(one, constants) for one in kept if not one.is_helper)
        helpers = tuple(self._as_read(one, constants) for one in kept if one.is_helper)
        return ReadFile(tests=tests, helpers=helpers, marks=tuple(self._marks), loose_checks=self._loose_checks)

    def _as_read(self, test: _OpenTest, constants: Mapping[str, str]) -> ReadTest:
        return ReadTest(
            path=self._path,
            name=test.name or _NAMELESS,
            checks=test.checks,
            lines=tuple(test.lines),
            opening=test.opening,
            ahead=test.ahead,
            head=test.head,
            constants=constants,
        )

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
        self._look_ahead(said, started)

    def _start(self, number: int, line: str, indent: int) -> bool:
        """Opens the test or group that begins on this line. False: none does."""
        found = self._test_on(number, line)
        if found is None:
            grouped = CLASS.match(line)
            if grouped and self._pending_marks:
                self._assign_marks(grouped[1])
            return self._start_helper(line, indent)
        name, is_group = found
        for outer in self._open:
            outer.holds_tests = True
        test = _OpenTest(name=name, indent=indent, is_group=is_group, ahead=tuple(self._ahead), head=line)
        self._assign_marks(name, is_test=True)
        self._found.append(test)
        self._open.append(test)
        return True

    def _start_helper(self, line: str, indent: int) -> bool:
        """Opens the function that begins on this line, if it is in no test."""
        is_outside = self._has_helpers and all(outer.is_group for outer in self._open)
        found = HELPER[self._language].match(line) if is_outside else None
        if found is None:
            return False
        name = next(name for name in found.groups() if name)
        helper = _OpenTest(name=name, indent=indent, is_helper=True, ahead=tuple(self._ahead), head=line)
        self._assign_marks(name)
        self._found.append(helper)
        self._open.append(helper)
        return True

    def _look_ahead(self, said: str, started: bool) -> None:
        """Keeps the lines of decorators until their function begins, or other code does."""
        if said.startswith(("@", "#[")) or (self._ahead and not started and self._goes_on(said)):
            self._ahead.append(said)
            self._ahead = self._ahead[-_MOST_LINES_AHEAD:]
        else:
            self._ahead = []

    def _goes_on(self, said: str) -> bool:
        text = " ".join(self._ahead)
        return said[0] in ")]}" or any(text.count(one) > text.count(two) for one, two in ("()", "[]", "{}"))

    def _test_on(self, number: int, line: str) -> tuple[str, bool] | None:
        marker = MARKED_AS_TEST.get(self._language)
        if marker is not None:
            if marker.match(line):
                self._test_marker_line = number
            if self._test_marker_line is None or number - self._test_marker_line > _MOST_LINES_AHEAD:
                return None
        found = START[self._language].match(line)
        if found is None:
            return None
        self._test_marker_line = None
        if self._language != "script":
            return found["name"].strip("`"), False
        quoted = CURRIED.search(line, found.end() - 1) or QUOTED.search(line, found.end() - 1)
        return quoted[1] if quoted else "", found["call"] in GROUPS

    def _look_for_marks(self, number: int, said: str, started: bool) -> None:
        skip = SKIP[self._language].search(said)
        is_decorator = said.startswith(("@", "#["))
        if skip is None:
            self._look_for_usual_marks(said, started)
        elif started or (self._open and not is_decorator):
            text = said if is_decorator else skip[0].rstrip("(` ")
            self._marks.append(Mark(owner=self._open[-1].name, text=text[:_SHOWN_CHARACTERS]))
        elif is_decorator:
            self._pending_marks.append((number, said[:_SHOWN_CHARACTERS]))
        else:
            self._marks.append(Mark(owner="", text=said[:_SHOWN_CHARACTERS]))

    def _look_for_usual_marks(self, said: str, started: bool) -> None:
        """Notes usual marks of a test: those on its first line, and right above it."""
        usual = USUAL[self._language]
        lines = [*self._ahead, said] if started else [said] if said.startswith("//") else []
        owner = self._open[-1].name if started else ""
        found = [line for line in lines if usual.search(line)]
        self._marks += [Mark(owner=owner, text=line[:_SHOWN_CHARACTERS], is_usual=True) for line in found]

    def _assign_marks(self, owner: str, *, is_test: bool = False) -> None:
        for _, text in self._pending_marks:
            is_usual = is_test and ON_OTHER_SYSTEMS.match(text) is not None
            self._marks.append(Mark(owner=owner, text=text, is_usual=is_usual))
        self._pending_marks = []

    def _count(self, said: str, indent: int, started: bool) -> None:
        check = CHECK.search(said) if VACUOUS.search(said) is None else None
        checks = check is not None
        test = self._open[-1] if self._open else None
        if test is None or test.is_group or test.is_helper:
            self._loose_checks += checks
        if test is None:
            self._loose_lines.append(said)
            return
        if not test.is_group:
            test.checks += checks
        if started and check is not None:
            test.opening = BodyLine(said[check.start() :], indent, checks)
        later = None if started or test.name else NAMED_LATER.match(said)
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
