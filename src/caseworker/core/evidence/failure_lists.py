"""Reads the failures that a runner lists by name, with the number of tests that passed: pytest, mocha, ava, jest,
vitest, node, RSpec, minitest, PHPUnit, CTest, Meson, Automake, ExUnit. For runs that wrote no report. The text is
hostile input.

Every pattern is matched on one line of limited length and reads it at most once. A list that is shorter than the number
of failures that the runner counts is not used: what it leaves out must not be excused.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from caseworker.core.evidence.build_tool_lists import read_automake, read_exunit, read_meson
from caseworker.core.evidence.failure_list_parts import Found, counts_in, lines_after, listed, report_of
from caseworker.core.evidence.test_report import TestReport


def read_failure_list(lines: Sequence[str]) -> TestReport | None:
    """Null: no runner that we know has printed it, or not all failures are named."""
    return next((report for read in _READERS if (report := read(lines)) is not None), None)


_PYTEST_END: Final = re.compile(r"\A(?:=+ )?(?:\d+ \w+, ){0,9}\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s")
_PYTEST_FAILED: Final = re.compile(r"FAILED (?P<test>\S+?::.{1,300}?)(?: - (?P<said>.*))?$")
_PYTEST_ERROR: Final = re.compile(r"ERROR (?P<test>\S+\.py(?:::.{1,300}?)?)(?: - .*)?$")


def _read_pytest(lines: Sequence[str]) -> TestReport | None:
    counts = counts_in(lines, _PYTEST_END)
    if not counts:
        return None
    broken = listed(lines, _PYTEST_ERROR)
    counted = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    failed = {one["test"].strip(): one["said"] or "" for line in lines if (one := _PYTEST_FAILED.match(line))}
    return report_of("pytest's output", failed, passed=counts.get("passed", 0), counted=counted, broken=broken)


_MOCHA_PASSING: Final = re.compile(r"\s{1,4}(\d{1,9}) passing\b")
_MOCHA_FAILING: Final = re.compile(r"\s{1,4}(\d{1,9}) failing$")
_MOCHA_ITEM: Final = re.compile(r"  \d{1,6}\) (?P<part>.*)$")


def _read_mocha(lines: Sequence[str]) -> TestReport | None:
    passing = next((int(found[1]) for line in lines if (found := _MOCHA_PASSING.match(line))), None)
    start = next((at for at, line in enumerate(lines) if _MOCHA_FAILING.match(line)), None)
    if passing is None:
        return None
    if start is None:
        return report_of("mocha's output", {}, passed=passing, counted=0)
    counted = int(lines[start].split()[0])
    failed: Found = {}
    for at in range(start + 1, len(lines)):
        if found := _MOCHA_ITEM.match(lines[at]):
            end, name = _mocha_name(lines, at, found["part"])
            failed[name] = lines_after(lines, end)
    return report_of("mocha's output", failed, passed=passing, counted=counted)


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
_AVA_RULE: Final = "─"


def _read_ava(lines: Sequence[str]) -> TestReport | None:
    ends = [line.split() for line in lines if _AVA_END.match(line)]
    if not ends:
        return None
    counted = sum(int(words[0]) for words in ends if "passed" not in words)
    passed = next((int(words[0]) for words in ends if "passed" in words), 0)
    named = sum(bool(_AVA_PASSED.match(line)) for line in lines)
    said = _ava_sections(lines)
    failed = {name: said.get(name, rest) for name, rest in listed(lines, _AVA_FAILED).items()}
    return report_of("ava's output", failed, passed=max(passed, named), counted=counted)


def _ava_sections(lines: Sequence[str]) -> Found:
    """What is told of each failed test below the list of all: between rules, with its name first."""
    rules = [at for at, line in enumerate(lines) if line.strip() == _AVA_RULE]
    sections = [lines[start + 1 : end] for start, end in pairwise([*rules, len(lines)])]
    named = [(at, section) for section in sections for at, line in enumerate(section[:3]) if line.strip()]
    return {section[at].strip(): "\n".join(section[at + 1 :]) for at, section in reversed(named)}


_JEST_END: Final = re.compile(r"\s{0,8}Tests:?\s{1,10}\d.*(?:total$|\(\d+\)$)")
_JEST_FAILED: Final = re.compile(r"\s{1,4}● (?P<test>.{1,300} › .{1,300}|\S.{0,300})$")
_VITEST_FAILED: Final = re.compile(r"\s{0,4}(?:FAIL|×)\s{1,4}(?P<test>\S+ > .{1,300}?)(?: \d+ms)?$")
_JEST_BROKEN: Final = re.compile(r"\s{1,4}● Test suite failed to run$")
_VITEST_BROKEN: Final = re.compile(r"\s{0,4}FAIL\s{1,4}(?P<test>\S+) \[ .* \]$")


def _read_jest(lines: Sequence[str]) -> TestReport | None:
    counts = counts_in(lines, _JEST_END)
    if not counts or any(_JEST_BROKEN.match(line) for line in lines):
        return None
    failed = listed(lines, _VITEST_FAILED) or listed(lines, _JEST_FAILED)
    broken = listed(lines, _VITEST_BROKEN)
    counted = counts.get("failed", 0)
    return report_of("Jest's output", failed, passed=counts.get("passed", 0), counted=counted, broken=broken)


_NODE_COUNT: Final = re.compile(r"ℹ (?P<what>pass|fail|cancelled) (?P<number>\d{1,9})$")
_NODE_FAILED: Final = re.compile(r"\s{0,40}✖ (?P<test>\S.{0,300}?) \([\d.]{1,20}ms\)")


def _read_node(lines: Sequence[str]) -> TestReport | None:
    counts = {found["what"]: int(found["number"]) for line in lines if (found := _NODE_COUNT.match(line))}
    if "pass" not in counts:
        return None
    counted = counts.get("fail", 0) + counts.get("cancelled", 0)
    return report_of("node's output", listed(lines, _NODE_FAILED), passed=counts["pass"], counted=counted)


_RSPEC_END: Final = re.compile(r"\d{1,9} examples?, \d{1,9} failures?\b")
_RSPEC_FAILED: Final = re.compile(r"rspec (?P<test>\S+ # .{1,300})$")
_LINE_NUMBER: Final = re.compile(r":\d+(?= #)")


def _read_rspec(lines: Sequence[str]) -> TestReport | None:
    counts = counts_in(lines, _RSPEC_END)
    if not counts:
        return None
    counted = counts.get("failure", 0) + counts.get("failures", 0)
    ran = counts.get("example", 0) + counts.get("examples", 0) - counts.get("pending", 0)
    failed = {_LINE_NUMBER.sub("", name): said for name, said in listed(lines, _RSPEC_FAILED).items()}
    return report_of("RSpec's output", failed, passed=max(0, ran - counted), counted=counted)


_MINITEST_END: Final = re.compile(r"\d{1,9} runs, \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors")
_MINITEST_FAILED: Final = re.compile(r"(?P<test>[\w:]{1,200}#\S.{0,200}?)(?: \[.*\])?:$")


def _read_minitest(lines: Sequence[str]) -> TestReport | None:
    counts = counts_in(lines, _MINITEST_END)
    if not counts:
        return None
    counted = counts["failures"] + counts["errors"]
    passed = max(0, counts["runs"] - counted - counts.get("skips", 0))
    return report_of("minitest's output", listed(lines, _MINITEST_FAILED), passed=passed, counted=counted)


_PHPUNIT_END: Final = re.compile(r"Tests: \d{1,9}, Assertions: \d{1,9}")
_PHPUNIT_OK: Final = re.compile(r"OK \((\d{1,9}) tests?, \d{1,9} assertions?\)")
_PHPUNIT_FAILED: Final = re.compile(r"\d{1,6}\) (?P<test>[\w\\]{1,200}::\w.{0,200})$")


def _read_phpunit(lines: Sequence[str]) -> TestReport | None:
    if ok := next((found for line in lines if (found := _PHPUNIT_OK.match(line))), None):
        return report_of("PHPUnit's output", {}, passed=int(ok[1]), counted=0)
    last = next((line for line in reversed(lines) if _PHPUNIT_END.match(line)), "")
    counts = {word.lower(): int(number) for word, number in re.findall(r"([A-Za-z]{1,20}): (\d{1,9})", last)}
    if not counts:
        return None
    counted = counts.get("failures", 0) + counts.get("errors", 0)
    passed = max(0, counts["tests"] - counted - counts.get("skipped", 0) - counts.get("incomplete", 0))
    return report_of("PHPUnit's output", listed(lines, _PHPUNIT_FAILED), passed=passed, counted=counted)


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
    return report_of("CTest's output", failed, passed=total - counted, counted=counted, broken=unrun)


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
    read_meson,
    read_automake,
    read_exunit,
)
