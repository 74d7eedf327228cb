"""Reads JUnit XML, as pytest, Maven, Gradle, Vitest and Node write it. The file is hostile input.

A document type, and with it every entity, is refused; depth and sizes are limited. No other file is ever opened.
"""

from typing import Final
from xml.parsers import expat

from caseworker.core.evidence.test_report import (
    MAX_DETAIL,
    MAX_TESTS,
    TestOutcome,
    TestReport,
    TestResult,
    make_report,
    make_result,
)

MAX_XML_BYTES: Final = 32 << 20
_MAX_DEPTH: Final = 40
_NOT_IN_ITS_BODY: Final = ("collection failure", "collection skipped", "failed on setup", "failed on teardown")
"""What pytest says of an error outside of a test's body: then the test did not run."""


class _Refused(Exception):
    """The document is not one that we read."""


def read_junit(document: bytes) -> TestReport | None:
    """Null: it is not JUnit XML, or more than we read."""
    if len(document) > MAX_XML_BYTES:
        return None
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(document, True)
    except (expat.ExpatError, _Refused, ValueError, LookupError):  # ValueError, LookupError: an unknown encoding
        return None
    return make_report("JUnit XML", reader.tests, reader.broken) if reader.has_suite else None


def _refuse(*_: object) -> None:
    raise _Refused


class _Reader:
    def __init__(self) -> None:
        self.tests: list[TestResult] = []
        self.broken: list[TestResult] = []
        self.has_suite = False
        self._depth = 0
        self._test: dict[str, str] | None = None
        """The attributes of the test case that is being read."""
        self._ends: list[tuple[TestOutcome, str]] = []
        """How the test case ended, with the message of each end."""
        self._said: list[str] | None = None
        """The text of the end that is being read."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Refused
        self.has_suite = self.has_suite or tag in ("testsuite", "testsuites")
        if tag == "testcase":
            self._test, self._ends = attributes, []
        elif self._test is not None and tag in _ENDS:
            self._ends.append((_ENDS[tag], attributes.get("message", "")))
            self._said = []

    def text(self, data: str) -> None:
        if self._said is not None:
            self._said = ["".join([*self._said, data])[-2 * MAX_DETAIL :]]

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag in _ENDS and self._said is not None and self._ends:
            outcome, message = self._ends[-1]
            said = "".join(self._said)
            self._ends[-1] = (outcome, f"{message}\n{said}")
            self._said = None
        elif tag == "testcase" and self._test is not None:
            self._keep(self._test)
            self._test = None

    def _keep(self, attributes: dict[str, str]) -> None:
        if len(self.tests) + len(self.broken) > MAX_TESTS:
            raise _Refused
        of, name = attributes.get("classname", ""), attributes.get("name", "")
        outcome, detail = max(self._ends, key=lambda end: _WEIGHT[end[0]], default=(TestOutcome.PASSED, ""))
        whole = f"{of}.{name}" if of and of != name else name
        result = make_result(whole, outcome, file=attributes.get("file", ""), detail=detail)
        is_outside = outcome is TestOutcome.ERROR and detail.startswith(_NOT_IN_ITS_BODY)
        (self.broken if is_outside else self.tests).append(result)


_ENDS: Final = {"failure": TestOutcome.FAILED, "error": TestOutcome.ERROR, "skipped": TestOutcome.SKIPPED}
_WEIGHT: Final = {TestOutcome.PASSED: 0, TestOutcome.SKIPPED: 1, TestOutcome.ERROR: 2, TestOutcome.FAILED: 3}
