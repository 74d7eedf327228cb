"""Reads the failures that a runner lists by name, with the number of tests that passed: pytest, mocha, ava, jest,
vitest, node, RSpec, minitest, PHPUnit, CTest. For runs that wrote no report. The text is hostile input.

Every pattern is matched on one line of limited length and reads it at most once. A list that is shorter than the number
of failures that the runner counts is not used: what it leaves out must not be excused.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from caseworker.core.evidence.test_report import TestOutcome, TestReport, make_report, make_result

_MOST_DETAIL_LINES: Final = 20
_Found = dict[str, str]
"""By the name of a failed test: what was said of it."""


def read_failure_list(lines: Sequence[str]) -> TestReport | None:
    """Null: no runner that we know has printed it, or not all failures are named."""
    return next((report for read in _READERS if (report := read(lines)) is not None), None)


def _report(source: str, failed: _Found, *, passed: int, counted: int, broken: Iterable[str] = ()) -> TestReport | None:
    unrun = [make_result(name, TestOutcome.ERROR) for name in broken]
    if len(failed) + len(unrun) < counted:
        return None
    tests = [make_result(name, TestOutcome.FAILED, detail=detail) for name, detail in failed.items()]
    report = make_report(source, tests, unrun)
    return report.model_copy(update={"passed": passed}) if report is not None else None


def _after(lines: Sequence[str], at: int) -> str:
    return "\n".join(lines[at + 1 : at + 1 + _MOST_DETAIL_LINES])


def _named(lines: Sequence[str], pattern: re.Pattern[str]) -> _Found:
    return {found["test"].strip(): _after(lines, at) for at, line in enumerate(lines) if (found := pattern.match(line))}


def _counts(lines: Sequence[str], pattern: re.Pattern[str]) -> dict[str, int]:
    """The numbers of the last line that counts, by their words."""
    last = next((line for line in reversed(lines) if pattern.match(line)), "")
    return {word.lower(): int(number) for number, word in re.findall(r"(\d{1,9}) ([A-Za-z]{1,20})", last)}


_PYTEST_END: Final = re.compile(r"\A(?:=+ )?(?:\d+ \w+, ){0,9}\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s")
_PYTEST_FAILED: Final = re.compile(r"FAILED (?P<test>\S+?::.{1,300}?)(?: - .*)?$")
_PYTEST_ERROR: Final = re.compile(r"ERROR (?P<test>\S+\.py(?:::.{1,300}?)?)(?: - .*)?$")


def _read_pytest(lines: Sequence[str]) -> TestReport | None:
    counts = _counts(lines, _PYTEST_END)
    if not counts:
        return None
    broken = _named(lines, _PYTEST_ERROR)
    counted = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    failed = _named(lines, _PYTEST_FAILED)
    return _report("pytest's output", failed, passed=counts.get("passed", 0), counted=counted, broken=broken)


_MOCHA_PASSING: Final = re.compile(r"\s{1,4}(\d{1,9}) passing\b")
_MOCHA_FAILING: Final = re.compile(r"\s{1,4}(\d{1,9}) failing$")
_MOCHA_ITEM: Final = re.compile(r"  \d{1,6}\) (?P<part>.*)$")


def _read_mocha(lines: Sequence[str]) -> TestReport | None:
    passing = next((int(found[1]) for line in lines if (found := _MOCHA_PASSING.match(line))), None)
    start = next((at for at, line in enumerate(lines) if _MOCHA_FAILING.match(line)), None)
    if passing is None:
        return None
    if start is None:
        return _report("mocha's output", {}, passed=passing, counted=0)
    counted = int(lines[start].split()[0])
    failed: _Found = {}
    for at in range(start + 1, len(lines)):
        if found := _MOCHA_ITEM.match(lines[at]):
            end, name = _mocha_name(lines, at, found["part"])
            failed[name] = _after(lines, end)
    return _report("mocha's output", failed, passed=passing, counted=counted)


def _mocha_name(lines: Sequence[str], at: int, first: str) -> tuple[int, str]:
    """The names of its suites and of the test, each on its own line; the last ends with a colon."""
    parts = [first]
    while not parts[-1].endswith(":") and at + 1 < len(lines) and lines[at + 1].strip() and len(parts) < 20:
        at += 1
        parts.append(lines[at].strip())
    return at, " ".join(part.strip() for part in parts).removesuffix(":")


_AVA_END: Final = re.compile(r"\s{1,4}\d{1,9} (?:tests? (?:passed|failed)|uncaught .*|unhandled .*)$")
_AVA_FAILED: Final = re.compile(r"\s{1,4}✘ \[fail\]: (?P<test>.{1,300})$")
_AVA_PASSED: Final = re.compile(r"\s{1,4}✔ ")


def _read_ava(lines: Sequence[str]) -> TestReport | None:
    ends = [line.split() for line in lines if _AVA_END.match(line)]
    if not ends:
        return None
    counted = sum(int(words[0]) for words in ends if "passed" not in words)
    passed = next((int(words[0]) for words in ends if "passed" in words), 0)
    named = sum(bool(_AVA_PASSED.match(line)) for line in lines)
    return _report("ava's output", _named(lines, _AVA_FAILED), passed=max(passed, named), counted=counted)


_JEST_END: Final = re.compile(r"\s{0,8}Tests:?\s{1,10}\d.*(?:total$|\(\d+\)$)")
_JEST_FAILED: Final = re.compile(r"\s{1,4}● (?P<test>.{1,300} › .{1,300}|\S.{0,300})$")
_VITEST_FAILED: Final = re.compile(r"\s{0,4}(?:FAIL|×)\s{1,4}(?P<test>\S+ > .{1,300}?)(?: \d+ms)?$")
_JEST_BROKEN: Final = re.compile(r"\s{1,4}● Test suite failed to run$")
_VITEST_BROKEN: Final = re.compile(r"\s{0,4}FAIL\s{1,4}(?P<test>\S+) \[ .* \]$")


def _read_jest(lines: Sequence[str]) -> TestReport | None:
    counts = _counts(lines, _JEST_END)
    if not counts or any(_JEST_BROKEN.match(line) for line in lines):
        return None
    failed = _named(lines, _VITEST_FAILED) or _named(lines, _JEST_FAILED)
    broken = _named(lines, _VITEST_BROKEN)
    counted = counts.get("failed", 0)
    return _report("Jest's output", failed, passed=counts.get("passed", 0), counted=counted, broken=broken)


_NODE_COUNT: Final = re.compile(r"ℹ (?P<what>pass|fail|cancelled) (?P<number>\d{1,9})$")
_NODE_FAILED: Final = re.compile(r"\s{0,40}✖ (?P<test>\S.{0,300}?) \([\d.]{1,20}ms\)")


def _read_node(lines: Sequence[str]) -> TestReport | None:
    counts = {found["what"]: int(found["number"]) for line in lines if (found := _NODE_COUNT.match(line))}
    if "pass" not in counts:
        return None
    counted = counts.get("fail", 0) + counts.get("cancelled", 0)
    return _report("node's output", _named(lines, _NODE_FAILED), passed=counts["pass"], counted=counted)


_RSPEC_END: Final = re.compile(r"\d{1,9} examples?, \d{1,9} failures?\b")
_RSPEC_FAILED: Final = re.compile(r"rspec (?P<test>\S+ # .{1,300})$")
_LINE_NUMBER: Final = re.compile(r":\d+(?= #)")


def _read_rspec(lines: Sequence[str]) -> TestReport | None:
    counts = _counts(lines, _RSPEC_END)
    if not counts:
        return None
    counted = counts.get("failure", 0) + counts.get("failures", 0)
    ran = counts.get("example", 0) + counts.get("examples", 0) - counts.get("pending", 0)
    failed = {_LINE_NUMBER.sub("", name): said for name, said in _named(lines, _RSPEC_FAILED).items()}
    return _report("RSpec's output", failed, passed=max(0, ran - counted), counted=counted)


_MINITEST_END: Final = re.compile(r"\d{1,9} runs, \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors")
_MINITEST_FAILED: Final = re.compile(r"(?P<test>[\w:]{1,200}#\S.{0,200}?)(?: \[.*\])?:$")


def _read_minitest(lines: Sequence[str]) -> TestReport | None:
    counts = _counts(lines, _MINITEST_END)
    if not counts:
        return None
    counted = counts["failures"] + counts["errors"]
    passed = max(0, counts["runs"] - counted - counts.get("skips", 0))
    return _report("minitest's output", _named(lines, _MINITEST_FAILED), passed=passed, counted=counted)


_PHPUNIT_END: Final = re.compile(r"Tests: \d{1,9}, Assertions: \d{1,9}")
_PHPUNIT_OK: Final = re.compile(r"OK \((\d{1,9}) tests?, \d{1,9} assertions?\)")
_PHPUNIT_FAILED: Final = re.compile(r"\d{1,6}\) (?P<test>[\w\\]{1,200}::\w.{0,200})$")


def _read_phpunit(lines: Sequence[str]) -> TestReport | None:
    if ok := next((found for line in lines if (found := _PHPUNIT_OK.match(line))), None):
        return _report("PHPUnit's output", {}, passed=int(ok[1]), counted=0)
    last = next((line for line in reversed(lines) if _PHPUNIT_END.match(line)), "")
    counts = {word.lower(): int(number) for word, number in re.findall(r"([A-Za-z]{1,20}): (\d{1,9})", last)}
    if not counts:
        return None
    counted = counts.get("failures", 0) + counts.get("errors", 0)
    passed = max(0, counts["tests"] - counted - counts.get("skipped", 0) - counts.get("incomplete", 0))
    return _report("PHPUnit's output", _named(lines, _PHPUNIT_FAILED), passed=passed, counted=counted)


_CTEST_END: Final = re.compile(r"\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})")
_CTEST_FAILED: Final = re.compile(r"\s*\d{1,9} - (?P<test>.{1,300}) \((?P<how>[\w /:]{1,40})\)(?: .*)?$")


def _read_ctest(lines: Sequence[str]) -> TestReport | None:
    at = next((at for at, line in enumerate(lines) if _CTEST_END.match(line)), None)
    end = _CTEST_END.match(lines[at]) if at is not None else None
    if end is None:
        return None
    listed = [found for line in lines[at:] if (found := _CTEST_FAILED.match(line))]
    unrun = [found["test"] for found in listed if found["how"].startswith("Not Run")]
    failed = {found["test"]: "" for found in listed if found["test"] not in unrun}
    counted, total = int(end[1]), int(end[2])
    return _report("CTest's output", failed, passed=total - counted, counted=counted, broken=unrun)


_READERS: Final[tuple[Callable[[Sequence[str]], TestReport | None], ...]] = (
    _read_pytest,
    _read_node,
    _read_jest,
    _read_mocha,
    _read_ava,
    _read_rspec,
    _read_minitest,
    _read_phpunit,
    _read_ctest,
)
