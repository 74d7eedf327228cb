"""Reads results per test from what a runner prints: unittest, `go test`, `cargo test`, TAP. The text is hostile input.

Every pattern is matched on one line of limited length and reads it at most once.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from caseworker.core.evidence.failure_lists import read_failure_list
from caseworker.core.evidence.test_report import TestOutcome, TestReport, TestResult, make_report, make_result

MAX_OUTPUT_BYTES: Final = 4 << 20
"""Output that is longer is not read for results."""
_LINE: Final = 2_000
_MOST_DETAIL_LINES: Final = 60
P, F, E, S = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR, TestOutcome.SKIPPED


def read_output(output: str) -> TestReport | None:
    """Null: no runner that we know has printed it."""
    lines = [line[:_LINE] for line in output.split("\n")]
    return next((report for read in _READERS if (report := read(lines)) is not None), None)


# --- unittest --------------------------------------------------------------------------------------------------------

_RAN: Final = re.compile(r"Ran (\d{1,9}) tests? in ")
_UNITTEST_LINE: Final = re.compile(r"\s*(?P<test>\w+ \([\w.]+\)(?: [(\[].*)?) \.\.\. ?(?P<end>.*)$")
_UNITTEST_NAME: Final = re.compile(r"\s*(?P<test>\w+ \([\w.]+\))$")
_UNITTEST_DOC: Final = re.compile(r".* \.\.\. (?P<end>ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$")
_UNITTEST_BLOCK: Final = re.compile(r"(?P<end>FAIL|ERROR): (?P<test>\w+ \([\w.]+\).*)$")
_DOTTED: Final = re.compile(r"(\w+) \(([\w.]+)\)(.*)")
_RULE: Final = "=" * 70
_THIN_RULE: Final = "-" * 70


def _read_unittest(lines: Sequence[str]) -> TestReport | None:
    rans = [int(found[1]) for line in lines if (found := _RAN.match(line))]
    if not rans:
        return None
    ends, details = _verbose_ends(lines), _unittest_blocks(lines)
    tests: dict[str, TestResult] = {}
    broken: list[TestResult] = []
    for name, (outcome, detail) in (ends | details).items():
        result = make_result(_dotted(name), outcome, file="", detail=detail)
        if "_FailedTest" in name or name.startswith(("setUp", "tearDown")):
            broken.append(result)
        else:
            tests[result.name] = result
    # Without -v a test that passed is not named: those are counted.
    nameless = max(0, sum(rans) - len(tests) - len(broken)) if not ends else 0
    report = make_report("unittest's output", tests.values(), broken)
    return report.model_copy(update={"passed": report.passed + nameless}) if report is not None else None


def _verbose_ends(lines: Sequence[str]) -> dict[str, tuple[TestOutcome, str]]:
    ends: dict[str, tuple[TestOutcome, str]] = {}
    named = ""
    for line in lines:
        if found := _UNITTEST_LINE.match(line):
            ends[found["test"]] = (_unittest_outcome(found["end"]), "")
            named = ""
        elif named and (found := _UNITTEST_DOC.match(line)):
            ends[named] = (_unittest_outcome(found["end"]), "")
            named = ""
        else:
            found = _UNITTEST_NAME.match(line)
            named = found["test"] if found else ""
    return ends


def _unittest_outcome(end: str) -> TestOutcome:
    if end.startswith(("skipped", "expected failure")):
        return S
    if end.startswith(("FAIL", "unexpected success")):
        return F
    return E if end.startswith("ERROR") else P


def _unittest_blocks(lines: Sequence[str]) -> dict[str, tuple[TestOutcome, str]]:
    """What is told of failed tests below the list of all."""
    blocks: dict[str, tuple[TestOutcome, str]] = {}
    at = 0
    while at < len(lines):
        found = _UNITTEST_BLOCK.match(lines[at]) if at and lines[at - 1] == _RULE else None
        at += 1
        if found is None:
            continue
        start = at
        while at < len(lines) and lines[at] != _RULE and not _RAN.match(lines[at]):
            at += 1
        said = [line for line in lines[start:at] if line != _THIN_RULE]
        blocks[found["test"]] = (F if found["end"] == "FAIL" else E, "\n".join(said[-_MOST_DETAIL_LINES:]))
    return blocks


def _dotted(name: str) -> str:
    """`test_a (test_x.Case.test_a)` as `test_x.Case.test_a`. Before Python 3.11 the last part is missing there."""
    found = _DOTTED.match(name)
    if found is None:
        return name
    method, of, rest = found[1], found[2], found[3]
    return (of if of.endswith(f".{method}") else f"{of}.{method}") + rest


# --- go --------------------------------------------------------------------------------------------------------------

_GO_LINE: Final = re.compile(r"\s*--- (?P<end>PASS|FAIL|SKIP): (?P<test>\S+) \(")
_GO_PACKAGE: Final = re.compile(r"(?P<end>ok|FAIL|---|\?)\s+\t?(?P<package>[\w./-]+)\s+(?P<rest>.*)$")
_GO_OUTCOMES: Final = {"pass": P, "fail": F, "skip": S}


def is_go_json(output: str) -> bool:
    return output.startswith(('{"Time":', '{"Action":', '{"ImportPath":'))


def go_text(output: str) -> str:
    """What `go test` would have printed without `-json`."""
    events = _go_events(output.split("\n"))
    return "".join(_text(event.get("Output")) if event is not None else f"{line}\n" for line, event in events)


def _go_events(lines: Sequence[str]) -> Iterator[tuple[str, dict[str, object] | None]]:
    for line in lines:
        try:
            event = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError):
            event = None
        yield line, event if isinstance(event, dict) else None


def _read_go_json(lines: Sequence[str]) -> TestReport | None:
    if not any(is_go_json(line) for line in lines[:50]):
        return None
    tests: dict[tuple[str, str], TestResult] = {}
    said: dict[tuple[str, str], list[str]] = {}
    plain: list[str] = []  # where older versions print what the compiler says
    broken: list[TestResult] = []
    for line, event in _go_events(lines):
        if event is None:
            plain = [*plain[1 - _MOST_DETAIL_LINES :], f"{line}\n"]
            continue
        action, key = _text(event.get("Action")), (_text(event.get("Package")), _text(event.get("Test")))
        if action in ("output", "build-output"):
            key = key if action == "output" else (_text(event.get("ImportPath")), "")
            said.setdefault(key, []).append(_text(event.get("Output")))
        elif action in _GO_OUTCOMES and key[1]:
            detail = "".join(said.get(key, [])[-_MOST_DETAIL_LINES:])
            tests[key] = make_result(f"{key[0]}.{key[1]}", _GO_OUTCOMES[action], detail=detail)
        elif action in ("fail", "build-fail"):
            package = key[0] or _text(event.get("ImportPath"))
            if not any(of == package and test.fails for (of, _), test in tests.items()):
                detail = "".join([*plain, *said.get((package, ""), [])[-_MOST_DETAIL_LINES:]])
                broken.append(make_result(package, E, detail=detail))
    return make_report("go test -json", tests.values(), broken)


def _read_go(lines: Sequence[str]) -> TestReport | None:
    ends = [found for line in lines if (found := _GO_LINE.match(line))]
    packages = [found for line in lines if (found := _GO_PACKAGE.match(line))]
    if not ends and not any("\t" in found.string for found in packages):
        return None
    tests = [make_result(found["test"], _GO_OUTCOMES[found["end"].lower()], detail="") for found in ends]
    failed = [found for found in packages if found["end"] == "FAIL" and "[" in found["rest"]]
    broken = [make_result(found["package"], E, detail=found["rest"]) for found in failed]
    passed = sum(found["end"] == "ok" and "[no tests to run]" not in found["rest"] for found in packages)
    report = make_report("go test's output", tests, broken)
    if report is None or any(test.outcome is P for test in tests):
        return report
    return report.model_copy(update={"passed": passed})  # without -v only packages are named


# --- cargo -----------------------------------------------------------------------------------------------------------

_CARGO_LINE: Final = re.compile(r"test (?P<test>\S.{0,400}?) \.\.\. (?P<end>ok|FAILED|ignored)\b")
_CARGO_RESULT: Final = re.compile(r"test result: (?:ok|FAILED)\. ")
_CARGO_SAID: Final = re.compile(r"---- (?P<test>\S+) stdout ----$")
_CARGO_BROKEN: Final = re.compile(r"error: could not compile `(?P<crate>[^`]{1,100})`")


def _read_cargo(lines: Sequence[str]) -> TestReport | None:
    error = next((found for line in lines if (found := _CARGO_BROKEN.match(line))), None)
    if error is None and not any(_CARGO_RESULT.match(line) for line in lines):
        return None
    broken = [make_result(error["crate"], E, detail="\n".join(lines[:_MOST_DETAIL_LINES]))] if error else []
    said = _cargo_details(lines)
    ends = (found for line in lines if (found := _CARGO_LINE.match(line)))
    outcomes = {"ok": P, "FAILED": F, "ignored": S}
    tests = (make_result(one["test"], outcomes[one["end"]], detail=said.get(one["test"], "")) for one in ends)
    return make_report("cargo test's output", tests, broken)


def _cargo_details(lines: Sequence[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    name = ""
    for line in lines:
        if found := _CARGO_SAID.match(line):
            name = found["test"]
            said[name] = ""
        elif line.startswith(("failures:", "test result:", "stack backtrace:")):
            name = ""
        elif name:
            said[name] = f"{said[name]}\n{line}"[-_LINE:]
    return said


# --- TAP -------------------------------------------------------------------------------------------------------------

_TAP_LINE: Final = re.compile(r"\s{0,40}(?P<not>not )?ok\b(?: (?P<number>\d{1,9}))?(?: -)?(?P<rest> .*)?$")
_TAP_PLAN: Final = re.compile(r"1\.\.\d{1,9}\b")
_TAP_SKIP: Final = re.compile(r"# ?(?:skip|todo)\b", re.IGNORECASE)


def _read_tap(lines: Sequence[str]) -> TestReport | None:
    if not any(line.startswith("TAP version ") or _TAP_PLAN.match(line) for line in lines):
        return None
    report = make_report("TAP", _tap_results(lines))
    is_empty = report is not None and not report.tests
    return None if is_empty and not any(line.startswith("1..0") for line in lines) else report


def _tap_results(lines: Sequence[str]) -> Iterator[TestResult]:
    for number, line in enumerate(lines):
        found = _TAP_LINE.match(line)
        if found is None:
            continue
        rest = (found["rest"] or "").strip()
        skip = _TAP_SKIP.search(rest)
        name = (rest[: skip.start()] if skip else rest).strip() or f"test {found['number'] or ''}"
        outcome = S if skip else (F if found["not"] else P)
        detail = "\n".join(lines[number + 1 : number + _MOST_DETAIL_LINES // 2]) if outcome is F else ""
        yield make_result(name, outcome, detail=detail)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


_READERS: Final[tuple[Callable[[Sequence[str]], TestReport | None], ...]] = (
    _read_go_json,
    _read_unittest,
    _read_cargo,
    _read_tap,
    _read_go,
    read_failure_list,
)
